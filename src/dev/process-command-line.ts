import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessCommandLine {
  readonly pid: number;
  /** The arguments joined by one space. */
  readonly commandLine: string;
}

/** The command line of a live process; null when there is none (gone, or dead and not yet collected). */
export function readCommandLine(pid: number, platform: string = process.platform): string | null {
  if (platform === 'linux') {
    return readLinuxCommandLine(String(pid));
  }
  return askPs(['-p', String(pid)]).find((entry) => entry.pid === pid)?.commandLine ?? null;
}

/** The command lines of all processes this user may see. */
export function listCommandLines(platform: string = process.platform): readonly ProcessCommandLine[] {
  if (platform !== 'linux') {
    return askPs(['-ax']);
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const commandLine = readLinuxCommandLine(name);
      return commandLine === null ? [] : [{ pid: Number(name), commandLine }];
    });
}

function readLinuxCommandLine(pid: string): string | null {
  try {
    // Each argument ends with a NUL; a process that is dead and not yet collected has none.
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd();
    return commandLine === '' ? null : commandLine;
  } catch {
    return null;
  }
}

function askPs(selection: readonly string[]): readonly ProcessCommandLine[] {
  let output: string;
  try {
    output = execFileSync('ps', ['-ww', ...selection, '-o', 'pid=,command='], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    // ps fails when it found no such process.
    return [];
  }
  return output.split('\n').flatMap((line) => {
    const [, pid, commandLine] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return pid === undefined || commandLine === undefined || commandLine.trimEnd().endsWith('<defunct>')
      ? []
      : [{ pid: Number(pid), commandLine: commandLine.trimEnd() }];
  });
}
