/**
 * Memory of the processes of `npm start`, ten seconds after it was ready, and what 100 sessions that wait for a decision
 * add to it. Resident memory (RSS) counts shared pages in full, PSS their share. Needs Linux.
 */
import { readFileSync } from 'node:fs';
import { medianOf } from './support/distribution';
import { NpmStart } from './support/npm-start';
import { PAIRS } from './support/paired';
import { report } from './support/report';

const IDLE_MS = 10_000;
const SESSIONS = 100;
const AT_A_TIME = 10;
const DEADLINE_MS = 120_000;
/** Memory varies less than time, and each sample takes half a minute. */
const SAMPLES = Math.ceil(PAIRS / 2);

/** MiB of each process. */
type Memory = Readonly<Record<string, { readonly rss: number; readonly pss: number }>>;

interface Sample {
  readonly idle: Memory;
  readonly parked: Memory;
}

async function sample(): Promise<Sample> {
  const program = new NpmStart();
  try {
    await program.start();
    await idle();
    const before = memoryOf(program);
    await parkSessions(program);
    await idle();
    return { idle: before, parked: memoryOf(program) };
  } finally {
    await program.dispose();
  }
}

function idle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, IDLE_MS));
}

/** Sessions that have asked for a write and wait for a person. */
async function parkSessions(program: NpmStart): Promise<void> {
  for (let started = 0; started < SESSIONS; started += AT_A_TIME) {
    const numbers = Array.from({ length: AT_A_TIME }, (_, index) => started + index);
    await Promise.all(numbers.map((number) => program.startSession(`write file${number}.txt: x`)));
  }
  const path = '/v1/approvals?status=pending&limit=500';
  await program.until(path, ({ approvals }) => (approvals as unknown[])?.length === SESSIONS, DEADLINE_MS);
}

function memoryOf(program: NpmStart): Memory {
  const processes = Object.entries(program.processes());
  return Object.fromEntries(processes.map(([name, pid]) => [name, { rss: rssOf(pid), pss: pssOf(pid) }]));
}

function rssOf(pid: number): number {
  return mebibytesOf(readFileSync(`/proc/${pid}/status`, 'utf8'), /^VmRSS:\s+(\d+) kB$/m);
}

function pssOf(pid: number): number {
  return mebibytesOf(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), /^Pss:\s+(\d+) kB$/m);
}

function mebibytesOf(text: string, line: RegExp): number {
  return Number(line.exec(text)?.[1]) / 1_024;
}

async function main(): Promise<void> {
  const samples: Sample[] = [];
  for (let index = 0; index < SAMPLES; index += 1) {
    samples.push(await sample());
  }
  for (const name of Object.keys(samples[0]?.idle ?? {})) {
    for (const kind of ['rss', 'pss'] as const) {
      const at = (memory: Memory) => memory[name]?.[kind] ?? Number.NaN;
      const idles = samples.map(({ idle }) => at(idle));
      const added = samples.map(({ idle, parked }) => at(parked) - at(idle));
      const parameters = { process: name };
      report({ name: `idle-memory/${kind}`, unit: 'MiB', parameters, value: medianOf(idles), samples: idles });
      report({
        name: `idle-memory/${kind}-of-sessions`,
        unit: 'MiB',
        parameters: { ...parameters, sessions: SESSIONS },
        value: medianOf(added),
        samples: added,
      });
    }
  }
}

void main();
