import { visibleText } from '../../core/display/visible-text';

/**
 * Foreign text as one line that a terminal may be given. Whatever comes from a model, a tool, a person or a name in a
 * project passes here: what can't be seen, or would drive the terminal, becomes a labelled mark such as `[U+001B]`; a
 * line break becomes one too.
 */
export function foreignLine(text: string): string {
  return visibleText(text)
    .parts.map((part) => (part.kind === 'text' ? part.text : part.label))
    .join('');
}

/** The same for a text of several lines. A line break at its end makes no line of its own. */
export function foreignLines(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n').map(foreignLine);
}
