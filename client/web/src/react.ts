/**
 * Hooks for React. Each renders its component when what it answers is another one, and never between: values are frozen
 * snapshots that stay the same object until they change.
 */
import {
  createContext,
  createElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  use,
  useSyncExternalStore,
} from 'react';
import type { Undo, UndoOptions } from '@weft/core/client';
import type { Other } from './presence.js';
import type { Room, RoomStatus } from './room.js';

// A room of any shape: the hooks of one application are typed by `hooksFor`.
type AnyShape = {
  readonly values: Readonly<Record<string, unknown>>;
  readonly lists: Readonly<Record<string, unknown>>;
  readonly texts: string;
  readonly presence: unknown;
};

const RoomContext = createContext<Room<AnyShape> | undefined>(undefined);

export interface RoomProviderProps<Shape> {
  readonly room: Room<Shape>;
  readonly children?: ReactNode;
}

/** Gives a room to what is below. Who opens it closes it: a component may be mounted twice. */
export function RoomProvider<Shape>({ room, children }: RoomProviderProps<Shape>): ReactNode {
  return createElement(RoomContext.Provider, { value: room as unknown as Room<AnyShape> }, children);
}

export function useRoom(): Room<AnyShape> {
  const room = useContext(RoomContext);
  if (room) return room;
  throw new Error('there is no room here: put a RoomProvider above');
}

/** Waits, by Suspense, until the room has something to read for the first time. */
export function useReady(): void {
  use(useRoom().ready);
}

type Watch = (room: Room<AnyShape>, changed: () => void) => () => void;

/** Answer of a question to the room, asked again when the watched changes, or it becomes ready. */
function useAnswer<T>(watch: Watch, ask: (room: Room<AnyShape>) => T): T {
  const room = useRoom();
  const subscribe = useCallback(
    (changed: () => void) => {
      if (room.isReady) return watch(room, changed);
      let end: (() => void) | undefined;
      let isOver = false;
      const begin = (): void => {
        if (isOver) return;
        end = watch(room, changed);
        changed();
      };
      room.ready.then(begin, () => undefined);
      return () => {
        isOver = true;
        end?.();
      };
    },
    [room, watch],
  );
  const answer = (): T => ask(room);
  return useSyncExternalStore(subscribe, answer, answer);
}

/** Value of a key; undefined where nothing is. */
export function useValue<T = unknown>(key: string): T | undefined {
  const watch = useCallback<Watch>((room, changed) => room.observe(key, changed), [key]);
  return useAnswer(watch, (room) => room.get(key)) as T | undefined;
}

/** Text of a key. */
export function useText(key: string): string {
  const watch = useCallback<Watch>((room, changed) => room.observe(key, changed), [key]);
  return useAnswer(watch, (room) => room.textOf(key));
}

/** Items of a list. */
export function useItems<T = unknown>(key: string): readonly T[] {
  const watch = useCallback<Watch>((room, changed) => room.observe(key, changed), [key]);
  return useAnswer(watch, (room) => room.items(key)) as readonly T[];
}

/** Values whose names begin so; with a selector, what it answers, kept while that is shallowly equal. */
export function useEntries<T = unknown>(prefix: string): Readonly<Record<string, T>>;
export function useEntries<T, Chosen>(prefix: string, select: (entries: Readonly<Record<string, T>>) => Chosen): Chosen;
export function useEntries<T, Chosen>(
  prefix: string,
  select?: (entries: Readonly<Record<string, T>>) => Chosen,
): unknown {
  const watch = useCallback<Watch>((room, changed) => room.observe({ prefix }, changed), [prefix]);
  const last = useRef<{ readonly entries: unknown; readonly select: unknown; readonly chosen: unknown } | undefined>(
    undefined,
  );
  return useAnswer(watch, (room) => {
    const entries = room.entries(prefix) as Readonly<Record<string, T>>;
    if (!select) return entries;
    if (last.current?.entries === entries && last.current.select === select) return last.current.chosen;
    const now: unknown = select(entries);
    const chosen = last.current && isShallowlyEqual(last.current.chosen, now) ? last.current.chosen : now;
    last.current = { entries, select, chosen };
    return chosen;
  });
}

const watchPresence: Watch = (room, changed) => room.presence.onChange(changed);
const NOBODY: readonly never[] = [];

/** The others in the room, with what they show. */
export function useOthers<Shown = unknown>(): readonly Other<Shown>[] {
  return useAnswer(watchPresence, (room) => (room.isReady ? room.presence.others : NOBODY)) as readonly Other<Shown>[];
}

const watchStatus = (room: Room<AnyShape>) => (changed: () => void) => room.onStatus(changed);

export function useStatus(): RoomStatus {
  const room = useRoom();
  const subscribe = useMemo(() => watchStatus(room), [room]);
  const status = (): RoomStatus => room.status;
  return useSyncExternalStore(subscribe, status, status);
}

/** Undo of keys, while the component is there; undefined until the room is ready. */
export function useUndo(options: UndoOptions): { undo(): boolean; redo(): boolean } {
  const room = useRoom();
  const undo = useRef<Undo | undefined>(undefined);
  const name = options.keys.join('\n');
  const { mergeMs, origins } = options;
  useEffect(() => {
    let isOver = false;
    const begin = (): void => {
      if (isOver) return;
      undo.current = room.undo({
        keys: name.split('\n'),
        ...(mergeMs === undefined ? {} : { mergeMs }),
        ...(origins ? { origins } : {}),
      });
    };
    room.ready.then(begin, () => undefined);
    return () => {
      isOver = true;
      undo.current?.close();
      undo.current = undefined;
    };
  }, [room, name, mergeMs, origins]);
  return useMemo(() => ({ undo: () => undo.current?.undo() ?? false, redo: () => undo.current?.redo() ?? false }), []);
}

function isShallowlyEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const names = Object.keys(a);
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return names.length === Object.keys(b).length && names.every((name) => Object.is(one[name], other[name]));
}
