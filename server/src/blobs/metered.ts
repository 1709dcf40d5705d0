/** Store that counts the bytes of blobs that go in and out, whoever asks for them. */
import type { BlobStore, RoomId, Store, Telemetry } from '@weft/core';

export function meteredStore(store: Store, telemetry: Telemetry): Store {
  let blobs: BlobStore | undefined;
  return {
    get log() {
      return store.log;
    },
    get images() {
      return store.images;
    },
    /** Blobs of the store; there once it is open. */
    get blobs() {
      return (blobs ??= meteredBlobs(store.blobs, telemetry));
    },
    open: () => store.open(),
    authoritySeed: () => store.authoritySeed(),
    ...(store.free ? { free: () => store.free?.() ?? Promise.resolve(Number.POSITIVE_INFINITY) } : {}),
    ...(store.readAhead ? { readAhead: (room: RoomId) => store.readAhead!(room) } : {}),
    close: () => store.close(),
  };
}

function meteredBlobs(blobs: BlobStore, telemetry: Telemetry): BlobStore {
  const counted = async function* (bytes: AsyncIterable<Uint8Array>, direction: string): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      telemetry.record('blob_bytes_total', chunk.length, direction);
      yield chunk;
    }
  };
  return {
    put: (hash, bytes, limit) => blobs.put(hash, counted(bytes, 'in'), limit),
    async get(hash, range) {
      const content = await blobs.get(hash, range);
      return content && { size: content.size, bytes: counted(content.bytes, 'out') };
    },
    size: (hash) => blobs.size(hash),
    delete: (hash) => blobs.delete(hash),
    all: () => blobs.all(),
    stage: (room, hash, contentType, by) => blobs.stage(room, hash, contentType, by),
    contentType: (room, hash) => blobs.contentType(room, hash),
    isStaged: (room, hash) => blobs.isStaged(room, hash),
    link: (room, hash, by) => blobs.link(room, hash, by),
    reserve: (claim, bounds) => blobs.reserve(claim, bounds),
    stored: () => blobs.stored(),
    isLinked: (room, hash) => blobs.isLinked(room, hash),
    linked: (room) => blobs.linked(room),
    rooms: () => blobs.rooms(),
    unlink: (room, hash, idleMs) => blobs.unlink(room, hash, idleMs),
    release: (room, idleMs) => blobs.release(room, idleMs),
    unlinked: (idleMs) => blobs.unlinked(idleMs),
    collect: (hash, idleMs) => blobs.collect(hash, idleMs),
  };
}
