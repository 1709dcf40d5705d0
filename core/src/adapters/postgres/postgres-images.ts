/** Images of rooms in pieces, each room's replaced in one transaction. One that is not what was put counts as none. */
import { createHash } from 'node:crypto';
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';
import { concatBytes } from '../../codec/bytes/bytes.js';
import type { RoomId } from '../../graph/room-id.js';
import type { Images } from '../../ports/store.js';
import type { Database } from './database.js';

const PIECE_BYTES = 1024 * 1024;

export class PostgresImages implements Images {
  readonly #database: Database;
  readonly #puts = new KeyedMutex<RoomId>();

  constructor(database: Database) {
    this.#database = database;
  }

  put(room: RoomId, pieces: readonly Uint8Array[]): Promise<void> {
    const bytes = Buffer.from(concatBytes(pieces));
    const hash = createHash('sha256').update(bytes).digest();
    return this.#puts.take(room, () =>
      this.#database.write(`write the image of room ${room}`, async (connection) => {
        await connection.query('DELETE FROM weft.image WHERE room = $1', [room]);
        for (let at = 0, piece = 0; at === 0 || at < bytes.length; at += PIECE_BYTES, piece++)
          await connection.query('INSERT INTO weft.image (room, piece, hash, bytes) VALUES ($1, $2, $3, $4)', [
            room,
            piece,
            hash,
            bytes.subarray(at, at + PIECE_BYTES),
          ]);
      }),
    );
  }

  async get(room: RoomId): Promise<Uint8Array | undefined> {
    const rows = await this.#database.read<{ hash: Buffer; bytes: Buffer }>(
      `read the image of room ${room}`,
      'SELECT hash, bytes FROM weft.image WHERE room = $1 ORDER BY piece',
      [room],
    );
    const [first] = rows;
    if (!first) return undefined;
    const image = concatBytes(rows.map(({ bytes }) => bytes));
    return createHash('sha256').update(image).digest().equals(first.hash) ? image : undefined;
  }

  async remove(room: RoomId): Promise<void> {
    await this.#puts.take(room, () =>
      this.#database.write(`remove the image of room ${room}`, (connection) =>
        connection.query('DELETE FROM weft.image WHERE room = $1', [room]),
      ),
    );
  }
}
