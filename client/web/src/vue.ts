/** Refs for Vue: each shows what the room holds while its component, or effect scope, lasts. That of a value writes it too. */
import { type ShallowRef, type WritableComputedRef, computed, onScopeDispose, shallowRef } from 'vue';
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

function shown<T>(store: Store<T>): Readonly<ShallowRef<T>> {
  const ref = shallowRef(store.get()) as ShallowRef<T>;
  const look = (): void => void (ref.value = store.get());
  if (IN_PAGE) onScopeDispose(store.subscribe(look));
  look();
  return ref;
}

/** Value of a key; setting it edits the room. */
export function useValue<Shape, Key extends ValueKey<Shape>>(
  room: Room<Shape>,
  key: Key,
): WritableComputedRef<ValueAt<Shape, Key> | undefined, ValueAt<Shape, Key>> {
  const ref = shown(valueStore(room, key));
  return computed({ get: () => ref.value, set: (now: ValueAt<Shape, Key>) => room.set(key, now) });
}

/** Values whose names begin so. */
export const useEntries = <Shape, Prefix extends string>(room: Room<Shape>, prefix: Prefix) =>
  shown(entriesStore(room, prefix));
/** Items of a list. */
export const useItems = <Shape, Key extends ListKey<Shape>>(room: Room<Shape>, key: Key) =>
  shown(itemsStore(room, key));
/** Text of a key. */
export const useText = <Shape>(room: Room<Shape>, key: TextKey<Shape>) => shown(textStore(room, key));
/** The others in the room, with what they show. */
export const useOthers = <Shape>(room: Room<Shape>) => shown(othersStore(room));
/** How the room stands: its connection, what is not sent yet, where it is kept. */
export const useStatus = <Shape>(room: Room<Shape>) => shown(statusStore(room));
/** Undo of keys: what can be undone, and what undoes it. */
export const useUndo = <Shape>(room: Room<Shape>, options: UndoOptions) => shown(undoStore(room, options));
/** Values of a key whose authors did not know of each other, the one that is shown first; none where nobody disagrees. */
export const useConflicts = <Shape>(room: Room<Shape>, key: ValueKey<Shape>) => shown(conflictsStore(room, key));
/** Edits that the server refused, and what tries one again or discards it. */
export const useRefused = <Shape>(room: Room<Shape>) => shown(refusedStore(room));
