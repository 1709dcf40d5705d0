/**
 * Store of another thread, as a host has it. One thread has the store open; the hosts of all others ask it, so that heads,
 * names that are occupied and forks are judged in one place, as for several hosts on one store.
 */
import type {
  BlobBound,
  BlobBounds,
  BlobClaim,
  BlobHash,
  BlobStore,
  BlobUrls,
  ByteRange,
  Images,
  NodeLog,
  RoomId,
  Segment,
  Store,
} from '@weft/core';
import { type Answers, type Loan, type Wire, ownBytes } from './wire.js';

/** Store that is open at the other end of the wire, and stays open when a host closes this one. */
export function remoteStore(wire: Wire): Store {
  return {
    log: remoteLog(wire),
    blobs: remoteBlobs(wire),
    images: remoteImages(wire),
    open: () => Promise.resolve(),
    authoritySeed: () => wire.call('store.authoritySeed'),
    free: () => wire.call('store.free'),
    close: () => Promise.resolve(),
  };
}

function remoteLog(wire: Wire): NodeLog {
  const stream = async function* <T>(what: string, ...args: readonly unknown[]): AsyncGenerator<T> {
    yield* wire.borrow<T>(await wire.call<Loan>(what, ...args));
  };
  return {
    head: (room) => wire.call('log.head', room),
    append: (room, head, batch) => wire.call('log.append', room, head, ownSegment(batch)),
    appendAll: (room, head, records) => wire.call('log.appendAll', room, head, records.map(ownSegment)),
    merge: (room, from, segment, head) => wire.call('log.merge', room, from, ownSegment(segment), head),
    fork: (room, origin, record) => wire.call('log.fork', room, origin, ownSegment(record)),
    begin: (room, records, origin) => wire.call('log.begin', room, records.map(ownSegment), origin),
    async occupy(room) {
      const id = await wire.call<number>('log.occupy', room);
      return () => wire.tell('log.leave', id);
    },
    remove: (room, tombstone) => wire.call('log.remove', room, ownBytes(tombstone)),
    remains: (room) => wire.call('log.remains', room),
    unbar: (room) => wire.call('log.unbar', room),
    reclaim: () => wire.call('log.reclaim'),
    origin: (room) => wire.call('log.origin', room),
    forks: (room) => stream('log.forks', room),
    read: (room, from) => stream('log.read', room, from),
    rooms: () => stream('log.rooms'),
    size: (room) => wire.call('log.size', room),
  };
}

function remoteImages(wire: Wire): Images {
  return {
    put: (room, bytes) => wire.call('images.put', room, bytes.map(ownBytes)),
    get: (room) => wire.call('images.get', room),
    remove: (room) => wire.call('images.remove', room),
  };
}

function remoteBlobs(wire: Wire): BlobStore {
  const stream = async function* <T>(what: string, ...args: readonly unknown[]): AsyncGenerator<T> {
    yield* wire.borrow<T>(await wire.call<Loan>(what, ...args));
  };
  return {
    put: (hash, bytes, limit) => wire.call('blobs.put', hash, wire.lend(bytes, { oneByOne: true }), limit),
    async get(hash, range) {
      const size = await wire.call<number | undefined>('blobs.size', hash);
      // Nothing is held open before the first chunk is asked for.
      return size === undefined ? undefined : { size, bytes: stream('blobs.get', hash, range) };
    },
    size: (hash) => wire.call('blobs.size', hash),
    delete: (hash) => wire.call('blobs.delete', hash),
    all: () => stream('blobs.all'),
    stage: (room, hash, contentType, by) => wire.call('blobs.stage', room, hash, contentType, by),
    contentType: (room, hash) => wire.call('blobs.contentType', room, hash),
    isStaged: (room, hash) => wire.call('blobs.isStaged', room, hash),
    link: (room, hash, by) => wire.call('blobs.link', room, hash, by),
    async reserve(claim, bounds) {
      const answer = await wire.call<number | BlobBound>('blobs.reserve', claim, bounds);
      return typeof answer === 'number' ? { leave: () => wire.tell('blobs.leave', answer) } : { lacks: answer };
    },
    stored: () => wire.call('blobs.stored'),
    isLinked: (room, hash) => wire.call('blobs.isLinked', room, hash),
    linked: (room) => stream('blobs.linked', room),
    rooms: () => stream('blobs.rooms'),
    unlink: (room, hash, idleMs) => wire.call('blobs.unlink', room, hash, idleMs),
    release: (room, idleMs) => wire.call('blobs.release', room, idleMs),
    unlinked: (idleMs) => stream('blobs.unlinked', idleMs),
    collect: (hash, idleMs) => wire.call('blobs.collect', hash, idleMs),
  };
}

