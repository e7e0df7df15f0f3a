import Database from 'libsql';

/** Rows of a SQLite file, read past all of our own code. */
export function sqliteRows(path: string, query: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new Database(path);
  try {
    return database.prepare(query).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}
