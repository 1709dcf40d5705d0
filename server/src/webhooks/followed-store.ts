/** Store that tells which rooms have changed: each way by which a log begins, grows or goes away passes here. */
import type { NodeLog, RoomId, Store } from '@weft/core';

export interface FollowedStore {
  readonly store: Store;
  /** Calls a listener with each room whose log has changed, from now on. */
  onChange(listener: (room: RoomId) => void): void;
}

export function followedStore(bare: Store): FollowedStore {
  const listeners: ((room: RoomId) => void)[] = [];
  const changed = (room: RoomId): void => listeners.forEach((listener) => listener(room));
  return { store: telling(bare, changed), onChange: (listener) => void listeners.push(listener) };
}

function telling(store: Store, changed: (room: RoomId) => void): Store {
  let log: NodeLog | undefined;
  return {
    get log() {
      return (log ??= followedLog(store.log, changed));
    },
    get images() {
      return store.images;
    },
    get blobs() {
      return store.blobs;
    },
    open: () => store.open(),
    authoritySeed: () => store.authoritySeed(),
    ...(store.free ? { free: () => store.free?.() ?? Promise.resolve(Number.POSITIVE_INFINITY) } : {}),
    ...(store.readAhead ? { readAhead: (room: RoomId) => store.readAhead!(room) } : {}),
    close: () => store.close(),
  };
}

function followedLog(log: NodeLog, changed: (room: RoomId) => void): NodeLog {
  const told = async <T>(room: RoomId, done: Promise<T>): Promise<T> => {
    const result = await done;
    changed(room);
    return result;
  };
  return {
    append: (room, expectedHead, batch) => told(room, log.append(room, expectedHead, batch)),
    appendAll: (room, expectedHead, records) => told(room, log.appendAll(room, expectedHead, records)),
    fork: (room, origin, record) => told(room, log.fork(room, origin, record)),
    begin: (room, records, origin) => told(room, log.begin(room, records, origin)),
    remove: (room, tombstone) => told(room, log.remove(room, tombstone)),
    head: (room) => log.head(room),
    merge: (room, from, segment, head) => log.merge(room, from, segment, head),
    occupy: (room) => log.occupy(room),
    remains: (room) => log.remains(room),
    unbar: (room) => log.unbar(room),
    reclaim: () => log.reclaim(),
    origin: (room) => log.origin(room),
    forks: (room) => log.forks(room),
    read: (room, fromSeq) => log.read(room, fromSeq),
    rooms: () => log.rooms(),
    size: (room) => log.size(room),
  };
}
