/** Stores for Svelte, by its store contract: `$title` shows what the room holds, and `bind:value={$title}` writes it. */
import type { UndoOptions } from '@weft/core/client';
import type { Room } from './room.js';
import {
  type Store,
  conflictsStore,
  entriesStore,
  itemsStore,
  othersStore,
  refusedStore,
  statusStore,
  textStore,
  undoStore,
  valueStore,
} from './stores.js';
import type { ListKey, TextKey, ValueAt, ValueKey } from './types.js';

export interface Readable<T> {
  subscribe(run: (value: T) => void): () => void;
}

export interface Writable<T, Written = T> extends Readable<T> {
  set(value: Written): void;
}

const readable = <T>(store: Store<T>): Readable<T> => ({
  subscribe(run) {
    const end = store.subscribe(() => run(store.get()));
    run(store.get());
    return end;
  },
});

export const value = <Shape, Key extends ValueKey<Shape>>(
  room: Room<Shape>,
  key: Key,
): Writable<ValueAt<Shape, Key> | undefined, ValueAt<Shape, Key>> => ({
  ...readable(valueStore(room, key)),
  set: (now) => room.set(key, now),
});

export const entries = <Shape, Prefix extends string>(room: Room<Shape>, prefix: Prefix) =>
  readable(entriesStore(room, prefix));
export const items = <Shape, Key extends ListKey<Shape>>(room: Room<Shape>, key: Key) =>
  readable(itemsStore(room, key));
export const text = <Shape>(room: Room<Shape>, key: TextKey<Shape>) => readable(textStore(room, key));
export const others = <Shape>(room: Room<Shape>) => readable(othersStore(room));
export const status = <Shape>(room: Room<Shape>) => readable(statusStore(room));
export const undo = <Shape>(room: Room<Shape>, options: UndoOptions) => readable(undoStore(room, options));
export const conflicts = <Shape>(room: Room<Shape>, key: ValueKey<Shape>) => readable(conflictsStore(room, key));
export const refused = <Shape>(room: Room<Shape>) => readable(refusedStore(room));
