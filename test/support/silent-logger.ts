import type { Logger } from '../../src/core/ports/logger';

/** A logger that says nothing, for tests that look at effects. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
