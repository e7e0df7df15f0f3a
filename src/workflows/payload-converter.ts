import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

/**
 * What a payload becomes that can't be decoded. A signal that carries one is dropped and counted; with the SDK's own
 * converter it would fail the workflow task, again and again, for ever.
 */
export const UNDECODABLE = { holdpointUndecodable: true } as const;

/** The SDK's JSON converter, except that decoding never throws. Its module path goes to the bundler and the worker. */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload<Value>(payload: Payload): Value {
    try {
      return defaultPayloadConverter.fromPayload<Value>(payload);
    } catch {
      return UNDECODABLE as Value;
    }
  },
};
