import { wellFormedText } from '../core/well-formed-text';

/** Tags that only holdpoint writes. Whatever looks like one in a text of somebody else's is made harmless. */
const TAG_PREFIX = 'holdpoint-';
const FORGED_TAG = /<(?=\s*\/?\s*holdpoint-)/gi;
const ATTRIBUTE_CHARACTERS = /[^\p{L}\p{N} @._:/-]/gu;

/** A text as it may stand in a request: it can't pretend to be an envelope of ours, or to end one. */
export function withoutForgedTags(text: string): string {
  return text.replace(FORGED_TAG, '&lt;');
}

/**
 * Something that is no user message of its own, as the user's side of the conversation carries it: a steering or an
 * injected message, or a note of holdpoint's.
 */
export function envelope(
  kind: 'message' | 'note',
  attributes: Readonly<Record<string, string>>,
  content: string,
): string {
  const shown = Object.entries(attributes).map(
    ([name, value]) => ` ${name}="${wellFormedText(value.slice(0, 200)).replace(ATTRIBUTE_CHARACTERS, '_')}"`,
  );
  const tag = `${TAG_PREFIX}${kind}`;
  return `<${tag}${shown.join('')}>\n${withoutForgedTags(content)}\n</${tag}>`;
}
