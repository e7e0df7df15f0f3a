import { isAbsolute } from 'node:path';
import { MINUTE_MS } from '../core/durations';
import { isId } from '../core/ids';
import { isRecord } from '../core/json';
import { readFeedEvent } from './read-feed-event';
import type { LoadedProject, WorkerChildMessage } from './worker-messages';

const MAX_FILES = 10_000;
const MAX_MESSAGE_CHARACTERS = 20_000;
const MAX_TOOL_MS = 60 * MINUTE_MS;

/**
 * Reads what came from the worker child. Tools of the project run in that process and can send anything, so nothing is
 * believed: what is no message of ours is undefined, and a text for the terminal has no control characters but new lines.
 */
export function readWorkerMessage(value: unknown): WorkerChildMessage | undefined {
  if (!isRecord(value)) {
    return undefined;
  }
  const { type, code, message } = value;
  switch (type) {
    case 'loaded': {
      const project = readProject(value['project']);
      return project && { type, project, files: readFiles(value['files']) };
    }
    case 'ready':
      return { type };
    case 'failed':
      return typeof code === 'string' && typeof message === 'string'
        ? { type, code, message: shown(message), files: readFiles(value['files']) }
        : undefined;
    case 'feed': {
      const event = readFeedEvent(value['event']);
      return event === undefined ? undefined : { type, event };
    }
    default:
      return undefined;
  }
}

function readProject(value: unknown): LoadedProject | undefined {
  if (!isRecord(value)) {
    return undefined;
  }
  const { agents, tools, longestToolMs } = value;
  return Array.isArray(agents) && agents.every(isId) && isCount(tools) && isCount(longestToolMs)
    ? { agents, tools, longestToolMs: Math.min(longestToolMs, MAX_TOOL_MS) }
    : undefined;
}

/** Only paths of files; anything else costs no more than a change that goes unnoticed. */
function readFiles(value: unknown): readonly string[] {
  const files = Array.isArray(value) ? value.slice(0, MAX_FILES) : [];
  return files.filter((file): file is string => typeof file === 'string' && isAbsolute(file) && !file.includes('\0'));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** What a terminal would obey, as text: a control character, or a mark that turns the direction of writing. */
function shown(text: string): string {
  return text
    .slice(0, MAX_MESSAGE_CHARACTERS)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
      character === '\n' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
    );
}
