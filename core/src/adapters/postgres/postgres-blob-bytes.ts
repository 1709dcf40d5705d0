/**
 * Bytes of blobs in pieces of a table. A draft's pieces are written as they come in, under a name of their own; the blob is placed
 * by one row that names them.
 */
import { randomUUID } from 'node:crypto';
import type { BlobHash } from '../../codec/bytes/blob-hash.js';
import type { BlobBytes, BlobDraft } from '../../ports/blob-bytes.js';
import { StoreError } from '../../ports/store.js';
import type { Connection } from './connections.js';
import type { Database } from './database.js';
import type { ReadReplica } from './read-replica.js';

const PIECE_BYTES = 256 * 1024;
/** Hashes that come with one answer. */
const PAGE = 1000;

export class PostgresBlobBytes implements BlobBytes {
  readonly #database: Database;
  readonly #readReplica: ReadReplica | undefined;

  constructor(database: Database, readReplica: ReadReplica | undefined) {
    [this.#database, this.#readReplica] = [database, readReplica];
  }

  async removeLeftovers(): Promise<void> {
    await this.#database.write('tidy up drafts of blobs', (connection) =>
      connection.query(
        'DELETE FROM weft.blob_piece WHERE NOT EXISTS (SELECT FROM weft.blob WHERE blob.draft = blob_piece.draft)',
      ),
    );
  }

  async draft(hash: BlobHash, bytes: AsyncIterable<Uint8Array>): Promise<BlobDraft> {
    const draft = randomUUID();
    const discard = (): Promise<void> => this.#write((connection) => removePieces(connection, draft));
    try {
      const size = await this.#writePieces(draft, bytes);
      return { size, place: () => this.#place(hash, draft, size), discard };
    } catch (error) {
      // What cannot be removed now is when the store opens.
      await discard().catch(() => undefined);
      throw error;
    }
  }

  async #writePieces(draft: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    const piece = Buffer.alloc(PIECE_BYTES);
    let [size, filled] = [0, 0];
    const flush = async (): Promise<void> => {
      if (filled === 0) return;
      const values = [draft, Math.floor((size - 1) / PIECE_BYTES), piece.subarray(0, filled)];
      // Put again without harm where its commit had no answer.
      const insert = 'INSERT INTO weft.blob_piece (draft, piece, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
      await this.#write((connection) => connection.query(insert, values));
      filled = 0;
    };
    for await (const chunk of bytes) {
      for (let read = 0; read < chunk.length;) {
        const part = chunk.subarray(read, read + PIECE_BYTES - filled);
        piece.set(part, filled);
        filled += part.length;
        size += part.length;
        read += part.length;
        if (filled === PIECE_BYTES) await flush();
      }
    }
    await flush();
    return size;
  }

  async #place(hash: BlobHash, draft: string, size: number): Promise<void> {
    await this.#write(async (connection) => {
      const { rows } = await connection.query<{ draft: string }>(
        'SELECT draft FROM weft.blob WHERE hash = $1 FOR UPDATE',
        [hash],
      );
      await connection.query(
        `INSERT INTO weft.blob (hash, draft, size, touched) VALUES ($1, $2, $3, to_timestamp($4::float8 / 1000))
         ON CONFLICT (hash) DO UPDATE SET draft = EXCLUDED.draft, size = EXCLUDED.size, touched = EXCLUDED.touched`,
        [hash, draft, size, Date.now()],
      );
      if (rows[0] && rows[0].draft !== draft) await removePieces(connection, rows[0].draft);
    });
  }

  /** A blob that is put again meanwhile has the same bytes in other pieces. */
  async *read(hash: BlobHash, from: number, to: number): AsyncGenerator<Uint8Array> {
    for (let at = from; at < to;) {
      const piece = Math.floor(at / PIECE_BYTES);
      const found = (await this.#copied(hash, piece)) ?? (await this.#own(hash, piece));
      const start = at % PIECE_BYTES;
      const bytes = found?.subarray(start, start + to - at);
      if (!bytes || bytes.length === 0)
        throw new StoreError('failed', `the blob ${hash} was removed while it was read, or is damaged`);
      yield new Uint8Array(bytes);
      at += bytes.length;
    }
  }

  /** From the read replica, where there is one, if the blob is there still. */
  async #copied(hash: BlobHash, piece: number): Promise<Buffer | undefined> {
    if (!this.#readReplica) return undefined;
    const [blob] = await this.#database.read<{ draft: string }>(
      'read a blob',
      'SELECT draft FROM weft.blob WHERE hash = $1',
      [hash],
    );
    return blob && this.#readReplica.piece(blob.draft, piece);
  }

  async #own(hash: BlobHash, piece: number): Promise<Buffer | undefined> {
    const [found] = await this.#database.read<{ bytes: Buffer }>(
      'read a blob',
      `SELECT piece.bytes FROM weft.blob JOIN weft.blob_piece AS piece USING (draft)
         WHERE blob.hash = $1 AND piece.piece = $2`,
      [hash, piece],
    );
    this.#readReplica?.missed(found?.bytes.length ?? 0);
    return found?.bytes;
  }

  async size(hash: BlobHash): Promise<number | undefined> {
    const rows = await this.#database.read<{ size: string }>(
      'read a blob',
      'SELECT size FROM weft.blob WHERE hash = $1',
      [hash],
    );
    return rows[0] && Number(rows[0].size);
  }

  async touched(hash: BlobHash): Promise<number | undefined> {
    const rows = await this.#database.read<{ touched: string }>(
      'read a blob',
      'SELECT extract(epoch FROM touched) * 1000 AS touched FROM weft.blob WHERE hash = $1',
      [hash],
    );
    return rows[0] && Math.round(Number(rows[0].touched));
  }

  async touch(hash: BlobHash): Promise<void> {
    await this.#write((connection) =>
      connection.query('UPDATE weft.blob SET touched = to_timestamp($2::float8 / 1000) WHERE hash = $1', [
        hash,
        Date.now(),
      ]),
    );
  }

  remove(hash: BlobHash): Promise<boolean> {
    let isRemoved = false;
    return this.#write(async (connection) => {
      const { rows } = await connection.query<{ draft: string }>(
        'DELETE FROM weft.blob WHERE hash = $1 RETURNING draft',
        [hash],
      );
      if (!rows[0]) return isRemoved;
      await removePieces(connection, rows[0].draft);
      return (isRemoved = true);
    });
  }

  async total(): Promise<number> {
    const text = 'SELECT coalesce(sum(size), 0) AS bytes FROM weft.blob';
    const rows = await this.#database.read<{ bytes: string }>('add up the blobs', text, []);
    return Number(rows[0]?.bytes ?? 0);
  }

  async *all(): AsyncGenerator<BlobHash> {
    for (let last = ''; ;) {
      const text = `SELECT hash FROM weft.blob WHERE hash > $1 ORDER BY hash LIMIT ${PAGE}`;
      const rows = await this.#database.read<{ hash: BlobHash }>('list the blobs', text, [last]);
      for (const { hash } of rows) yield hash;
      if (rows.length < PAGE) return;
      last = rows.at(-1)!.hash;
    }
  }

  #write<T>(task: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#database.write('write a blob', task);
  }
}

async function removePieces(connection: Connection, draft: string): Promise<void> {
  await connection.query('DELETE FROM weft.blob_piece WHERE draft = $1', [draft]);
}
