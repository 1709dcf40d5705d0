/**
 * Events of a studio, without a gap: each has a number, and a connection that breaks is made again after the last number that
 * was handed on. Where the studio no longer has what comes after it, `lost` is called, and the stream goes on from now.
 */
import type { StudioClient } from './client.js';
import type { ExecutionEvent } from './operations.js';

export interface NumberedEvent {
  readonly number: number;
  readonly event: ExecutionEvent;
}

/** Piece of what an agent says, while it says it. The cycle `logId` of its conversation has the whole answer later. */
export interface Spoken {
  readonly workUnitId: string;
  readonly agentId: string;
  readonly logId: string;
  readonly text: string;
  /** Whether the answer begins here: what was heard of this cycle before is void. */
  readonly startsOver: boolean;
}

export interface FollowOptions {
  /** Number of the last event that the caller has. Default: only what happens from now on. */
  readonly after?: number | undefined;
  readonly signal: AbortSignal;
  /** Called with what came together, in order. */
  readonly take: (events: readonly NumberedEvent[]) => void;
  /** Called with what agents say, in order. Nothing says where pieces were missed. Absent: they are not asked for. */
  readonly hear?: ((spoken: readonly Spoken[]) => void) | undefined;
  /** Events were missed: what was derived from them has to be read anew. */
  readonly lost: () => void;
  /** Called when a connection stands, and when it breaks. */
  readonly connected?: (isConnected: boolean, error?: unknown) => void;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;
/** Silence after which a connection counts as broken; the studio says something every 15 s. */
const SILENCE_MS = 45_000;
/** Bound of what a stream may send without ending an event. */
const MOST_UNREAD = 16 * 1024 * 1024;

/** Follows the events until the signal aborts. Throws only what asking again cannot mend, such as a revoked token. */
export async function followEvents(client: StudioClient, options: FollowOptions): Promise<void> {
  const { signal, take, hear, lost, connected = () => undefined } = options;
  let after = options.after;
  let wait = FIRST_WAIT_MS;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const silence = new AbortController();
    const stop = AbortSignal.any([signal, silence.signal]);
    try {
      const query = new URLSearchParams();
      if (after !== undefined) query.set('after', String(after));
      if (hear) query.set('speech', 'true');
      const { body } = await client.request(`/studio/events?${query.toString()}`, { signal: stop });
      if (!body) throw new Error('the stream of events has no body');
      connected(true);
      // Nothing says where a stream has broken that has sent no number.
      if (!isFirst && after === undefined) lost();
      wait = FIRST_WAIT_MS;
      for await (const pieces of framesOf(body, () => silence.abort())) {
        const events: NumberedEvent[] = [];
        const spoken: Spoken[] = [];
        for (const { id, kind, data } of pieces) {
          if (kind === 'speech') spoken.push(JSON.parse(data));
          else if (kind === 'resync') {
            after = id;
            lost();
          } else if (id !== undefined) {
            after = id;
            events.push({ number: id, event: JSON.parse(data) });
          }
        }
        // An answer is recorded after it was said.
        if (spoken.length > 0) hear?.(spoken);
        if (events.length > 0) take(events);
      }
      connected(false);
    } catch (error) {
      if (signal.aborted) return;
      connected(false, error);
      if (isFinal(error)) throw error;
    }
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

interface Frame {
  readonly id: number | undefined;
  readonly kind: string;
  readonly data: string;
}

/** Frames of a stream of server-sent events, as many at once as have come. */
async function* framesOf(
  body: ReadableStream<Uint8Array>,
  onSilence: () => void = () => undefined,
): AsyncGenerator<Frame[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let unread = '';
  let timer = setTimeout(onSilence, SILENCE_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (done) return;
      timer = setTimeout(onSilence, SILENCE_MS);
      unread += decoder.decode(value, { stream: true });
      const end = unread.lastIndexOf('\n\n');
      if (unread.length > MOST_UNREAD) throw new Error('the stream of events does not end an event');
      if (end === -1) continue;
      const frames = unread.slice(0, end).split('\n\n').flatMap(frameIn);
      unread = unread.slice(end + 2);
      if (frames.length > 0) yield frames;
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => undefined);
  }
}

function frameIn(text: string): Frame | [] {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== '') fields.set(name, value);
  }
  const data = fields.get('data');
  if (data === undefined) return [];
  const id = fields.get('id');
  return { id: id === undefined || id === '' ? undefined : Number(id), kind: fields.get('event') ?? 'message', data };
}

/** A refusal that stays as it is, however often one asks. */
function isFinal(error: unknown): boolean {
  return error instanceof Error && 'status' in error && (error.status === 401 || error.status === 403);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
