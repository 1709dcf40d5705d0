/** Signals for Solid: each shows what the room holds while its owner lasts. */
import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { UndoOptions } from '@weft/core/client';
import type { Room } from './room.js';
import {
  IN_PAGE,
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

function shown<T>(store: Store<T>): Accessor<T> {
  const [read, write] = createSignal(store.get());
  const look = (): void => void write(() => store.get());
  if (IN_PAGE) onCleanup(store.subscribe(look));
  look();
  return read;
}

/** What a value is, and what writes it. */
export const createValue = <Shape, Key extends ValueKey<Shape>>(
  room: Room<Shape>,
  key: Key,
): readonly [Accessor<ValueAt<Shape, Key> | undefined>, (now: ValueAt<Shape, Key>) => void] => [
  shown(valueStore(room, key)),
  (now) => room.set(key, now),
];

/** Values whose names begin so. */
export const createEntries = <Shape, Prefix extends string>(room: Room<Shape>, prefix: Prefix) =>
  shown(entriesStore(room, prefix));
/** Items of a list. */
export const createItems = <Shape, Key extends ListKey<Shape>>(room: Room<Shape>, key: Key) =>
  shown(itemsStore(room, key));
/** Text of a key. */
export const createText = <Shape>(room: Room<Shape>, key: TextKey<Shape>) => shown(textStore(room, key));
/** The others in the room, with what they show. */
export const createOthers = <Shape>(room: Room<Shape>) => shown(othersStore(room));
/** How the room stands: its connection, what is not sent yet, where it is kept. */
export const createStatus = <Shape>(room: Room<Shape>) => shown(statusStore(room));
/** Undo of keys: what can be undone, and what undoes it. */
export const createUndo = <Shape>(room: Room<Shape>, options: UndoOptions) => shown(undoStore(room, options));
/** Values of a key whose authors did not know of each other, the one that is shown first; none where nobody disagrees. */
export const createConflicts = <Shape>(room: Room<Shape>, key: ValueKey<Shape>) => shown(conflictsStore(room, key));
/** Edits that the server refused, and what tries one again or discards it. */
export const createRefused = <Shape>(room: Room<Shape>) => shown(refusedStore(room));
