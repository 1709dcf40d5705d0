/**
 * Reads of the studio, shared by all that show the same: read when first shown, and again after events, soon but never more often
 * than one at a time. What is shown stays while it is read again, and a read that failed says so and is tried again.
 */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Operations, StudioError } from '@weft/studio-client';
import { onEvents, onLost } from './live.js';
import { sameAs } from './same.js';
import { forget, isShutOut, studio } from './session.js';

export interface Query<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
}

interface Shared {
  readonly state: Signal<Query<unknown>>;
  users: number;
  isStale: boolean;
  /** Whether it was ever read. */
  isAsked: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  isReading: boolean;
  read(): Promise<unknown>;
}

/** Time in which further events are waited for before something is read again. */
const GATHER_MS = 60;
/** Reads that are kept after nobody shows them, so that going back shows something at once. */
const MOST_KEPT = 60;
/** Time after which a read that failed is tried again. */
const TRY_AGAIN_MS = 1_000;

const shared = new Map<string, Shared>();

export function useQuery<Id extends keyof Operations>(
  id: Id,
  input: Operations[Id]['input'],
  isWanted = true,
): Query<Operations[Id]['output']> {
  const key = `${id} ${JSON.stringify(input)}`;
  const found = sharedOf(key, () => studio.call(id, input));
  // The first read is under way while what waits for it is drawn.
  if (isWanted && !found.isAsked) void readNow(found);
  useEffect(() => {
    if (!isWanted) return undefined;
    found.users += 1;
    if (found.isStale) again(found, 0);
    return () => {
      found.users -= 1;
    };
  }, [key, isWanted]);
  return found.state.value as Query<Operations[Id]['output']>;
}

/** The read with what the one before brought, until it has brought something itself: a list that is asked for otherwise stays. */
export function useSteady<T>(query: Query<T>): Query<T> {
  const before = useRef<T>(undefined);
  if (query.data !== undefined) before.current = query.data;
  return query.data === undefined && !query.error ? { ...query, data: before.current } : query;
}

/** Reads everything again that is shown, such as after an action of this page. */
export function refresh(): void {
  for (const one of shared.values()) {
    one.isStale = true;
    if (one.users > 0) again(one, GATHER_MS);
  }
}

function sharedOf(key: string, read: () => Promise<unknown>): Shared {
  const known = shared.get(key);
  if (known) {
    // To the end, as the newest.
    shared.delete(key);
    shared.set(key, known);
    return known;
  }
  const made: Shared = {
    state: signal({ data: undefined, error: undefined, isLoading: true }),
    users: 0,
    isStale: true,
    isAsked: false,
    timer: undefined,
    isReading: false,
    read,
  };
  shared.set(key, made);
  for (const [old, { users }] of shared) {
    if (shared.size <= MOST_KEPT) break;
    if (users === 0 && old !== key) shared.delete(old);
  }
  return made;
}

function again(one: Shared, ms: number): void {
  one.isStale = true;
  if (one.isReading) return;
  one.timer ??= setTimeout(() => void readNow(one), ms);
}

async function readNow(one: Shared): Promise<void> {
  one.timer = undefined;
  one.isAsked = true;
  one.isReading = true;
  one.isStale = false;
  let hasFailed = false;
  try {
    const data = sameAs(one.state.value.data, await one.read());
    one.state.value = sameAs(one.state.value, { data, error: undefined, isLoading: false });
  } catch (error) {
    if (isShutOut(error)) forget('This page was ended, or its time is over.');
    const said = error instanceof Error ? error : new Error(String(error));
    one.state.value = { data: one.state.value.data, error: said, isLoading: false };
    hasFailed = !isRefused(error);
    one.isStale ||= hasFailed;
  }
  one.isReading = false;
  if (one.isStale && one.users > 0) again(one, hasFailed ? TRY_AGAIN_MS : GATHER_MS);
}

/** Whether the studio has said no, which it will say again. */
function isRefused(error: unknown): boolean {
  return error instanceof StudioError && error.status < 500 && !error.retryable;
}

onEvents(refresh);
onLost(refresh);
