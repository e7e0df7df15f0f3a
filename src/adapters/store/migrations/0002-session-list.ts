import type { Kysely } from 'kysely';

/** Sessions are listed by the time they were made, page by page. */
export async function sessionList({ schema }: Kysely<unknown>): Promise<void> {
  await schema.createIndex('sessions_made').on('sessions').columns(['tenant', 'created_at', 'session']).execute();
}
