import { ToolRefused } from '../../../core/tool-refused';
import { wellFormedText } from '../../../core/well-formed-text';
import { isProtectedName } from './protected-names';

const MAX_PATH_BYTES = 4_096;
const MAX_NAME_BYTES = 255;
/** Each name costs a few looks at the disk. */
const MAX_NAMES = 200;
/** Control characters, other line ends, and what turns the direction of writing: each can make a path look like another. */
const CONTROL_CHARACTER = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const EVERY_CONTROL_CHARACTER = new RegExp(CONTROL_CHARACTER, 'gu');

/** A path inside the workspace, checked as text; what is on the disk there is looked at separately. */
export interface WorkspacePath {
  /** Names from the workspace down; empty for the workspace itself. */
  readonly segments: readonly string[];
  /** For messages: `a/b.txt`, or `.` for the workspace itself. */
  readonly shown: string;
}

/**
 * Reads a path a model wrote. Separators are `/`; doubled ones and `.` are left out.
 * Throws ToolRefused for absolute paths, `..`, backslashes, control characters, letters that are not composed (NFC),
 * over-long and over-deep paths, and protected names.
 */
export function parseWorkspacePath(text: string): WorkspacePath {
  const quoted = quotePath(text);
  if (Buffer.byteLength(text) > MAX_PATH_BYTES) {
    throw new ToolRefused(`The path ${quoted} is longer than ${MAX_PATH_BYTES} bytes.`);
  }
  if (text.startsWith('/') || /^[A-Za-z]:[\\/]/.test(text)) {
    throw new ToolRefused(`The path ${quoted} is absolute. Use a path relative to the workspace.`);
  }
  const fault = nameFault(text);
  if (fault !== undefined) {
    throw new ToolRefused(`The path ${quoted} ${fault}`);
  }
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.length > MAX_NAMES) {
    throw new ToolRefused(`The path ${quoted} goes through more than ${MAX_NAMES} folders.`);
  }
  for (const segment of segments) {
    checkSegment(segment, quoted);
  }
  return { segments, shown: segments.length === 0 ? '.' : segments.join('/') };
}

/** Why no path can hold a name, as the end of a sentence, or undefined when one can. */
export function nameFault(name: string): string | undefined {
  if (CONTROL_CHARACTER.test(name)) {
    return 'holds a control character (such as NUL or a line end). Use a plain path.';
  }
  if (name.includes('\\')) {
    return 'holds a backslash. Use / between folders.';
  }
  // Node reads bytes that are not UTF-8 as U+FFFD, and writes half a character as it: no way back to the file.
  if (name.includes('\ufffd') || wellFormedText(name) !== name) {
    return 'holds a character that is broken.';
  }
  if (name.normalize('NFC') !== name) {
    return 'holds decomposed letters. Write them composed (NFC).';
  }
  return undefined;
}

/** The same for a path that has to name a file. */
export function parseFilePath(text: string): WorkspacePath {
  const path = parseWorkspacePath(text);
  if (path.segments.length === 0 || /\/\.?$/.test(text)) {
    throw new ToolRefused(`The path ${quotePath(text)} names a folder, not a file.`);
  }
  return path;
}

/** A path as messages quote it: in double quotes, control characters escaped, and not longer than 200 characters. */
export function quotePath(text: string): string {
  const short = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return JSON.stringify(short).replace(EVERY_CONTROL_CHARACTER, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function checkSegment(segment: string, quoted: string): void {
  if (segment === '..') {
    throw new ToolRefused(`The path ${quoted} holds "..". Paths can not leave the workspace.`);
  }
  if (Buffer.byteLength(segment) > MAX_NAME_BYTES) {
    throw new ToolRefused(`The path ${quoted} holds a name longer than ${MAX_NAME_BYTES} bytes.`);
  }
  if (isProtectedName(segment)) {
    throw new ToolRefused(`The path ${quoted} is protected: tools do not touch version control, settings or keys.`);
  }
}
