/** Inventory of blobs as two tables: which room has which, and what each weighs for whom. Sums are the database's, for all processes. */
import type { BlobHash } from '../../codec/bytes/blob-hash.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { BlobInventory, InventoryEntry, InventoryWeight } from '../blob-inventory.js';
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

  async weight(room: RoomId, hash: BlobHash): Promise<InventoryWeight | undefined> {
    const rows = await this.#database.read<{ size: string; by: string | null }>(
      READ,
      'SELECT size, brought_by AS by FROM weft.blob_weight WHERE room = $1 AND hash = $2',
      [room, hash],
    );
    const [found] = rows;
    return found && { size: Number(found.size), by: found.by ?? undefined };
  }

  async enter(
    room: RoomId,
    hash: BlobHash,
    { linked, at, contentType }: InventoryEntry,
    { size, by }: InventoryWeight,
  ): Promise<void> {
    await this.#write(
      `WITH weight AS (
         INSERT INTO weft.blob_weight (room, hash, size, brought_by) VALUES ($1, $2, $6, $7)
         ON CONFLICT (room, hash) DO UPDATE SET size = EXCLUDED.size, brought_by = EXCLUDED.brought_by)
       INSERT INTO weft.blob_entry (room, hash, linked, at, content_type) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (room, hash) DO UPDATE SET
         linked = EXCLUDED.linked, at = EXCLUDED.at, content_type = EXCLUDED.content_type`,
      [room, hash, linked, at, contentType, size, by],
    );
  }

  async remove(room: RoomId, hash: BlobHash): Promise<void> {
    await this.#removeWhere('room = $1 AND hash = $2', [room, hash]);
  }

  async removeAll(hash: BlobHash): Promise<void> {
    await this.#removeWhere('hash = $1', [hash]);
  }

  async #removeWhere(which: string, values: readonly unknown[]): Promise<void> {
    const weights = `WITH weight AS (DELETE FROM weft.blob_weight WHERE ${which})`;
    await this.#write(`${weights} DELETE FROM weft.blob_entry WHERE ${which}`, values);
  }

  async ofRoom(room: RoomId): Promise<{ bytes: number; unweighed: readonly BlobHash[] }> {
    const rows = await this.#database.read<{ bytes: string; unweighed: BlobHash[] | null }>(
      READ,
      `SELECT coalesce(sum(weight.size), 0) AS bytes,
         array_agg(entry.hash::text) FILTER (WHERE weight.hash IS NULL) AS unweighed
       FROM weft.blob_entry AS entry LEFT JOIN weft.blob_weight AS weight USING (room, hash) WHERE entry.room = $1`,
      [room],
    );
    return { bytes: Number(rows[0]?.bytes ?? 0), unweighed: rows[0]?.unweighed ?? [] };
  }

  async of(by: string): Promise<number> {
    const rows = await this.#database.read<{ bytes: string }>(
      READ,
      `SELECT coalesce(sum(size), 0) AS bytes FROM weft.blob_weight JOIN weft.blob_entry USING (room, hash)
       WHERE brought_by = $1`,
      [by],
    );
    return Number(rows[0]?.bytes ?? 0);
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
