/**
 * Images of rooms in pieces, each room's replaced in one transaction, or as cold objects. One that is not what was put counts as none.
 */
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';
import { concatBytes } from '../../codec/bytes/bytes.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { Images } from '../../ports/store.js';
import { ColdDamage, hashOf } from './cold-objects.js';
import type { Connection } from './connections.js';
import type { Database } from './database.js';
import type { OtherPlaces } from './log-reader.js';

const PIECE_BYTES = 1024 * 1024;

export class PostgresImages implements Images {
  readonly #database: Database;
  readonly #places: OtherPlaces;
  readonly #puts = new KeyedMutex<RoomId>();

  constructor(database: Database, places: OtherPlaces) {
    [this.#database, this.#places] = [database, places];
  }

  put(room: RoomId, pieces: readonly Uint8Array[]): Promise<void> {
    const bytes = concatBytes(pieces);
    return this.#puts.take(room, () =>
      this.#database.write(`write the image of room ${room}`, async (connection) => {
        await connection.query('DELETE FROM weft.image WHERE room = $1', [room]);
        await writePieces(connection, room, bytes);
      }),
    );
  }

  async get(room: RoomId): Promise<Uint8Array | undefined> {
    return (await this.#copied(room)) ?? (await this.#own(room));
  }

  /** From the read replica, where there is one and it has the image that is the room's now. */
  async #copied(room: RoomId): Promise<Uint8Array | undefined> {
    const { readReplica } = this.#places;
    if (!readReplica) return undefined;
    const [now] = await this.#database.read<{ hash: string }>(
      `read the image of room ${room}`,
      `SELECT encode(hash, 'hex') AS hash FROM weft.image WHERE room = $1 AND piece = 0 AND cold IS NULL`,
      [room],
    );
    return now && readReplica.image(room, now.hash);
  }

  async #own(room: RoomId): Promise<Uint8Array | undefined> {
    const rows = await this.#database.read<{ hash: string; bytes: Buffer | null; cold: string | null }>(
      `read the image of room ${room}`,
      `SELECT encode(hash, 'hex') AS hash, bytes, cold FROM weft.image WHERE room = $1 ORDER BY piece`,
      [room],
    );
    const [first] = rows;
    if (!first) return undefined;
    if (first.cold !== null) return this.#coldImage(first.cold, first.hash);
    const image = concatBytes(rows.map(({ bytes }) => bytes ?? new Uint8Array()));
    this.#places.readReplica?.missed(image.length);
    return hashOf(image) === first.hash ? image : undefined;
  }

  async #coldImage(name: string, hash: string): Promise<Uint8Array | undefined> {
    try {
      return (await this.#places.cold?.read(name, hash))?.slice(); // it may be changed by who gets it
    } catch (error) {
      if (error instanceof ColdDamage) return undefined; // like any other image that is damaged
      throw error;
    }
  }

  async remove(room: RoomId): Promise<void> {
    await this.#puts.take(room, () =>
      this.#database.write(`remove the image of room ${room}`, (connection) =>
        connection.query('DELETE FROM weft.image WHERE room = $1', [room]),
      ),
    );
  }
}

/** Pieces of an image of a room that has none. */
export async function writePieces(connection: Connection, room: RoomId, image: Uint8Array): Promise<void> {
  const bytes = Buffer.from(image);
  const hash = Buffer.from(hashOf(bytes), 'hex');
  for (let at = 0, piece = 0; at === 0 || at < bytes.length; at += PIECE_BYTES, piece++)
    await connection.query('INSERT INTO weft.image (room, piece, hash, bytes) VALUES ($1, $2, $3, $4)', [
      room,
      piece,
      hash,
      bytes.subarray(at, at + PIECE_BYTES),
    ]);
}
