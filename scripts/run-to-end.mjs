import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Signals that end a build or a check; they are handed to the child, which may not be in the sender's group. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs one program to its end and hands stop signals over to it. After a stop signal this process ends too, once the
 * child has.
 * @param {string} command
 * @param {readonly string[]} parameters
 * @param {import('node:child_process').SpawnOptions} [options] default: output goes to the terminal
 * @returns {Promise<{exitCode: number, output: string}>} output is empty unless stdout and stderr are pipes
 */
export function runToEnd(command, parameters, options = { stdio: 'inherit' }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, options);
    let stoppedBy;
    const handOver = (signal) => {
      stoppedBy = signal;
      child.kill(signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, handOver);
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    const letGo = () => {
      for (const signal of STOP_SIGNALS) process.off(signal, handOver);
    };
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
