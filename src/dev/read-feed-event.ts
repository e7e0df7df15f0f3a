import { isId, type SessionId, type Tenant } from '../core/ids';
import { isRecord } from '../core/json';
import type { ChunkEvent, FeedChunk, FeedEvent, StepEvent, StepStatus } from '../core/ports/feed';

type Fields = Readonly<Record<string, unknown>>;

/** `t1.r2` or a call id; either is much shorter. */
const STEP_PATTERN = /^[A-Za-z0-9._-]{1,100}$/;
const MAX_STATUS_CHARACTERS = 500;

/** A feed event made of what another process sent, with the fields of its kind and no others; undefined for anything else. */
export function readFeedEvent(value: unknown): FeedEvent | undefined {
  if (!isRecord(value) || !isId(value['tenant']) || !isId(value['sessionId'])) {
    return undefined;
  }
  const key = { tenant: value['tenant'] as Tenant, sessionId: value['sessionId'] as SessionId };
  switch (value['type']) {
    case 'committed':
      return { ...key, type: 'committed' };
    case 'chunk': {
      const chunk = readChunkEvent(value);
      return chunk && { ...key, ...chunk };
    }
    case 'step': {
      const step = readStepEvent(value);
      return step && { ...key, ...step };
    }
    default:
      return undefined;
  }
}

function readChunkEvent({ turn, round, attempt, index, chunk }: Fields): ChunkEvent | undefined {
  const read = isRecord(chunk) ? readChunk(chunk) : undefined;
  return isCount(turn) && isCount(round) && isCount(attempt) && isCount(index) && read !== undefined
    ? { type: 'chunk', turn, round, attempt, index, chunk: read }
    : undefined;
}

function readChunk({ type, index, text, providerCallId, name, argumentsText }: Fields): FeedChunk | undefined {
  if (!isCount(index)) {
    return undefined;
  }
  switch (type) {
    case 'text-delta':
    case 'reasoning-delta':
      return typeof text === 'string' ? { type, index, text } : undefined;
    case 'tool-call-delta':
      return isTextOrAbsent(providerCallId) && isTextOrAbsent(name) && isTextOrAbsent(argumentsText)
        ? {
            type,
            index,
            ...(providerCallId === undefined ? {} : { providerCallId }),
            ...(name === undefined ? {} : { name }),
            ...(argumentsText === undefined ? {} : { argumentsText }),
          }
        : undefined;
    default:
      return undefined;
  }
}

/** JSON leaves out a status that is undefined: the step is over. */
function readStepEvent({ step, status }: Fields): StepEvent | undefined {
  if (typeof step !== 'string' || !STEP_PATTERN.test(step)) {
    return undefined;
  }
  if (status === undefined) {
    return { type: 'step', step, status };
  }
  const read = isRecord(status) ? readStatus(status) : undefined;
  return read && { type: 'step', step, status: read };
}

function readStatus({ turn, round, maxRounds, tool, text }: Fields): StepStatus | undefined {
  return isCount(turn) && isCount(round) && isCount(maxRounds) && (tool === null || isShort(tool)) && isShort(text)
    ? { turn, round, maxRounds, tool, text }
    : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_STATUS_CHARACTERS;
}

function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
