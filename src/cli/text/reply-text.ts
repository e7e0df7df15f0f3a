import { isRecord } from '../../core/json';

/** What a reply says, without the calls it asks for; foreign text. */
export function replyText(blocks: unknown): string {
  return (Array.isArray(blocks) ? blocks : [])
    .map((block: unknown) => (isRecord(block) && block['type'] === 'text' ? String(block['text']) : ''))
    .join('');
}
