import { ToolRefused } from '../../../core/tool-refused';
import { shownBytes } from './utf8-text';

/** Longest content a tool writes: the approver has to see it. */
const MAX_CONTENT_BYTES = 1_048_576;

/** Throws ToolRefused for a content above 1 MiB. `subject` starts the sentence, for example `The content has`. */
export function checkContentSize(subject: string, sizeBytes: number): void {
  if (sizeBytes > MAX_CONTENT_BYTES) {
    const limit = shownBytes(MAX_CONTENT_BYTES);
    throw new ToolRefused(`${subject} ${shownBytes(sizeBytes)}; at most ${limit} are written at once.`);
  }
}
