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
  useRef,
  useSyncExternalStore,
} from 'react';
import type { ConcurrentValue, UndoOptions } from '@weft/core/client';
import type { Other } from './presence.js';
import type { Room, RoomStatus } from './room.js';
import {
  type RefusedState,
  type Store,
  type UndoState,
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

// A room of any shape: the hooks of one application are typed by `hooksFor`.
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

const NOTHING: Initial = {};
const NO_ITEMS: readonly never[] = [];

/** Value of a key; undefined where nothing is. */
export function useValue<T = unknown>(key: string): T | undefined {
  const make = useCallback((room: Room<AnyShape>) => valueStore(room, key), [key]);
  return useStore<unknown>(make, ({ values }) => values?.[key]) as T | undefined;
}

/** Text of a key. */
export function useText(key: string): string {
  const make = useCallback((room: Room<AnyShape>) => textStore(room, key), [key]);
  return useStore(make, ({ texts }) => texts?.[key] ?? '');
}

/** Items of a list. */
export function useItems<T = unknown>(key: string): readonly T[] {
  const make = useCallback((room: Room<AnyShape>) => itemsStore(room, key), [key]);
  return useStore<readonly unknown[]>(make, ({ lists }) => lists?.[key] ?? NO_ITEMS) as readonly T[];
}

type Entries<T> = Readonly<Record<string, T>>;

/** Values whose names begin so; with a selector, what it answers, kept while that is shallowly equal. */
export function useEntries<T = unknown>(prefix: string): Entries<T>;
export function useEntries<T, Chosen>(prefix: string, select: (entries: Entries<T>) => Chosen): Chosen;
export function useEntries<T, Chosen>(prefix: string, select?: (entries: Entries<T>) => Chosen): unknown {
  const make = useCallback((room: Room<AnyShape>) => entriesStore(room, prefix) as Store<Entries<T>>, [prefix]);
  const given = useRef<{ readonly initial: Initial; readonly entries: Entries<T> } | undefined>(undefined);
  const last = useRef<{ readonly entries: Entries<T>; readonly select: unknown; readonly chosen: unknown } | undefined>(
    undefined,
  );
  const choose = (entries: Entries<T>): unknown => {
    if (!select) return entries;
    if (last.current?.entries === entries && last.current.select === select) return last.current.chosen;
    const now: unknown = select(entries);
    const chosen = last.current && isShallowlyEqual(last.current.chosen, now) ? last.current.chosen : now;
    last.current = { entries, select, chosen };
    return chosen;
  };
  return useStore<unknown>(
    make as (room: Room<AnyShape>) => Store<unknown>,
    (initial) => {
      if (given.current?.initial !== initial) given.current = { initial, entries: startingWith(initial, prefix) };
      return given.current.entries;
    },
    choose as (entries: unknown) => unknown,
  );
}

function startingWith<T>({ values = {} }: Initial, prefix: string): Entries<T> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key.startsWith(prefix))) as Entries<T>;
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
  const name = keys.join('\n');
  const make = useCallback(
    (room: Room<AnyShape>) =>
      undoStore(room, {
        keys: name.split('\n'),
        ...(mergeMs === undefined ? {} : { mergeMs }),
        ...(origins ? { origins } : {}),
      }),
    [name, mergeMs, origins],
  );
  return useStore(make, () => NO_UNDO);
}

function isShallowlyEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const names = Object.keys(a);
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return names.length === Object.keys(b).length && names.every((name) => Object.is(one[name], other[name]));
}
