/**
 * Live events: one stream per browser, however many tabs. The tab that holds the lock follows the studio and relays what comes;
 * when it goes, the next one takes over after the last number that it has seen itself, so nothing is missed between them.
 */
import { signal } from '@preact/signals';
import { type NumberedEvent, type Spoken, followEvents } from '@weft/studio-client';
import { forget, isShutOut, studio } from './session.js';
import { allSaid, dropAll, dropFailed, hear } from './speech.js';

export type Connection = 'connecting' | 'live' | 'broken';

export const connection = signal<Connection>('connecting');
/** Number of the newest event that this tab has seen. */
export const seen = signal(0);

/** What the tab that follows tells all. */
type Told =
  | { readonly kind: 'events'; readonly after: number; readonly events: readonly NumberedEvent[] }
  | { readonly kind: 'speech'; readonly spoken: readonly Spoken[] }
  | { readonly kind: 'state'; readonly state: Connection }
  | { readonly kind: 'lost' };
/** What goes between tabs: one that was opened says so, and is told how things stand. */
type Relayed = Told | { readonly kind: 'opened' };

type Listener = (events: readonly NumberedEvent[]) => void;
const listeners = new Set<Listener>();
const losers = new Set<() => void>();

/** Calls with what happened, in order. Returns how to stop. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls when events were missed, so that everything has to be read anew. */
export function onLost(listener: () => void): () => void {
  losers.add(listener);
  return () => losers.delete(listener);
}

/** Goes live from the event with this number. */
export function goLive(after: number): () => void {
  seen.value = after;
  const stop = new AbortController();
  const channel = new BroadcastChannel('weft.events');
  let isLeader = false;
  channel.onmessage = ({ data }: MessageEvent<Relayed>) => {
    if (data.kind !== 'opened') take(data);
    else if (isLeader) {
      tellOthers({ kind: 'state', state: connection.value });
      tellOthers({ kind: 'speech', spoken: allSaid() });
    }
  };
  const tellOthers = (message: Relayed): void => channel.postMessage(message);
  const tell = (message: Told): void => {
    tellOthers(message);
    take(message);
  };
  tellOthers({ kind: 'opened' });
  void navigator.locks
    .request('weft.events', { signal: stop.signal }, () => {
      isLeader = true;
      let last = seen.value;
      return followEvents(studio, {
        after: last,
        signal: stop.signal,
        take: (events) => {
          tell({ kind: 'events', after: last, events });
          last = events.at(-1)?.number ?? last;
        },
        hear: (spoken) => tell({ kind: 'speech', spoken }),
        lost: () => tell({ kind: 'lost' }),
        connected: (isConnected) => tell({ kind: 'state', state: isConnected ? 'live' : 'broken' }),
      });
    })
    .catch((error: unknown) => {
      if (isShutOut(error)) forget('This page was ended, or its time is over.');
    });
  return () => {
    stop.abort();
    channel.close();
  };
}

function take(message: Told): void {
  switch (message.kind) {
    case 'state':
      connection.value = message.state;
      // Pieces are missed between two connections.
      dropAll();
      return;
    case 'speech':
      return hear(message.spoken);
    case 'lost':
      dropAll();
      for (const listener of losers) listener();
      return;
    case 'events': {
      connection.value = 'live';
      // The leader began behind this tab, or ahead of it.
      if (message.after > seen.value) for (const listener of losers) listener();
      const fresh = message.events.filter(({ number }) => number > seen.value);
      const last = fresh.at(-1);
      if (!last) return;
      seen.value = last.number;
      dropFailed(fresh);
      for (const listener of listeners) listener(fresh);
    }
  }
}
