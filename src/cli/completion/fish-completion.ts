import type { CommandPlace } from './command-places';

/** The completion of a program for fish, with descriptions. */
export function fishCompletion(program: string, places: readonly CommandPlace[]): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const lines = places.flatMap(({ path, commands, options }) => {
    const at = `complete -c ${program} -n ${quoted(`test "$(__${program}_path)" = "${path}"`)}`;
    return [
      ...commands.map(({ name, description }) => `${at} -a ${name} -d ${quoted(description)}`),
      ...options.map(({ name, description, choices, takesValue }) => {
        const values = choices.length > 0 ? ` -a ${quoted(choices.join(' '))}` : '';
        return `${at} -l ${name.slice(2)}${takesValue ? ' -x' : ''}${values} -d ${quoted(description)}`;
      }),
    ];
  });
  return `function __${program}_path
  set -l path
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim -- "$path $word")
    if contains -- $longer ${known.join(' ')}
      set path $longer
    end
  end
  echo $path
end
complete -c ${program} -f
${lines.join('\n')}
`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, (special) => `\\${special}`)}'`;
}
