/** Inventory of blobs as a table: which room has which. */
import type { BlobHash } from '../../codec/bytes/blob-hash.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { BlobInventory, InventoryEntry } from '../blob-inventory.js';
import type { Database } from './database.js';

/** Names that come with one answer. */
const PAGE = 1000;
const READ = 'read the inventory of blobs';

export class PostgresBlobInventory implements BlobInventory {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async entry(room: RoomId, hash: BlobHash): Promise<InventoryEntry | undefined> {
    const rows = await this.#database.read<{ linked: boolean; at: string; type: string | null }>(
      READ,
      'SELECT linked, at, content_type AS type FROM weft.blob_entry WHERE room = $1 AND hash = $2',
      [room, hash],
    );
    const [found] = rows;
    return found && { linked: found.linked, at: Number(found.at), contentType: found.type ?? undefined };
  }

  async enter(room: RoomId, hash: BlobHash, { linked, at, contentType }: InventoryEntry): Promise<void> {
    await this.#write(
      `INSERT INTO weft.blob_entry (room, hash, linked, at, content_type) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (room, hash) DO UPDATE SET
         linked = EXCLUDED.linked, at = EXCLUDED.at, content_type = EXCLUDED.content_type`,
      [room, hash, linked, at, contentType],
    );
  }

  async remove(room: RoomId, hash: BlobHash): Promise<void> {
    await this.#write('DELETE FROM weft.blob_entry WHERE room = $1 AND hash = $2', [room, hash]);
  }

  async removeAll(hash: BlobHash): Promise<void> {
    await this.#write('DELETE FROM weft.blob_entry WHERE hash = $1', [hash]);
  }

  linked(room: RoomId): AsyncGenerator<BlobHash> {
    return this.#listed('hash', 'room = $2 AND linked', [room]);
  }

  entered(room: RoomId): AsyncGenerator<BlobHash> {
    return this.#listed('hash', 'room = $2', [room]);
  }

  rooms(): AsyncGenerator<RoomId> {
    return this.#listed('room', 'true', []);
  }

  async isAnywhere(hash: BlobHash): Promise<boolean> {
    return this.#has('hash = $1', hash);
  }

  async isLinkedAnywhere(hash: BlobHash): Promise<boolean> {
    return this.#has('hash = $1 AND linked', hash);
  }

  async #has(which: string, hash: BlobHash): Promise<boolean> {
    const rows = await this.#database.read(READ, `SELECT FROM weft.blob_entry WHERE ${which} LIMIT 1`, [hash]);
    return rows.length > 0;
  }

  async *#listed<Name extends string>(
    column: 'room' | 'hash',
    which: string,
    values: readonly unknown[],
  ): AsyncGenerator<Name> {
    const text = `SELECT DISTINCT ${column} AS name FROM weft.blob_entry WHERE ${column} > $1 AND ${which}
      ORDER BY ${column} LIMIT ${PAGE}`;
    for (let last = ''; ;) {
      const rows = await this.#database.read<{ name: Name }>(READ, text, [last, ...values]);
      for (const { name } of rows) yield name;
      if (rows.length < PAGE) return;
      last = rows.at(-1)!.name;
    }
  }

  async #write(text: string, values: readonly unknown[]): Promise<void> {
    await this.#database.write('write the inventory of blobs', (connection) => connection.query(text, values));
  }
}
