import { HoldpointError } from '../core/errors';
import type { ModelAdapter, ModelRequest } from '../core/ports/model-adapter';
import type { ScriptStep } from './script-step';

/** A model that plays a script. It keeps what it was asked, one request for each attempt. */
export interface ScriptedModel extends ModelAdapter {
  readonly requests: readonly ModelRequest[];
  /** What went wrong first: a request without a step, or what an `expectRequest` threw. Undefined while all is well. */
  readonly fault: Error | undefined;
  /**
   * Throws `fault`, or `not_as_scripted` that names the steps nobody asked for. `runAgent` calls it; call it yourself at
   * the end of a test that uses the model elsewhere.
   */
  assertDone(): void;
}

/**
 * Makes a model that answers each request with the next step. A request without a step, and one that its
 * `expectRequest` refuses, fail with `model_invalid_request`, which is never repeated and ends a turn.
 *
 * @param options `api`: the part of a model's name before the colon that it serves. Default `scripted`.
 */
export function scriptedModel(steps: readonly ScriptStep[], options: { readonly api?: string } = {}): ScriptedModel {
  const requests: ModelRequest[] = [];
  let fault: Error | undefined;
  const refuse = (cause: Error): HoldpointError => {
    fault ??= cause;
    return new HoldpointError('model_invalid_request', 'The test did not expect this request.', {}, { cause });
  };
  return {
    api: options.api ?? 'scripted',
    requests,
    get fault() {
      return fault;
    },
    assertDone: () => {
      if (fault !== undefined) {
        throw fault;
      }
      if (requests.length < steps.length) {
        throw unusedSteps(steps, requests.length);
      }
    },
    async *stream(request) {
      const step = steps[requests.length];
      requests.push(request);
      if (step === undefined) {
        throw refuse(missingStep(steps, request));
      }
      try {
        step.expectRequest?.(request);
      } catch (error) {
        // Goes back to the test as it is, whatever it is.
        throw refuse(error as Error);
      }
      yield* step.chunks;
      if (step.error !== undefined) {
        throw step.error;
      }
    },
  };
}

/** True for a model that can say whether its script was played. */
export function isScriptedModel(model: ModelAdapter): model is ScriptedModel {
  return 'assertDone' in model;
}

function missingStep(steps: readonly ScriptStep[], { messages }: ModelRequest): HoldpointError {
  const last = messages.at(-1)?.blocks.map((block) => {
    switch (block.type) {
      case 'text':
        return block.text;
      case 'tool-result':
        return `result of ${block.name}: ${block.text}`;
      default:
        return block.type;
    }
  });
  return new HoldpointError(
    'not_as_scripted',
    [
      `The model was asked ${steps.length + 1} times, but the script has ${counted(steps.length)}.`,
      'Last message of the request that no step answers:',
      ...(last ?? ['(none)']).map((line) => `  ${line}`),
      ...listed('The script:', steps, 0),
    ].join('\n'),
  );
}

function unusedSteps(steps: readonly ScriptStep[], used: number): HoldpointError {
  const unused = steps.slice(used);
  const are = unused.length === 1 ? 'was' : 'were';
  return new HoldpointError(
    'not_as_scripted',
    [
      `${unused.length} of ${counted(steps.length)} of the script ${are} not used: the model was asked ${used} times.`,
      ...listed('Not used:', unused, used),
    ].join('\n'),
  );
}

function listed(heading: string, steps: readonly ScriptStep[], before: number): readonly string[] {
  return steps.length === 0 ? [] : [heading, ...steps.map(({ title }, index) => `  ${before + index + 1}. ${title}`)];
}

function counted(count: number): string {
  return count === 1 ? '1 step' : `${count} steps`;
}
