/** Notes as rows of one table. */
import type { Notes } from '../../ports/notes.js';
import type { Database } from './database.js';

/** Rows that one answer brings, and that one statement writes. */
const ROWS = 5000;

export class PostgresNotes implements Notes {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async *all(prefix: string): AsyncGenerator<readonly [string, string]> {
    let after = '';
    for (;;) {
      const rows = await this.#database.read<{ name: string; text: string }>(
        'read notes',
        'SELECT name, text FROM weft.server_note WHERE starts_with(name, $1) AND name > $2 ORDER BY name LIMIT $3',
        [prefix, after, ROWS],
      );
      for (const { name, text } of rows) yield [name, text];
      if (rows.length < ROWS) return;
      after = rows.at(-1)!.name;
    }
  }

  async put(changes: ReadonlyMap<string, string | undefined>): Promise<void> {
    const [names, texts, gone]: [string[], string[], string[]] = [[], [], []];
    for (const [name, text] of changes) {
      if (text === undefined) gone.push(name);
      else [names.push(name), texts.push(text)];
    }
    await this.#database.write('write notes', async (connection) => {
      for (let at = 0; at < names.length; at += ROWS)
        await connection.query(
          `INSERT INTO weft.server_note (name, text) SELECT * FROM unnest($1::text[], $2::text[])
           ON CONFLICT (name) DO UPDATE SET text = excluded.text`,
          [names.slice(at, at + ROWS), texts.slice(at, at + ROWS)],
        );
      if (gone.length > 0) await connection.query('DELETE FROM weft.server_note WHERE name = ANY($1::text[])', [gone]);
    });
  }

  async removeAll(prefix: string): Promise<void> {
    await this.#database.write('remove notes', (connection) =>
      connection.query('DELETE FROM weft.server_note WHERE starts_with(name, $1)', [prefix]),
    );
  }
}
