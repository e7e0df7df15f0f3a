import type { CommandPlace } from './command-places';

/**
 * The completion of a program for bash, which zsh runs too. Names are letters, digits, dashes and underscores, so nothing
 * in it needs to be quoted.
 */
export function bashCompletion(program: string, places: readonly CommandPlace[]): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  const words = places.map(
    ({ path, commands, options }) =>
      `    '${path}') words='${[...commands, ...options].map(({ name }) => name).join(' ')}' ;;`,
  );
  const values = places.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ name, choices }) => `    '${path} ${name}') words='${choices.join(' ')}' ;;`),
  );
  return `_${program}() {
  local path='' words='' word index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${path:+$path }\${COMP_WORDS[index]}"
    case "$word" in
      ${known.join(' | ')}) path="$word" ;;
    esac
  done
  case "$path" in
${words.join('\n')}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${program} ${program}
`;
}

/** The same for zsh, by its own reader of bash completions. */
export function zshCompletion(program: string, places: readonly CommandPlace[]): string {
  return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashCompletion(program, places)}`;
}
