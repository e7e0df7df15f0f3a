#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram } from './create-program';
import { EXIT_CODES } from './exit-codes';
import { reportFailure } from './report-failure';

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
