import type { JsonObject } from '../../core/json';
import type { PublishedAgent } from '../../core/ports/worker-store';
import { jsonText } from './json-text';
import { readClockMs, type Scope, type StoreDatabase } from './store-database';

/** See `WorkerStore.publishAgents`. */
export function publishAgents(
  database: StoreDatabase,
  agents: readonly PublishedAgent[],
  tenant: string,
): Promise<void> {
  return database.write(async (scope) => {
    if (agents.length === 0) {
      return;
    }
    const publishedMs = await nextPublishedMs(scope, tenant);
    await scope.tx
      .insertInto('agent_versions')
      .values(
        agents.map(({ name, digest, definition }) => ({
          tenant,
          name,
          digest,
          definition: jsonText(definition),
          published_ms: publishedMs,
        })),
      )
      .onConflict((conflicting) =>
        conflicting.columns(['tenant', 'name', 'digest']).doUpdateSet({ published_ms: publishedMs }),
      )
      .execute();
  });
}

/** See `GatewayStore.listAgents`. */
export function listAgents(database: StoreDatabase, tenant: string): Promise<readonly PublishedAgent[]> {
  return database.read(async ({ tx }) => {
    const rows = await tx
      .selectFrom('agent_versions')
      .select(['name', 'digest', 'definition'])
      .where('tenant', '=', tenant)
      .where(({ eb, selectFrom }) =>
        eb(
          'published_ms',
          '=',
          selectFrom('agent_versions as newer')
            .select(({ fn }) => fn.max('newer.published_ms').as('newest'))
            .where('newer.tenant', '=', tenant)
            .whereRef('newer.name', '=', 'agent_versions.name'),
        ),
      )
      .orderBy('name')
      .execute();
    return rows.map(({ name, digest, definition }) => ({
      name,
      digest,
      definition: JSON.parse(definition) as JsonObject,
    }));
  });
}

/** The store's time, but later than every earlier publication: two within one millisecond keep their order. */
async function nextPublishedMs(scope: Scope, tenant: string): Promise<number> {
  const latest = await scope.tx
    .selectFrom('agent_versions')
    .select(({ fn }) => fn.max('published_ms').as('published'))
    .where('tenant', '=', tenant)
    .executeTakeFirst();
  return Math.max(await readClockMs(scope), (latest?.published ?? 0) + 1);
}
