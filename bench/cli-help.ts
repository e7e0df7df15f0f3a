/**
 * How much processor time `holdpoint --help` takes in the built program, from the start of the process to its end; beside
 * Node alone. It is what every completion, every script and every mistyped command pays at least.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { inPairs, pairedValues } from './support/paired';
import { report } from './support/report';

const PROGRAM = join(__dirname, '..', 'dist', 'src', 'cli', 'main.js');
const LIMIT_MS = 150;

/** Milliseconds of processor time, as the process itself says when it ends. */
function processorMs(code: string, parameters: readonly string[]): number {
  const counting = `process.on('exit', () => require('fs').writeSync(2, JSON.stringify(process.cpuUsage())));${code}`;
  const { stderr, status } = spawnSync(process.execPath, ['-e', counting, ...parameters], { encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`It ended with ${status}: ${stderr}`);
  }
  const { user, system } = JSON.parse(stderr) as NodeJS.CpuUsage;
  return (user + system) / 1_000;
}

async function main(): Promise<void> {
  const program = `process.argv.splice(1, 0, ${JSON.stringify(PROGRAM)});require(${JSON.stringify(PROGRAM)});`;
  const pairs = await inPairs(
    async () => processorMs(program, ['--', '--help']),
    async () => processorMs('', []),
  );
  const values = pairedValues('node -e ""', pairs);
  report({ name: 'cli-help/processor', unit: 'ms', ...values, limit: { on: 'value', atMost: LIMIT_MS } });
}

void main();
