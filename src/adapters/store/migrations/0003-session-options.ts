import type { Kysely } from 'kysely';

/** What a session is started with, and whether somebody outside starts it. Sessions from before are conversations. */
export async function sessionOptions({ schema }: Kysely<unknown>): Promise<void> {
  // One column each: SQLite adds no more at a time.
  await schema
    .alterTable('sessions')
    .addColumn('mode', 'text', (column) => column.notNull().defaultTo('conversation'))
    .execute();
  await schema.alterTable('sessions').addColumn('limits', 'text').execute();
  await schema.alterTable('sessions').addColumn('metadata', 'text').execute();
  await schema
    .alterTable('sessions')
    .addColumn('announced', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
