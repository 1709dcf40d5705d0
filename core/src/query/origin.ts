/**
 * A checkpoint as nodes of the log, from which a replay can start: all that stood then, written down by the room's
 * authority. [OR1]
 *
 * It stands under the keys of queries, so it changes no value and makes nothing stale. The last node of an origin says which
 * others belong to it; without that one there is no origin, and what a crash has left of it means nothing.
 */
import { z } from 'zod';
import { concatBytes, fromHex, toHex, toUtf8 } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { decodeValue } from '../codec/bytes/msgpack.js';
import { Mutex } from '../concurrency/mutex.js';
import { Pauses } from '../concurrency/pauses.js';
import { WINNING_KINDS, type WinningKey } from '../crdt/resolution.js';
import type { NodeId } from '../graph/node.js';
import type { PastView } from '../room/reading/past.js';
import type { Room } from '../room/room.js';
import { QUERY_KEYS } from '../room/state/genesis.js';
import type { Builder } from './builder.js';
import { type Moment, notFound } from './selector.js';

/** Names the newest. */
const NEWEST = `${QUERY_KEYS}origin`;
const ORIGINS = `${QUERY_KEYS}origin/`;
/** Key of the part of an origin that a node has: parts are read from the log. */
const PART_KEY = `${QUERY_KEYS}origin-part`;
/** Bytes of values that a node takes; a longer value has nodes of its own. */
const PART = 512 * 1024;
/** What an entry takes beside key and value. */
const ENTRY = 64;

const Fact = z.object({
  /** The checkpoint. */
  seq: z.number(),
  hash: z.string(),
  /** Log positions of its nodes, in their order; this one is the last. */
  nodes: z.array(z.number()).min(1),
  by: z.string(),
});
export type Origin = z.output<typeof Fact>;

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const Entry = z.object({
  key: z.string(),
  kind: z.enum(WINNING_KINDS),
  bytes: Bytes,
  winner: Bytes.optional(),
  /** The value goes on in the next node. */
  more: z.literal(true).optional(),
});
type Entry = z.output<typeof Entry>;

export class Origins {
  readonly #room: Room;
  readonly #builder: Builder;
  readonly #mutex = new Mutex();

  constructor(room: Room, builder: Builder) {
    this.#room = room;
    this.#builder = builder;
  }

  /** The one that was made last. */
  get newest(): Origin | undefined {
    const name = this.#room.get(NEWEST);
    return typeof name === 'string' ? this.#find(name) : undefined;
  }

  /** The one whose last node stands there. */
  endingAt(position: number): Origin | undefined {
    if (!(position < this.#room.seq)) return undefined;
    const [op] = this.#room.written.opsOf(position, (key) => key.startsWith(ORIGINS));
    return op?.kind === 'set' ? Fact.safeParse(decodeValue(op.value)).data : undefined;
  }

  /** The origin of a checkpoint: the one that is there, or a new one. */
  promote(moment: Moment, by: string): Promise<Origin> {
    return this.#mutex.run(async () => {
      const { newest } = this;
      if (moment.kind === 'latest' && newest && this.#isPresent(newest)) return newest;
      return this.#builder.readAt(moment, async (view) => {
        const { seq = 0, stateHash: hash } = view;
        if (seq === 0) throw notFound('an origin is of a beginning of the log that holds something');
        const name = nameOf(this.#room, seq, hash);
        return this.#find(name) ?? this.#write(name, { seq, hash, by }, view);
      });
    });
  }

  /** What stood then, as far as one of its nodes tells, and which one goes on. */
  read({ nodes }: Origin, from: number): { readonly keys: readonly WinningKey[]; readonly next: number } {
    let next = from;
    let entries = this.#entriesOf(nodes[next++]!);
    const parts = entries.map(({ bytes }) => bytes);
    if (entries.at(-1)?.more) {
      do {
        entries = this.#entriesOf(nodes[next++]!);
        parts.push(...entries.map(({ bytes }) => bytes));
      } while (entries[0]?.more);
      return { keys: [winningOf(entries[0]!, concatBytes(parts))], next };
    }
    return { keys: entries.map((entry) => winningOf(entry, entry.bytes)), next };
  }

  async #write(name: string, about: Omit<Origin, 'nodes'>, view: PastView): Promise<Origin> {
    const nodes: number[] = [];
    const write = async (entries: readonly Entry[], isLast: boolean): Promise<Origin> => {
      const { result } = await this.#room.transact(({ seq }) => {
        const origin = { ...about, nodes: [...nodes, seq] };
        const told = [
          { key: ORIGINS + name, value: origin },
          { key: NEWEST, value: name },
        ];
        return { writes: [{ key: PART_KEY, value: entries }, ...(isLast ? told : [])], result: origin };
      });
      nodes.push(result.nodes.at(-1)!);
      return result;
    };
    let waiting: readonly Entry[] = [];
    for await (const entries of parted(view.winners())) {
      if (waiting.length > 0) await write(waiting, false);
      waiting = entries;
    }
    return write(waiting, true);
  }

  #find(name: string): Origin | undefined {
    return Fact.safeParse(this.#room.get(ORIGINS + name)).data;
  }

  #entriesOf(position: number): Entry[] {
    const [op] = this.#room.written.opsOf(position, (key) => key === PART_KEY);
    return op?.kind === 'set' ? z.array(Entry).parse(decodeValue(op.value)) : [];
  }

  /** Whether nothing was written since but about queries. */
  #isPresent({ seq }: Origin): boolean {
    return !this.#room.written.hasWritten(seq, (key) => !key.startsWith(QUERY_KEYS));
  }
}

/** Which checkpoint of which room it is. */
function nameOf({ id }: Room, seq: number, hash: string): string {
  return toHex(sha256(toUtf8(JSON.stringify([id, seq, hash]))));
}

/** Entries in groups of as many as a node takes; a value that is longer comes in pieces, each alone. */
async function* parted(keys: Iterable<WinningKey>): AsyncGenerator<readonly Entry[]> {
  const pauses = new Pauses();
  let entries: Entry[] = [];
  let size = 0;
  for (const { key, kind, bytes, winner } of keys) {
    const about = { key, kind, ...(winner === undefined ? {} : { winner: fromHex(winner) }) };
    const takes = ENTRY + 3 * key.length + bytes.length;
    if (entries.length > 0 && size + takes > PART) {
      yield entries;
      [entries, size] = [[], 0];
    }
    if (takes <= PART) {
      entries.push({ ...about, bytes });
      size += takes;
    } else
      for (let at = 0; at < bytes.length; at += PART) {
        const isMore = at + PART < bytes.length;
        yield [{ ...about, bytes: bytes.subarray(at, at + PART), ...(isMore ? { more: true as const } : {}) }];
      }
    if (pauses.due(1 + bytes.length / 32)) await pauses.take();
  }
  if (entries.length > 0) yield entries;
}

function winningOf({ key, kind, winner }: Entry, bytes: Uint8Array): WinningKey {
  return { key, kind, bytes, ...(winner ? { winner: toHex(winner) as NodeId } : {}) };
}
