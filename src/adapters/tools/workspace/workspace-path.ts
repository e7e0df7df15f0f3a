import { ToolRefused } from '../../../core/tool-refused';
import { isProtectedName } from './protected-names';

const MAX_PATH_BYTES = 4_096;
const MAX_NAME_BYTES = 255;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** A path inside the workspace, checked as text; what is on the disk there is looked at separately. */
export interface WorkspacePath {
  /** Names from the workspace down; empty for the workspace itself. */
  readonly segments: readonly string[];
  /** For messages: `a/b.txt`, or `.` for the workspace itself. */
  readonly shown: string;
}

/**
 * Reads a path a model wrote. Separators are `/`; doubled ones and `.` are left out.
 * Throws ToolRefused for absolute paths, `..`, backslashes, control characters, over-long paths and protected names.
 */
export function parseWorkspacePath(text: string): WorkspacePath {
  if (CONTROL_CHARACTER.test(text)) {
    throw new ToolRefused('The path holds a control character (such as NUL or a line end). Use a plain path.');
  }
  const quoted = quotePath(text);
  if (Buffer.byteLength(text) > MAX_PATH_BYTES) {
    throw new ToolRefused(`The path ${quoted} is longer than ${MAX_PATH_BYTES} bytes.`);
  }
  if (text.startsWith('/') || /^[A-Za-z]:[\\/]/.test(text)) {
    throw new ToolRefused(`The path ${quoted} is absolute. Use a path relative to the workspace.`);
  }
  if (text.includes('\\')) {
    throw new ToolRefused(`The path ${quoted} holds a backslash. Use / between folders.`);
  }
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  for (const segment of segments) {
    checkSegment(segment, quoted);
  }
  return { segments, shown: segments.length === 0 ? '.' : segments.join('/') };
}

/** The same for a path that has to name a file. */
export function parseFilePath(text: string): WorkspacePath {
  const path = parseWorkspacePath(text);
  if (path.segments.length === 0 || /\/\.?$/.test(text)) {
    throw new ToolRefused(`The path ${quotePath(text)} names a folder, not a file.`);
  }
  return path;
}

/** A path as messages quote it: in double quotes and not longer than 200 characters. */
export function quotePath(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
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
