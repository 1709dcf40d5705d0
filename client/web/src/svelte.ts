/** Stores for Svelte, by its store contract: `$title` shows what the room holds, and `bind:value={$title}` writes it. */
import type { UndoOptions } from '@weft/core/client';
import type { Room } from './room.js';
import * as stores from './stores.js';
import type { ListKey, TextKey, ValueAt, ValueKey } from './types.js';

/** A store that is read. */
export interface Readable<T> {
  subscribe(run: (value: T) => void): () => void;
}

/** A store that is read and written. */
export interface Writable<T, Written = T> extends Readable<T> {
  set(value: Written): void;
}

const readable = <T>(store: stores.Store<T>): Readable<T> => ({
  subscribe(run) {
    const end = store.subscribe(() => run(store.get()));
    run(store.get());
    return end;
  },
});

/** Value of a key; setting it edits the room. */
export const value = <Shape, Key extends ValueKey<Shape>>(
  room: Room<Shape>,
  key: Key,
): Writable<ValueAt<Shape, Key> | undefined, ValueAt<Shape, Key>> => ({
  ...readable(stores.valueStore(room, key)),
  set: (now) => room.set(key, now),
});

/**
 * Values whose names begin so. An object in a store is another one to Svelte whenever the store tells: go over the names in a long loop,
 * and let each component read its own `value`.
 */
export const entries = <Shape, Prefix extends string>(room: Room<Shape>, prefix: Prefix) =>
  readable(stores.entriesStore(room, prefix));
/** Items of a list. */
export const items = <Shape, Key extends ListKey<Shape>>(room: Room<Shape>, key: Key) =>
  readable(stores.itemsStore(room, key));
/** Text of a key. */
export const text = <Shape>(room: Room<Shape>, key: TextKey<Shape>) => readable(stores.textStore(room, key));
/** The others in the room, with what they show. */
export const others = <Shape>(room: Room<Shape>) => readable(stores.othersStore(room));
/** How the room stands: its connection, what is not sent yet, where it is kept. */
export const status = <Shape>(room: Room<Shape>) => readable(stores.statusStore(room));
/** Undo of keys: what can be undone, and what undoes it. */
export const undo = <Shape>(room: Room<Shape>, options: UndoOptions) => readable(stores.undoStore(room, options));
/** Values of a key whose authors did not know of each other, the one that is shown first; none where nobody disagrees. */
export const conflicts = <Shape>(room: Room<Shape>, key: ValueKey<Shape>) => readable(stores.conflictsStore(room, key));
/** Edits that the server refused, and what tries one again or discards it. */
export const refused = <Shape>(room: Room<Shape>) => readable(stores.refusedStore(room));
