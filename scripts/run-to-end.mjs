import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Signals that ask this process to stop. The child may not be in the sender's group, so it is told as well. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs one program to its end. When this process is asked to stop, so is the child, and this process ends after it.
 * @param {string} command
 * @param {readonly string[]} parameters
 * @param {import('node:child_process').SpawnOptions & {isKilledOnStop?: boolean}} [options] default: output goes to
 *   the terminal; isKilledOnStop: the child gets SIGKILL instead of the signal itself
 * @returns {Promise<{exitCode: number, output: string}>} output is empty unless stdout and stderr are pipes
 */
export function runToEnd(command, parameters, { isKilledOnStop = false, ...options } = { stdio: 'inherit' }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, options);
    let stoppedBy;
    const stop = (signal) => {
      stoppedBy = signal;
      child.kill(isKilledOnStop ? 'SIGKILL' : signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    const letGo = () => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
    };
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => {
      letGo();
      reject(error);
    });
    child.on('close', (exitCode) => {
      letGo();
      if (stoppedBy !== undefined) process.exit(128 + constants.signals[stoppedBy]);
      else resolve({ exitCode: exitCode ?? 1, output: Buffer.concat(chunks).toString('utf8') });
    });
  });
}
