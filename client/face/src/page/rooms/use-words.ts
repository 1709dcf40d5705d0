/** Reads of rooms: again after a while where what is shown is live, and after everything that this page has done. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { Query } from '../core/query.js';
import { type ListedRoom, type Word, listRooms, say } from './client.js';
import type { Words } from './words.js';

/** Counts what this page has done: reads begin anew. */
const done = signal(0);

export function readAgain(): void {
  done.value += 1;
}

/** How often live parts are read while the page is in sight. */
export const LIVE_MS = 2_000;

export function useRooms(): Query<readonly ListedRoom[]> {
  return useRead(listRooms, 'rooms', LIVE_MS);
}

export function useWord<W extends Word>(
  word: W,
  input: Words[W]['input'],
  everyMs?: number,
): Query<Words[W]['output']> {
  return useRead(() => say(word, input), `${word} ${JSON.stringify(input)}`, everyMs);
}

/** What was read stays while it is read again, unless another thing is asked for. */
function useRead<T>(read: () => Promise<T>, key: string, everyMs?: number): Query<T> {
  const [state, setState] = useState<Query<T> & { readonly key: string }>(nothing(key));
  const turn = done.value;
  useEffect(() => {
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      try {
        const data = await read();
        if (!isGone) setState({ key, data, error: undefined, isLoading: false });
      } catch (error) {
        const said = error instanceof Error ? error : new Error(String(error));
        if (!isGone) setState((before) => ({ ...(before.key === key ? before : nothing<T>(key)), error: said }));
      }
      if (!isGone && everyMs !== undefined) timer = setTimeout(() => void next(), everyMs);
    };
    const next = async (): Promise<void> => {
      if (!document.hidden) return look();
      timer = setTimeout(() => void next(), everyMs);
    };
    void look();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [key, turn, everyMs]);
  return state.key === key ? state : nothing(key);
}

function nothing<T>(key: string): Query<T> & { readonly key: string } {
  return { key, data: undefined, error: undefined, isLoading: true };
}
