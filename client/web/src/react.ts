/**
 * Hooks for React. Each renders its component when what it answers is another one, and never between: values are frozen
 * snapshots that stay the same object until they change.
 */
import {
  createContext,
  createElement,
  type ReactNode,
  useCallback,
  use,
  useContext,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import type { ConcurrentValue, UndoOptions } from '@weft/core/client';
import { type Doc, remembering } from './doc.js';
import type { Other } from './presence.js';
import type { Room, RoomStatus } from './room.js';
import {
  type RefusedState,
  type Store,
  type UndoState,
  conflictsStore,
  docStore,
  itemsStore,
  othersStore,
  refusedStore,
  statusStore,
  textStore,
  undoStore,
  valueStore,
} from './stores.js';
import type { ItemAt, ListKey, PresenceOf, RoomName, ShapeOf, TextKey, ValueAt, ValueKey } from './types.js';

// A room of any shape. `hooksFor` types the hooks of one application.
type AnyShape = {
  readonly values: Readonly<Record<string, unknown>>;
  readonly lists: Readonly<Record<string, unknown>>;
  readonly texts: string;
  readonly presence: unknown;
};

/** What a server has rendered with, so that a page begins with the same. */
export interface Initial {
  readonly values?: Readonly<Record<string, unknown>>;
  readonly lists?: Readonly<Record<string, readonly unknown[]>>;
  readonly texts?: Readonly<Record<string, string>>;
}

interface Given {
  readonly room: Room<AnyShape> | undefined;
  readonly initial: Initial | undefined;
}

const RoomContext = createContext<Given | undefined>(undefined);

/** A room for what is below, or what a server renders with. */
export interface RoomProviderProps<Shape> {
  /** Absent on a server that renders from `initial` alone. */
  readonly room?: Room<Shape> | undefined;
  readonly initial?: Initial | undefined;
  readonly children?: ReactNode;
}

/** Gives a room to what is below. Who opens it closes it: a component may be mounted twice. */
export function RoomProvider<Shape>({ room, initial, children }: RoomProviderProps<Shape>): ReactNode {
  const value = useMemo<Given>(
    () => ({ room: room as unknown as Room<AnyShape> | undefined, initial }),
    [room, initial],
  );
  return createElement(RoomContext.Provider, { value }, children);
}

function useGiven(): Given {
  const given = useContext(RoomContext);
  if (given) return given;
  throw new Error('there is no room here: put a RoomProvider above');
}

/** The room that the nearest provider gives. */
export function useRoom(): Room<AnyShape> {
  const { room } = useGiven();
  if (room) return room;
  throw new Error('a server renders without a room: edit it with useEdit, or in an effect');
}

/** Edits the room, as one step, when it is called: in a handler or an effect. */
export function useEdit(): (edit: (room: Room<AnyShape>) => void) => void {
  const { room } = useGiven();
  return useCallback((edit) => room?.edit(edit), [room]);
}

/** Waits, by Suspense, until there is something to show for the first time. */
export function useReady(): void {
  const { room, initial } = useGiven();
  if (room && !initial) use(room.ready);
}

const silent = (): (() => void) => () => undefined;

/** What a store says; what was given at first until the room has something to say, and always on a server. */
function useStore<T>(
  make: (room: Room<AnyShape>) => Store<T>,
  first: (initial: Initial) => T,
  choose: (said: T) => T = (said) => said,
): T {
  const { room, initial } = useGiven();
  const store = useMemo(() => room && make(room), [room, make]);
  const server = (): T => (initial || !store ? first(initial ?? NOTHING) : store.get());
  const answer = (): T => (room?.isReady && store ? store.get() : server());
  return useSyncExternalStore(
    store?.subscribe ?? silent,
    () => choose(answer()),
    () => choose(server()),
  );
}

/** What stands under a name, and nothing that every object has, as `constructor`. */
const held = <T>(all: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  all && Object.hasOwn(all, key) ? all[key] : undefined;

const NOTHING: Initial = {};
const NO_ITEMS: readonly never[] = [];

/** Value of a key; undefined where nothing is. */
export function useValue<T = unknown>(key: string): T | undefined {
  const make = useCallback((room: Room<AnyShape>) => valueStore(room, key), [key]);
  return useStore<unknown>(make, ({ values }) => held(values, key)) as T | undefined;
}

/** Text of a key. */
export function useText(key: string): string {
  const make = useCallback((room: Room<AnyShape>) => textStore(room, key), [key]);
  return useStore(make, ({ texts }) => held(texts, key) ?? '');
}

/** Items of a list. */
export function useItems<T = unknown>(key: string): readonly T[] {
  const make = useCallback((room: Room<AnyShape>) => itemsStore(room, key), [key]);
  return useStore<readonly unknown[]>(make, ({ lists }) => held(lists, key) ?? NO_ITEMS) as readonly T[];
}

type Entries<T> = Readonly<Record<string, T>>;

/** Values whose names begin so; with a selector, what it answers, kept while that is shallowly equal. */
export function useEntries<T = unknown>(prefix: string): Entries<T>;
export function useEntries<T, Chosen>(prefix: string, select: (entries: Entries<T>) => Chosen): Chosen;
export function useEntries<T, Chosen>(prefix: string, select?: (entries: Entries<T>) => Chosen): unknown {
  const choose = useCallback(
    (doc: Doc): unknown => {
      const entries = doc.entries<T>(prefix);
      return select ? select(entries) : entries;
    },
    [prefix, select],
  );
  return useDoc<unknown>(choose);
}

function startingWith<T>({ values = {} }: Initial, prefix: string): Entries<T> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key.startsWith(prefix))) as Entries<T>;
}

