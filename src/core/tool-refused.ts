/**
 * Thrown by a tool to say no in words the model may read: what was wrong and what to try instead. The text of every
 * other error stays in the log. Put no secret and nothing of another tenant into it.
 */
export class ToolRefused extends Error {
  override readonly name = 'ToolRefused';
}

/** True for a refusal, also when it was made by a second copy of this module, as a project's own tools may load one. */
export function isToolRefused(error: unknown): error is ToolRefused {
  return error instanceof Error && error.name === 'ToolRefused';
}
