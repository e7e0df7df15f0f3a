/** A piece of foreign text as it is shown: itself, or a labelled mark for what can't be seen. */
export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'mark';
      /** In brackets, for example `[U+202E]`. */
      readonly label: string;
      /** False for tabs and long runs of spaces, which are ordinary in code and hide nothing once they are marked. */
      readonly isHidden: boolean;
    };

/**
 * What a person can't see, or what changes how other text is seen: controls, bidirectional controls, zero-width and
 * default-ignorable characters, tags, variation selectors, unusual spaces, unassigned and private characters, the blank
 * braille pattern, and runs of more than eight spaces.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\u2800]|(?! )\p{Zs}| {9,}/gu;

export interface VisibleText {
  readonly parts: readonly TextPart[];
  /** How much of the text is in the parts, in UTF-16 units. */
  readonly length: number;
}

/**
 * Splits foreign text; a line break in it is marked too. It stops after `maxMarks` marks, since each is an element of
 * its own on the page.
 */
export function visibleText(text: string, maxMarks = Number.POSITIVE_INFINITY): VisibleText {
  const parts: TextPart[] = [];
  let length = 0;
  let marks = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (marks >= maxMarks) {
      return { parts, length };
    }
    if (match.index > length) {
      parts.push({ kind: 'text', text: text.slice(length, match.index) });
    }
    parts.push(markOf(match[0]));
    marks += 1;
    length = match.index + match[0].length;
  }
  if (length < text.length) {
    parts.push({ kind: 'text', text: text.slice(length) });
  }
  return { parts, length: text.length };
}

/** How many characters of a text are shown as marks because nobody could see them. Line breaks and tabs don't count. */
export function countHidden(text: string): number {
  let count = 0;
  for (const [unseen] of text.matchAll(UNSEEN)) {
    if (unseen !== '\n' && markOf(unseen).isHidden) {
      count += 1;
    }
  }
  return count;
}

function markOf(unseen: string): Extract<TextPart, { kind: 'mark' }> {
  if (unseen === '\t') {
    return { kind: 'mark', label: '[tab]', isHidden: false };
  }
  if (unseen.startsWith(' ')) {
    return { kind: 'mark', label: `[${unseen.length} spaces]`, isHidden: false };
  }
  const codePoint = unseen.codePointAt(0) ?? 0;
  const hexadecimal = codePoint.toString(16).toUpperCase().padStart(4, '0');
  return { kind: 'mark', label: `[U+${hexadecimal}]`, isHidden: true };
}

/** The text with something else for each piece of it that can't be seen: a character, or a long run of spaces. */
export function replaceUnseen(text: string, replacement: (unseen: string) => string): string {
  return text.replace(UNSEEN, replacement);
}
