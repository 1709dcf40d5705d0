/**
 * The side of a reconciliation that asks. It decides what is worth asking for: [RC6]
 *
 * heads, which are exact when one side is ahead; symbols, whose first few tell a small difference and estimate a larger
 * one; tips of chains where these are fewer bytes; symbols under a new key when the others do not decode; at last a walk
 * down the tree. Each way either gives exactly what both sides lack or shows that it does not, and each is bounded.
 */
import { DecodeError, concatBytes, fromHex } from '../codec/bytes/bytes.js';
import type { NodeId } from '../graph/node.js';
import { Cells, type Sides } from './cells.js';
import { estimate, symbolsFor } from './estimate.js';
import type { HeldIds } from './held-ids.js';
import { MOST_PATHS, type Message, type MessageOf, type Step, fewHeads, readMessage } from './messages.js';
import { FIRST_SYMBOLS, MOST_ASKS, type Side, inOrder } from './responder.js';
import { SHORT_BYTES, SHORT_WORDS, readShort, writeShorts } from './short-ids.js';
import { Snapshot } from './snapshot.js';
import { MOST_SYMBOLS, SYMBOL_BYTES, type Symbols, keyedSymbols, readSymbols, symbolCells } from './symbols.js';
import { MOST_TIPS, USUAL_TIP_BYTES, heldBy, ownTips, readTips, sharedTips, writeTips } from './tips.js';
import { TreeWalk } from './tree-walk.js';

const FIRST_KEYED = 128;
/** Paths that one walk may ask for. */
const MOST_WALKED = 1 << 21;

export class Initiator implements Side {
  readonly #index: HeldIds;
  readonly #room: Snapshot;
  #expected: readonly Step[] = [];
  #theirSize = 0;
  /** Ours, under the key of the symbols that they send. */
  #own: Symbols;
  #isKeyed = false;
  #received = new Cells(0, SHORT_WORDS);
  #awaited = FIRST_SYMBOLS;
  #asks = 0;
  /** Ids of the difference, about. */
  #estimated = 0;
  #tipsAreLeft: boolean;
  #walk: TreeWalk | undefined;
  send: readonly number[] | undefined;

  constructor(index: HeldIds) {
    this.#index = index;
    this.#room = new Snapshot(index.graph);
    this.#own = index.symbols.asOf(this.#room.size);
    this.#tipsAreLeft = this.#room.chains.length <= MOST_TIPS / 2;
  }

