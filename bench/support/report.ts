import { cpus, loadavg } from 'node:os';

/** Prints one line of JSON: what was measured, and on what. */
export function report(measurement: string, figures: Readonly<Record<string, unknown>>): void {
  const [load = 0] = loadavg();
  const machine = { cores: cpus().length, load: Math.round(load * 10) / 10, node: process.version };
  process.stdout.write(`${JSON.stringify({ measurement, ...figures, machine })}\n`);
}
