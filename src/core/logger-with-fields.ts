import type { Logger } from './ports/logger';

/** A logger that adds `fields` to each of its lines; fields of the line itself win. */
export function loggerWithFields(logger: Logger, fields: Readonly<Record<string, unknown>>): Logger {
  return {
    debug: (message, more) => logger.debug(message, { ...fields, ...more }),
    info: (message, more) => logger.info(message, { ...fields, ...more }),
    warn: (message, more) => logger.warn(message, { ...fields, ...more }),
    error: (message, more) => logger.error(message, { ...fields, ...more }),
  };
}