  /** The first message. `keyed` when the rooms still differ after an earlier attempt: then no id can have been prepared. */
  open(keyed = false): Message {
    const { root, size } = this.#room;
    this.#expected = ['same', 'ahead', 'differ'];
    this.#awaited = FIRST_SYMBOLS;
    return { step: 'open', root, size, ...fewHeads(this.#room), ...(keyed ? { keyed } : {}) };
  }

  /** Throws `DecodeError` for what is no message or does not follow; the reconciliation has failed then. */
  receive(value: unknown): Message | undefined {
    const expected = this.#expected;
    this.#expected = [];
    const message = readMessage(value, expected);
    switch (message.step) {
      case 'same':
      case 'ahead':
        this.send = [];
        return undefined;
      case 'differ':
        return this.#differ(message);
      case 'symbols':
        return this.#take(message);
      case 'other-tips':
        return this.#compareTips(message);
      case 'no-tips':
        return this.#goOn();
      case 'nodes':
        this.#walk?.take(message.elements);
        return this.#walkOn();
      default:
        throw new DecodeError('not for this side');
    }
  }

  #differ(message: MessageOf<'differ'>): Message {
    this.#theirSize = message.size;
    const known = message.heads && this.#room.numbersOf(message.heads);
    if (!known || known.includes(-1)) return this.#take(message);
    const send = this.#room.beyond(known);
    return this.#last({ step: 'ahead', sends: send.length }, send);
  }

  #take({ symbols, key }: { symbols: Uint8Array; key?: Uint8Array | undefined }): Message {
    if (symbols.length !== this.#awaited * SYMBOL_BYTES) throw new DecodeError('not the symbols that were asked for');
    if (key && !this.#isKeyed) this.#begin(key);
    this.#received = this.#received.followedBy(readSymbols(symbols));
    const difference = Cells.difference(this.#received, this.#own.upTo(this.#received.length));
    this.#estimated = estimate(difference, this.#theirSize - this.#room.size);
    const sides = difference.peel(symbolCells);
    const send = sides && this.#ours(sides);
    if (sides && send) return this.#last({ step: 'want', ids: writeShorts(sides.theirs), sends: send.length }, send);
    // Symbols that decode to what cannot be were prepared: more of them would not help.
    if (sides) this.#asks = MOST_ASKS;
    return this.#goOn();
  }

  /** Symbols under a key that was drawn for this once. */
  #begin(bytes: Uint8Array): void {
    const [first, second] = readShort(bytes).values;
    this.#isKeyed = true;
    // Their sums are of the other symbols.
    this.#tipsAreLeft = false;
    this.#received = new Cells(0, SHORT_WORDS);
    this.#own = keyedSymbols(this.#room.graph, this.#room.size, [first!, second!]);
  }

  /** Our side of a difference as nodes; undefined when it does not fit what we hold. */
  #ours({ theirs, ours }: Sides): number[] | undefined {
    const surplus = (theirs.length - ours.length) / SHORT_WORDS;
    if (surplus !== this.#theirSize - this.#room.size) return undefined;
    const nodes = this.#own.nodesOf(ours);
    if (nodes.some((found) => found.length !== 1)) return undefined;
    return this.#own.nodesOf(theirs).every((found) => found.length === 0) ? nodes.flat() : undefined;
  }

  #goOn(): Message {
    const ids = this.#estimated;
    const before = this.#received.length;
    const count = symbolsFor(ids, before);
    if (this.#tipsAreLeft && this.#tipBytes(ids) < (count - before) * SYMBOL_BYTES + (ids / 2) * SHORT_BYTES) {
      this.#tipsAreLeft = false;
      return this.#next({ step: 'tips', tips: writeTips(ownTips(this.#room)) }, 'other-tips', 'no-tips');
    }
    if (count <= MOST_SYMBOLS && this.#asks++ < MOST_ASKS) return this.#ask(before, count);
    if (this.#isKeyed) return this.#beginWalk();
    this.#asks = 1;
    // What prepared symbols say of the size of the difference is not worth much either.
    return this.#ask(0, Math.min(count, FIRST_KEYED), true);
  }

  #tipBytes(ids: number): number {
    const chains = this.#room.chains.length;
    return USUAL_TIP_BYTES * (chains + Math.min(chains, ids));
  }

  #ask(from: number, to: number, keyed = this.#isKeyed): Message {
    this.#awaited = to - from;
    return this.#next({ step: 'ask', from, count: to - from, keyed }, 'symbols');
  }

  #compareTips({ tips, sends, sum }: MessageOf<'other-tips'>): Message {
    const room = this.#room;
    const others = readTips(tips);
    const told = heldBy(room, others);
    if (!told) return this.#goOn();
    const send = room.beyond([...sharedTips(room, others), ...told]);
    const [ours, theirs] = [room.shortSum(send), readShort(sum).values];
    const [own, other] = [this.#own.upTo(1).sumAt(0), this.#received.sumAt(0)];
    const fits = [0, 1].every((word) => (own[word]! ^ theirs[word]!) === (other[word]! ^ ours[word]!));
    if (fits && room.size + sends === this.#theirSize + send.length)
      return this.#last({ step: 'done', sends: send.length }, send);
    return this.#goOn();
  }

  #beginWalk(): Message {
    this.#walk = new TreeWalk(this.#index.tree, undefined, (id) => this.#number(id) >= 0, MOST_WALKED);
    return this.#walkOn();
  }

  #walkOn(): Message {
    const walk = this.#walk!;
    const paths = walk.next(MOST_PATHS);
    if (paths.length > 0) return this.#next({ step: 'walk', paths }, 'nodes');
    const send = [...walk.weHave].map((id) => this.#number(id));
    const ids = concatBytes([...walk.theyHave].map(fromHex));
    return this.#last({ step: 'want-whole', ids, sends: send.length }, send);
  }

  /** Number of a settled node, or -1. */
  #number(id: string): number {
    const node = this.#room.graph.find(id as NodeId);
    return node < this.#room.graph.settled ? node : -1;
  }

  #next(message: Message, ...expected: Step[]): Message {
    this.#expected = expected;
    return message;
  }

  #last(message: Message, send: readonly number[]): Message {
    this.send = inOrder(send);
    return message;
  }
}
