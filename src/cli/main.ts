#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram } from './create-program';
import { EXIT_CODES } from './exit-codes';
import { reportFailure } from './report-failure';

// Whoever reads may stop early, as `head` does. That is no fault, also where a command does not watch for it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    reportFailure(error);
  }
});
// There is nowhere left to say it.
process.stderr.on('error', () => undefined);

createProgram(process.argv[2])
  .parseAsync(process.argv)
  .catch((error: unknown) => {
    if (error instanceof CommanderError) {
      // Help and version come as errors too, with exit code 0.
      process.exitCode = error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
    } else {
      reportFailure(error);
    }
  });
