import { digestOf } from '../digests/digest-of';
import type { ToolDefinition } from './define-tool';

/**
 * The digest an approval is bound to; base64url, 43 characters. It covers what a tool promises: name, schema (with the
 * descriptions of its parameters, since they say what a value means), effect, risk, idempotent and version. It does not
 * cover the tool's description or its code: raise `version` when the meaning changes and nothing else does.
 */
export function toolDigest(definition: ToolDefinition): string {
  const { name, parametersSchema, effect, risk, idempotent, version } = definition;
  return digestOf(['holdpoint.tool.v1', name, parametersSchema, effect, risk, idempotent, version]);
}
