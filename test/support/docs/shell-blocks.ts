/** A fenced block of commands in a document, and what the document says comes back. */
export interface ShellBlock {
  /** The commands, without comments. A command that goes on behind a backslash is one. */
  readonly commands: readonly string[];
  /** The block that follows at once, if any. */
  readonly answer?: { readonly language: string; readonly text: string };
}

const BLOCK = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** The `sh` blocks of a Markdown text, in order. */
export function shellBlocks(markdown: string): readonly ShellBlock[] {
  const blocks = [...markdown.matchAll(BLOCK)].map((match) => ({
    language: match[1] ?? '',
    text: match[2] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }));
  return blocks.flatMap((block, index) => {
    if (block.language !== 'sh') {
      return [];
    }
    const next = blocks[index + 1];
    const isAnswer =
      next !== undefined && next.language !== 'sh' && markdown.slice(block.end, next.start).trim() === '';
    return [
      {
        commands: commandsOf(block.text),
        ...(isAnswer ? { answer: { language: next.language, text: next.text } } : {}),
      },
    ];
  });
}

function commandsOf(text: string): readonly string[] {
  return text
    .replace(/\\\n/g, '\\\0')
    .split('\n')
    .map((line) =>
      line
        .replace(/\s+# .*$/, '')
        .replaceAll('\\\0', '\\\n')
        .trim(),
    )
    .filter((command) => command !== '' && !command.startsWith('#'));
}
