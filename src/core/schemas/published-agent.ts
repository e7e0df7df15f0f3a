import { z } from 'zod';

const publishedTool = z.object({
  name: z.string(),
  description: z.string().catch(''),
  parameters: z.record(z.string(), z.json()).catch({}),
  effect: z.enum(['read', 'write']).catch('write'),
  risk: z.enum(['low', 'medium', 'high']).catch('high'),
  idempotent: z.boolean().catch(false),
  version: z.string().catch(''),
  timeoutMs: z.number().catch(0),
  digest: z.string().catch(''),
});

/**
 * What gateways show of a published agent. A worker of another version may have published it, so what is missing is
 * filled in, on the careful side, and what is not known is left out.
 */
export const publishedAgent = z.object({
  model: z.string().catch(''),
  limits: z.record(z.string(), z.number()).catch({}),
  tools: z.array(publishedTool).catch([]),
});
