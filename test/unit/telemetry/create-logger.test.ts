import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HoldpointError } from '../../../src/core/errors';
import { loggerWithFields } from '../../../src/core/logger-with-fields';
import type { Logger } from '../../../src/core/ports/logger';
import { createLogger, type LogLevel } from '../../../src/telemetry/create-logger';

interface Written {
  readonly logger: Logger;
  readonly lines: string[];
}

function writing(level?: LogLevel): Written {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { logger: createLogger({ name: 'worker', destination, ...(level ? { level } : {}) }), lines };
}

function lineOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { logger, lines } = writing();
  logger.info('something happened', fields);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
}

describe('createLogger', () => {
  it('writes one JSON object a line with level, time, name and message', () => {
    expect(lineOf({ sessionId: 's-1', attempt: 2, final: true, approvalId: null, absent: undefined })).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
      pid: process.pid,
      name: 'worker',
      message: 'something happened',
      sessionId: 's-1',
      attempt: 2,
      final: true,
      approvalId: null,
    });
  });

  it('writes at once to an open file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-logger-'));
    const fd = openSync(join(folder, 'log'), 'w');
    createLogger({ destination: fd }).info('something happened', { attempt: 1 });
    const written = JSON.parse(readFileSync(join(folder, 'log'), 'utf8')) as unknown;
    expect(written).toEqual({
      level: 'info',
      time: expect.any(String),
      pid: process.pid,
      message: 'something happened',
      attempt: 1,
    });
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });

  it('leaves out lines below its level', () => {
    const { logger, lines } = writing('warn');
    logger.debug('a');
    logger.info('b');
    logger.warn('c');
    logger.error('d');
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(['warn', 'error']);
    const silent = writing('silent');
    silent.logger.error('e');
    expect(silent.lines).toEqual([]);
  });

  it('shows ids, codes, times and addresses', () => {
    const fields = {
      key: 't1.r2.c3.result',
      at: '2030-01-02T03:04:05.000Z',
      address: 'http://127.0.0.1:8400',
      workflowId: 'default/s-1',
      calls: ['t1-r1-c1', 7],
    };
    expect(lineOf(fields)).toMatchObject(fields);
  });

  it('hides prose, objects and everything under the name of a text or a secret', () => {
    const line = lineOf({
      reason: 'the customer said so',
      nested: { a: 1 },
      content: 'hello',
      arguments: ['x'],
      apiKey: 'abc',
      attemptToken: 'abc',
      authorization: 'abc',
      note: 'line\nbreak',
      long: 'x'.repeat(201),
      list: ['two words', { b: 2 }],
      makes: () => 1,
    });
    expect(line).toMatchObject({
      reason: 'hidden (20 characters)',
      nested: 'hidden (object)',
      content: 'hidden (5 characters)',
      arguments: 'hidden (object)',
      apiKey: 'hidden (3 characters)',
      attemptToken: 'hidden (3 characters)',
      authorization: 'hidden (3 characters)',
      note: 'hidden (10 characters)',
      long: 'hidden (201 characters)',
      list: ['hidden (9 characters)', 'hidden (object)'],
      makes: 'hidden (function)',
    });
  });

  it('does not let a field replace what every line has', () => {
    expect(lineOf({ level: 'error', name: 'x', message: 'y', pid: 1 })).toMatchObject({
      level: 'info',
      name: 'worker',
      message: 'something happened',
      field_level: 'error',
      field_pid: 1,
    });
  });

  it('shows code, message and details of our own errors, and their causes', () => {
    const cause = Object.assign(new Error('password is hunter2'), { code: 'ECONNREFUSED' });
    const error = new HoldpointError('store_unavailable', 'The store does not answer.', { tries: 3 }, { cause });
    const line = lineOf({ error });
    expect(line['error']).toMatchObject({
      type: 'HoldpointError',
      code: 'store_unavailable',
      message: 'The store does not answer.',
      details: { tries: 3 },
      cause: { type: 'Error', code: 'ECONNREFUSED' },
    });
    expect(JSON.stringify(line)).not.toContain('hunter2');
  });

  it('shows name and frames of any other error, never its message', () => {
    const error = new TypeError('canary-1\n    canary-2\n    at canary-3 (canary.ts:1:1)');
    const line = lineOf({ error });
    expect(line['error']).toMatchObject({ type: 'TypeError', code: null });
    expect(JSON.stringify(line)).not.toContain('canary');
    expect(JSON.stringify(line)).toContain('create-logger.test.ts');
  });

  it('adds fields to each line of a logger', () => {
    const { logger, lines } = writing('debug');
    const bound = loggerWithFields(logger, { callId: 'c1', tool: 'a' });
    bound.debug('one');
    bound.info('two', { tool: 'b' });
    bound.warn('three');
    bound.error('four');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { callId: 'c1', tool: 'a' },
      { callId: 'c1', tool: 'b' },
      { callId: 'c1' },
      { callId: 'c1' },
    ]);
  });
});
