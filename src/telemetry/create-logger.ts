import pino from 'pino';
import type { Logger } from '../core/ports/logger';
import { loggableFields } from './loggable-fields';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Where lines go; each call gets one line of JSON with its line end. */
export interface LogDestination {
  write(line: string): void;
}

export interface LoggerOptions {
  /** Which part of holdpoint speaks, for example `worker`. Default: not said. */
  readonly name?: string;
  /** Lines below it are not written. Default `info`. */
  readonly level?: LogLevel;
  /** A sink, or an open file descriptor that is written at once. Default: standard output. */
  readonly destination?: LogDestination | number;
}

/**
 * A logger that writes one JSON object a line: `level`, `time` (ISO), `pid`, `name`, `message` and the fields of the
 * line. Fields are redacted by construction, see `loggableFields`; messages are constants of the source, never made of
 * data.
 */
export function createLogger(options: LoggerOptions): Logger {
  const settings: pino.LoggerOptions = {
    level: options.level ?? 'info',
    base: { pid: process.pid, ...(options.name === undefined ? {} : { name: options.name }) },
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  const { destination = 1 } = options;
  const lines = pino(
    settings,
    typeof destination === 'number' ? pino.destination({ fd: destination, sync: true }) : destination,
  );
  return {
    debug: (message, fields = {}) => lines.debug(loggableFields(fields), message),
    info: (message, fields = {}) => lines.info(loggableFields(fields), message),
    warn: (message, fields = {}) => lines.warn(loggableFields(fields), message),
    error: (message, fields = {}) => lines.error(loggableFields(fields), message),
  };
}
