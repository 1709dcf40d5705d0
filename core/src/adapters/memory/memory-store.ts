/** A store that lives and dies with the process: for tests, previews and rooms that need no disk. */
import type { RoomId } from '../../graph/room-id.js';
import type { AppendResult, LogRecord, NodeLog, Store } from '../../ports/store.js';
import { MemoryBlobs } from './memory-blobs.js';

export interface MemoryStoreOptions {
  /** The most that all blobs together may have. */
  readonly blobBytes?: number;
}

const BLOB_BYTES = 256 * 1024 * 1024;

export function memoryStore({ blobBytes = BLOB_BYTES }: MemoryStoreOptions = {}): Store {
  const log = new MemoryLog();
  const seed = globalThis.crypto.getRandomValues(new Uint8Array(32));
  return {
    log,
    blobs: new MemoryBlobs(blobBytes),
    open: () => Promise.resolve(),
    authoritySeed: () => Promise.resolve(seed),
    close: () => Promise.resolve(),
  };
}

class MemoryLog implements NodeLog {
  readonly #rooms = new Map<RoomId, LogRecord[]>();

  head(room: RoomId): Promise<number> {
    return Promise.resolve(endOf(this.#rooms.get(room)));
  }

  append(room: RoomId, expectedHead: number, batch: { count: number; pack: Uint8Array }): Promise<AppendResult> {
    const records = this.#rooms.get(room) ?? [];
    const head = endOf(records);
    if (head !== expectedHead) return Promise.resolve({ movedTo: head });
    records.push({ seq: head, count: batch.count, pack: new Uint8Array(batch.pack) });
    this.#rooms.set(room, records);
    return Promise.resolve({ seq: head });
  }

  async *read(room: RoomId, fromSeq: number): AsyncGenerator<LogRecord> {
    for (const record of this.#rooms.get(room) ?? []) {
      if (record.seq + record.count > fromSeq) yield record;
    }
  }

  async *rooms(): AsyncGenerator<RoomId> {
    yield* [...this.#rooms.keys()].sort();
  }
}

function endOf(records: readonly LogRecord[] | undefined): number {
  const last = records?.at(-1);
  return last ? last.seq + last.count : 0;
}
