/**
 * The side of a reconciliation that is asked. It answers each message with one, and knows at the end which of its nodes
 * the other lacks. [RC6]
 *
 * Nothing here grows with what the other claims: the longest answer is 1 MB of symbols, and asking for symbols is counted.
 * What an answer costs follows the difference once the index has followed the graph; symbols under a new key cost O(nodes).
 */
import { DecodeError, equalBytes } from '../codec/bytes/bytes.js';
import type { HeldIds } from './held-ids.js';
import { type SketchKey, newKey } from './keyed-ids.js';
import { type Message, type MessageOf, type Step, fewHeads, readMessage } from './messages.js';
import { readShort, writeShort } from './short-ids.js';
import { Snapshot } from './snapshot.js';
import { MOST_SYMBOLS, type Symbols, keyedSymbols, writeSymbols } from './symbols.js';
import { MOST_TIPS, heldBy, otherTips, readTips, writeTips } from './tips.js';

/** How many symbols come unasked: enough to tell a few differences, and to estimate more of them. */
export const FIRST_SYMBOLS = 32;
/** Asks for symbols, of each kind. */
export const MOST_ASKS = 3;
/** A message each; of a walk, so many times 256 paths. */
const MOST_STEPS = 1 << 14;
const AFTER_OPEN: readonly Step[] = ['ask', 'tips', 'walk', 'want', 'want-whole', 'ahead', 'done'];

/** The next message; undefined at the end. `send` is there from then on: nodes that the other lacks, ancestors first. */
export interface Side {
  readonly send: readonly number[] | undefined;
  receive(message: unknown): Message | undefined;
}

export class Responder implements Side {
  readonly #index: HeldIds;
  readonly #room: Snapshot;
  #symbols: Symbols;
  #key: SketchKey | undefined;
  #expected: readonly Step[] = ['open'];
  /** What the tips say that they lack. It stands when they say so too. */
  #told: readonly number[] | undefined;
  #asks = 0;
  #steps = 0;
  send: readonly number[] | undefined;

  constructor(index: HeldIds) {
    this.#index = index;
    this.#room = new Snapshot(index.graph);
    this.#symbols = index.symbols.asOf(this.#room.size);
  }

  /** Throws `DecodeError` for what is no message or does not follow; the reconciliation has failed then. */
  receive(value: unknown): Message | undefined {
    const expected = this.#expected;
    this.#expected = [];
    if (++this.#steps > MOST_STEPS) throw new DecodeError('a reconciliation that does not end');
    const message = readMessage(value, expected);
    switch (message.step) {
      case 'open':
        return this.#open(message);
      case 'ask':
        return this.#more(message);
      case 'tips':
        return this.#tips(message);
      case 'walk':
        return this.#next({ step: 'nodes', elements: this.#index.tree.describeEach(message.paths) });
      case 'want':
        return this.#end(this.#symbols.nodesOf(readShort(message.ids)).flat());
      case 'want-whole':
        return this.#end(this.#room.numbersOf(message.ids).filter((node) => node >= 0));
      case 'ahead':
        return this.#end([]);
      case 'done':
        if (!this.#told) throw new DecodeError('nothing to be done with');
        return this.#end(this.#told);
      default:
        throw new DecodeError('not for this side');
    }
  }

  #open({ root, heads, keyed }: MessageOf<'open'>): Message {
    const room = this.#room;
    if (equalBytes(root, room.root)) {
      this.#end([]);
      return { step: 'same' };
    }
    const known = heads && room.numbersOf(heads);
    if (known && !known.includes(-1)) {
      const send = room.beyond(known);
      this.#end(send);
      return { step: 'ahead', sends: send.length };
    }
    if (keyed) this.#drawKey();
    const symbols = writeSymbols(this.#symbols.upTo(FIRST_SYMBOLS), 0);
    return this.#next({ step: 'differ', size: room.size, ...fewHeads(room), symbols, ...this.#keyField() });
  }

  #more({ from, count, keyed }: MessageOf<'ask'>): Message {
    if (from + count > MOST_SYMBOLS || ++this.#asks > 2 * MOST_ASKS)
      throw new DecodeError('too many symbols asked for');
    if (keyed && !this.#key) this.#drawKey();
    const symbols = writeSymbols(this.#symbols.upTo(from + count), from);
    return this.#next({ step: 'symbols', symbols, ...this.#keyField() });
  }

  #tips(message: MessageOf<'tips'>): Message {
    const theirs = readTips(message.tips);
    const room = this.#room;
    const held = room.chains.length <= MOST_TIPS ? heldBy(room, theirs) : undefined;
    if (!held) return this.#next({ step: 'no-tips' });
    this.#told = room.beyond(held);
    const tips = writeTips(otherTips(room, theirs));
    const sum = writeShort(room.shortSum(this.#told));
    return this.#next({ step: 'other-tips', tips, sends: this.#told.length, sum });
  }

  #drawKey(): void {
    this.#key = newKey();
    this.#symbols = keyedSymbols(this.#room.graph, this.#room.size, this.#key);
  }

  #keyField(): { key?: Uint8Array } {
    return this.#key ? { key: writeShort(this.#key) } : {};
  }

  #next(message: Message): Message {
    this.#expected = AFTER_OPEN;
    return message;
  }

  #end(send: readonly number[]): undefined {
    this.send = inOrder(send);
  }
}

export function inOrder(nodes: readonly number[]): number[] {
  return [...new Set(nodes)].sort((a, b) => a - b);
}
