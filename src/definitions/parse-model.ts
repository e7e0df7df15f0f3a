const MODEL = /^([a-z][a-z0-9-]*):(\S{1,200})$/;

/** The rule in words, for faults. */
export const MODEL_RULE = '<api>:<model>, for example mock:workspace';

/** Splits `<api>:<model>` at the first colon, since model names may hold more of them. Undefined for another form. */
export function parseModel(text: unknown): { readonly api: string; readonly name: string } | undefined {
  const match = typeof text === 'string' ? MODEL.exec(text) : null;
  const [, api, name] = match ?? [];
  return api !== undefined && name !== undefined ? { api, name } : undefined;
}
