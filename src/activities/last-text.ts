import { isEntry } from '../core/entries';
import { replyKey, turnEndKey } from '../core/entry-keys';
import { MAX_TASK_TEXT_BYTES } from '../core/sessions';
import { capText } from './cap-text';
import type { SessionLog } from './session-log';

/** What the agent said in the last reply of an ended turn, at most 64 KiB of UTF-8; '' when it never replied. */
export async function readLastText(log: SessionLog, turn: number): Promise<string> {
  const ended = await log.readEntry(turnEndKey(turn));
  for (let round = isEntry(ended, 'turn.ended') ? ended.data.rounds : 0; round > 0; round -= 1) {
    const reply = await log.readEntry(replyKey(turn, round));
    if (isEntry(reply, 'model.reply')) {
      const texts = reply.data.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      return capText(texts.join(''), MAX_TASK_TEXT_BYTES).text;
    }
  }
  return '';
}