/** Links to blobs that the other thread signs: it has the listener that they lead to. */
export function remoteBlobUrls(wire: Wire): BlobUrls {
  return {
    forPut: (room, hash, size, details) => wire.call('urls.forPut', room, hash, size, details),
    claim: (room, hash, by) => wire.call('urls.claim', room, hash, by),
    forGet: (room, hash) => wire.call('urls.forGet', room, hash),
  };
}

/** Answers of the thread that has the store open, over the wire to the thread that asks. */
export function storeAnswers(store: Store, wire: Wire): Answers {
  const occupied = new Map<number, () => void>();
  const reserved = new Map<number, () => void>();
  let next = 0;
  const { log, images, blobs } = store;
  const lent = (items: AsyncIterable<unknown>): Loan => wire.lend(items);
  return {
    'store.authoritySeed': () => store.authoritySeed(),
    'store.free': () => store.free?.() ?? Promise.resolve(Number.POSITIVE_INFINITY),
    'log.head': (room: RoomId) => log.head(room),
    'log.append': (room: RoomId, head: number, batch: Segment) => log.append(room, head, batch),
    'log.appendAll': (room: RoomId, head: number, records: readonly Segment[]) => log.appendAll(room, head, records),
    'log.merge': (room: RoomId, from: number, segment: Segment, head?: number) => log.merge(room, from, segment, head),
    'log.fork': (...args: Parameters<NodeLog['fork']>) => log.fork(...args),
    'log.begin': (...args: Parameters<NodeLog['begin']>) => log.begin(...args),
    'log.occupy': async (room: RoomId) => {
      const leave = await log.occupy(room);
      occupied.set(next, leave);
      return next++;
    },
    'log.leave': (id: number) => {
      occupied.get(id)?.();
      occupied.delete(id);
    },
    'log.remove': (room: RoomId, tombstone: Uint8Array) => log.remove(room, tombstone),
    'log.remains': (room: RoomId) => log.remains(room),
    'log.unbar': (room: RoomId) => log.unbar(room),
    'log.reclaim': () => log.reclaim(),
    'log.origin': (room: RoomId) => log.origin(room),
    'log.forks': (room: RoomId) => lent(log.forks(room)),
    'log.read': (room: RoomId, from: number) => lent(log.read(room, from)),
    'log.rooms': () => lent(log.rooms()),
    'log.size': (room: RoomId) => log.size(room),
    'images.put': (room: RoomId, bytes: readonly Uint8Array[]) => images.put(room, bytes),
    'images.get': (room: RoomId) => images.get(room),
    'images.remove': (room: RoomId) => images.remove(room),
    'blobs.put': (hash: BlobHash, bytes: Loan, limit: number) => blobs.put(hash, wire.borrow(bytes), limit),
    'blobs.get': async (hash: BlobHash, range?: ByteRange) => lent((await blobs.get(hash, range))?.bytes ?? nothing()),
    'blobs.size': (hash: BlobHash) => blobs.size(hash),
    'blobs.delete': (hash: BlobHash) => blobs.delete(hash),
    'blobs.all': () => lent(blobs.all()),
    'blobs.stage': (...args: Parameters<BlobStore['stage']>) => blobs.stage(...args),
    'blobs.contentType': (room: RoomId, hash: BlobHash) => blobs.contentType(room, hash),
    'blobs.isStaged': (room: RoomId, hash: BlobHash) => blobs.isStaged(room, hash),
    'blobs.link': (...args: Parameters<BlobStore['link']>) => blobs.link(...args),
    'blobs.reserve': async (claim: BlobClaim, bounds: BlobBounds): Promise<number | BlobBound> => {
      const space = await blobs.reserve(claim, bounds);
      if ('lacks' in space) return space.lacks;
      reserved.set(next, () => space.leave());
      return next++;
    },
    'blobs.leave': (id: number) => {
      reserved.get(id)?.();
      reserved.delete(id);
    },
    'blobs.stored': () => blobs.stored(),
    'blobs.isLinked': (room: RoomId, hash: BlobHash) => blobs.isLinked(room, hash),
    'blobs.linked': (room: RoomId) => lent(blobs.linked(room)),
    'blobs.rooms': () => lent(blobs.rooms()),
    'blobs.unlink': (room: RoomId, hash: BlobHash, idleMs?: number) => blobs.unlink(room, hash, idleMs),
    'blobs.release': (room: RoomId, idleMs: number) => blobs.release(room, idleMs),
    'blobs.unlinked': (idleMs: number) => lent(blobs.unlinked(idleMs)),
    'blobs.collect': (hash: BlobHash, idleMs: number) => blobs.collect(hash, idleMs),
  };
}

/** A blob that was deleted between two questions. */
async function* nothing(): AsyncGenerator<Uint8Array> {}

function ownSegment({ count, pack }: Segment): Segment {
  return { count, pack: ownBytes(pack) };
}