/**
 * What a selector makes of the room: the component is rendered again when that is another one, shallowly. The selector reads nothing
 * but the document, and is asked again when what it has read has changed.
 */
export function useDoc<Chosen>(select: (doc: Doc) => Chosen): Chosen {
  const [choose] = useState(() => remembering<Chosen>());
  return useStore<unknown>(
    docStore as (room: Room<AnyShape>) => Store<unknown>,
    docOf as (initial: Initial) => unknown,
    (doc) => choose(doc as Doc, select),
  ) as Chosen;
}

const docs = new WeakMap<Initial, Doc>();

/** Document of what a server has rendered with. */
function docOf(initial: Initial): Doc {
  const { values = {}, lists = {}, texts = {} } = initial;
  const entries = new Map<string, Entries<unknown>>();
  const doc: Doc = docs.get(initial) ?? {
    get: <T>(key: string) => held(values, key) as T | undefined,
    entries: <T>(prefix: string) => {
      if (!entries.has(prefix)) entries.set(prefix, startingWith(initial, prefix));
      return entries.get(prefix) as Entries<T>;
    },
    items: <T>(key: string) => (held(lists, key) ?? NO_ITEMS) as readonly T[],
    textOf: (key) => held(texts, key) ?? '',
  };
  docs.set(initial, doc);
  return doc;
}

/** The others in the room with what they show, and what changes fields of what one shows oneself, once the room is ready. */
export function usePresence<Shown = unknown>(): readonly [
  others: readonly Other<Shown>[],
  update: (fields: Partial<Shown>) => void,
] {
  const { room } = useGiven();
  const update = useCallback((fields: Partial<Shown>) => room?.presence.update(fields), [room]);
  return [useOthers<Shown>(), update];
}

/** The others in the room, with what they show. */
export function useOthers<Shown = unknown>(): readonly Other<Shown>[] {
  return useStore<readonly unknown[]>(othersStore, () => NO_ITEMS) as readonly Other<Shown>[];
}

/** Values of a key whose authors did not know of each other, the one that is shown first; none where nobody disagrees. */
export function useConflicts(key: string): readonly ConcurrentValue[] {
  const make = useCallback((room: Room<AnyShape>) => conflictsStore(room, key), [key]);
  return useStore<readonly ConcurrentValue[]>(make, () => NO_ITEMS);
}

const nothing = (): Promise<void> => Promise.resolve();
const NOT_REFUSED: RefusedState = { held: NO_ITEMS, retry: nothing, discard: nothing };

/** Edits that the server refused, and what tries one again or discards it. */
export function useRefused(): RefusedState {
  return useStore(refusedStore, () => NOT_REFUSED);
}

const OPENING: RoomStatus = { connection: 'opening', unsent: 0, storage: 'memory', refused: 0 };

/** How the room stands: its connection, what is not sent yet, where it is kept. */
export function useStatus(): RoomStatus {
  const { room, initial } = useGiven();
  const store = useMemo(() => room && statusStore(room), [room]);
  const status = (): RoomStatus => store?.get() ?? OPENING;
  return useSyncExternalStore(store?.subscribe ?? silent, status, initial ? () => OPENING : status);
}

const NO_UNDO: UndoState = { canUndo: false, canRedo: false, undo: () => false, redo: () => false };

/** Undo of keys, while the component is there: what can be undone, and what undoes it. */
export function useUndo({ keys, mergeMs, origins }: UndoOptions): UndoState {
  const name = JSON.stringify(keys);
  const make = useCallback(
    (room: Room<AnyShape>) =>
      undoStore(room, {
        keys: JSON.parse(name) as string[],
        ...(mergeMs === undefined ? {} : { mergeMs }),
        ...(origins ? { origins } : {}),
      }),
    [name, mergeMs, origins],
  );
  return useStore(make, () => NO_UNDO);
}

/** The hooks that name something of a room, typed by what it holds. */
export interface RoomHooks<Shape> {
  useRoom(): Room<Shape>;
  useEdit(): (edit: (room: Room<Shape>) => void) => void;
  useValue<Key extends ValueKey<Shape>>(key: Key): ValueAt<Shape, Key> | undefined;
  useText(key: TextKey<Shape>): string;
  useItems<Key extends ListKey<Shape>>(key: Key): readonly ItemAt<Shape, Key>[];
  useConflicts(key: ValueKey<Shape>): readonly ConcurrentValue[];
  useOthers(): readonly Other<PresenceOf<Shape>>[];
  usePresence(): readonly [
    others: readonly Other<PresenceOf<Shape>>[],
    update: (fields: Partial<PresenceOf<Shape>>) => void,
  ];
}

const HOOKS = { useRoom, useEdit, useValue, useText, useItems, useConflicts, useOthers, usePresence };

/** The hooks for a room by its name, as the project's `Rooms` says what is in it: once, beside the provider. */
export function hooksFor<const Name extends RoomName>(_name: Name): RoomHooks<ShapeOf<Name>> {
  return HOOKS as unknown as RoomHooks<ShapeOf<Name>>;
}

export type { Doc } from './doc.js';
