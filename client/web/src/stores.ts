/**
 * Stores: what a view shows of a room, and when it is another. One contract that React, Svelte, Vue and Solid are bound to;
 * values are frozen and stay the same object until they change.
 */
import type { ConcurrentValue, HeldEdit, Undo, UndoOptions } from '@weft/core/client';
import type { Other } from './presence.js';
import type { Room, RoomStatus } from './room.js';
import { createUndo } from './undo.js';
import type { ItemAt, ListKey, PresenceOf, TextKey, ValueAt, ValueKey } from './types.js';

export interface Store<T> {
  /** One object until something of it changes. */
  get(): T;
  /** Called when `get` answers another one. Answers what ends it. */
  subscribe(changed: () => void): () => void;
}

/** Whether views stay: a server renders once, and nobody would end what it listens to. */
export const IN_PAGE = typeof document !== 'undefined';

export function valueStore<Shape, Key extends ValueKey<Shape>>(
  room: Room<Shape>,
  key: Key,
): Store<ValueAt<Shape, Key> | undefined> {
  return storeOf(
    room,
    () => room.get(key),
    (changed) => room.observe(key, changed),
  );
}

export function entriesStore<Shape, Prefix extends string>(
  room: Room<Shape>,
  prefix: Prefix,
): Store<Readonly<Record<string, ValueAt<Shape, `${Prefix}${string}`>>>> {
  return storeOf(
    room,
    () => room.entries(prefix),
    (changed) => room.observe({ prefix }, changed),
  );
}

export function itemsStore<Shape, Key extends ListKey<Shape>>(
  room: Room<Shape>,
  key: Key,
): Store<readonly ItemAt<Shape, Key>[]> {
  return storeOf(
    room,
    () => room.items(key),
    (changed) => room.observe(key, changed),
  );
}

export function textStore<Shape>(room: Room<Shape>, key: TextKey<Shape>): Store<string> {
  return storeOf(
    room,
    () => room.textOf(key),
    (changed) => room.observe(key, changed),
  );
}

/** The room itself as what is read of it; told of whenever anything has changed, for whoever compares what was read. */
export function docStore<Shape>(room: Room<Shape>): Store<Room<Shape>> {
  return {
    get: () => room,
    subscribe: (changed) => whenReady(room, () => room.observe({ prefix: '' }, changed), changed),
  };
}

const NOBODY: readonly never[] = [];

/** The others in the room, with what they show. */
export function othersStore<Shape>(room: Room<Shape>): Store<readonly Other<PresenceOf<Shape>>[]> {
  return storeOf(
    room,
    () => (room.isReady ? room.presence.others : NOBODY),
    (changed) => room.presence.onChange(changed),
  );
}

export function statusStore<Shape>(room: Room<Shape>): Store<RoomStatus> {
  return { get: () => room.status, subscribe: (changed) => room.onStatus(changed) };
}

/** Values of a key whose authors did not know of each other; none where nobody disagrees. */
export function conflictsStore<Shape>(room: Room<Shape>, key: ValueKey<Shape>): Store<readonly ConcurrentValue[]> {
  let last: readonly ConcurrentValue[] = NOBODY;
  const get = (): readonly ConcurrentValue[] => {
    const now = room.conflicts(key);
    const isSame = now.length === last.length && now.every(({ node }, i) => node === last[i]?.node);
    return isSame ? last : (last = now);
  };
  return storeOf(room, get, (changed) => {
    // What lost changes no value.
    const ends = [room.observe(key, changed), room.client.onChange(changed)];
    return () => ends.forEach((end) => end());
  });
}

/** Edits that were refused, and what one does with each. */
export interface RefusedState {
  readonly held: readonly HeldEdit[];
  retry(held: HeldEdit): Promise<void>;
  discard(held: HeldEdit): Promise<void>;
}

export function refusedStore<Shape>(room: Room<Shape>): Store<RefusedState> {
  const stateOf = (held: readonly HeldEdit[]): RefusedState => ({
    held,
    retry: (one) => room.retry(one),
    discard: (one) => room.discard(one),
  });
  let state = stateOf(room.refused);
  const get = (): RefusedState => (state.held === room.refused ? state : (state = stateOf(room.refused)));
  return { get, subscribe: (changed) => room.onStatus(whenNew(get, changed)) };
}

/** What of one's own edits can be taken back and done again. */
export interface UndoState {
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  undo(): boolean;
  redo(): boolean;
}

/** Undo of keys; it remembers from its first subscriber to its last. */
export function undoStore<Shape>(room: Room<Shape>, options: UndoOptions): Store<UndoState> {
  let undo: Undo | undefined;
  let subscribers = 0;
  const turns = { undo: () => undo?.undo() ?? false, redo: () => undo?.redo() ?? false };
  let state: UndoState = { canUndo: false, canRedo: false, ...turns };
  const get = (): UndoState => {
    const [canUndo, canRedo] = [undo?.canUndo ?? false, undo?.canRedo ?? false];
    if (canUndo !== state.canUndo || canRedo !== state.canRedo) state = { canUndo, canRedo, ...turns };
    return state;
  };
  return storeOf(room, get, (changed) => {
    subscribers++;
    const kept = (undo ??= createUndo(room, options));
    const ends = [kept.onAdded(changed), kept.onPopped(changed)];
    for (const key of options.keys) ends.push(room.observe(key, changed));
    return () => {
      for (const end of ends) end();
      if (--subscribers > 0) return;
      kept.close();
      undo = undefined;
    };
  });
}

function storeOf<Shape, T>(room: Room<Shape>, get: () => T, watch: (changed: () => void) => () => void): Store<T> {
  return {
    get,
    subscribe(changed) {
      const look = whenNew(get, changed);
      return whenReady(room, () => watch(look), look);
    },
  };
}

/** A room can be watched once it is ready; that it is may be the first change. */
function whenReady<Shape>(room: Room<Shape>, watch: () => () => void, changed: () => void): () => void {
  if (room.isReady) return watch();
  let end: (() => void) | undefined;
  let isOver = false;
  const begin = (): void => {
    if (isOver) return;
    end = watch();
    changed();
  };
  room.ready.then(begin, () => undefined); // the status says so
  return () => {
    isOver = true;
    end?.();
  };
}

/** Asks again, and tells when the answer is another one. */
function whenNew<T>(get: () => T, changed: () => void): () => void {
  let last = get();
  return () => {
    const now = get();
    if (Object.is(now, last)) return;
    last = now;
    changed();
  };
}
