/**
 * Relay of the room's nodes to one peer: which, and in which order. [PK8]
 *
 * The peer is somewhere in the log: it has been sent what lies before. While it is at the end, each commit goes out as it
 * comes, encoded once for all; when it is not, it is sent the log from where it is, as its socket takes it. Asked-for
 * nodes go before.
 */
import type { Rights } from '../access/rights.js';
import type { Followed, Joining, NodeSelection } from '../contract/effect.js';
import type { Clock } from '../ports/clock.js';
import type { Reading } from '../room/reading/packed-log.js';
import type { Sight } from '../room/reading/sight.js';
import type { Room } from '../room/room.js';
import type { Commit, CommitPart } from '../room/writing/commit.js';
import type { Tenancy } from '../tenancy/tenancy.js';
import { SharedFrame } from '../wire/frame.js';
import { relayedPack } from '../wire/notices.js';
import type { Outbox, Source } from './outbox.js';

/** Nodes from the server: the fields of a `pack` frame. */
export interface PackBody {
  readonly from: string;
  readonly nodes: Uint8Array;
  readonly root: string;
  readonly final?: boolean;
}

export interface RelayParts {
  readonly outbox: Outbox;
  readonly sessionId: string;
  /** What the peer may do just now. */
  readonly rights: () => Rights;
  readonly clock: Clock;
  /** How long the peer may stay behind the log. */
  readonly behindMs: number;
  /** Called when the peer has stayed behind for longer. */
  readonly lost: () => void;
}

/** Frame of each part of a commit, encoded once, however many receive it. */
const relayed = new WeakMap<CommitPart, SharedFrame>();

/** Frame of each pack of history, encoded once for all who enter while the room has the same heads. */
const entered = new WeakMap<Uint8Array, SharedFrame>();

/** Answers that a peer may be owed at a time. */
export const MOST_ASKED = 64;

/** What is echoed from a request. [ER2] */
type Request = { readonly req_id?: unknown };

export class Relay implements Source {
  readonly #parts: RelayParts;
  readonly #tenancy: Tenancy;
  readonly #room: Room;
  readonly #asked: AsyncIterator<SharedFrame>[] = [];
  /** What it follows, by name; the one that was asked last stands last. */
  readonly #followed = new Map<string, Followed>();
  #sight: Sight | undefined;
  /** The peer has been sent the log up to here. */
  #sent = 0;
  /** Nodes up to here touch nothing that the peer sees: their headers go with the next one that does. */
  #seen = 0;
  #cancelBehind: (() => void) | undefined;

  constructor(parts: RelayParts, tenancy: Tenancy) {
    this.#parts = parts;
    this.#tenancy = tenancy;
    this.#room = tenancy.room;
  }

  /** How much of the log the peer has been sent. */
  get sent(): number {
    return this.#sent;
  }

  /** Whether it has been sent all that there is, and would see whatever comes. */
  get isResting(): boolean {
    const isServed = this.#asked.length === 0 && this.#sent === this.#room.seq && !this.#cancelBehind;
    return isServed && !this.#sight && this.#parts.outbox.isIdle;
  }

  /** How many asked-for answers wait. */
  get waiting(): number {
    return this.#asked.length;
  }

  /** Begins with the history, but for what the peer holds. */
  begin(catchUp: Joining['catchUp'], sight: Sight | undefined): void {
    const room = this.#room;
    const { outbox } = this.#parts;
    this.#sight = sight;
    this.#sent = this.#seen = room.seq;
    const held = 'known' in catchUp ? room.nodes.pastOf(catchUp.known) : room.nodes.allBut(catchUp.numbers);
    this.#asked.push(this.#history(room.seq, { held, sight }, {}, { isCatchUp: true }));
    outbox.follow(this);
  }

  /** Goes on behind what the peer has been sent before the room left memory, with what it followed. */
  goOn(sent: number, followed: ReadonlyMap<string, Followed>): void {
    this.#sent = this.#seen = sent;
    for (const [name, one] of followed) this.#followed.set(name, one);
    this.#parts.outbox.follow(this);
  }

  /** Sends nodes that were asked for: the history but for what is known, or just some. */
  send(select: NodeSelection, request: Request = {}): void {
    const room = this.#room;
    const { outbox } = this.#parts;
    const sight = this.#sight;
    this.#asked.push(
      'known' in select
        ? this.#history(room.seq, { held: room.nodes.pastOf(select.known), sight }, request)
        : this.#some('ids' in select ? room.nodes.numbersOf(select.ids) : select.numbers, sight, request),
    );
    outbox.wake();
  }

  get followed(): ReadonlyMap<string, Followed> {
    return this.#followed;
  }

  /** Tells the peer of this too from now on, in place of what it followed under that name. */
  follow(name: string, followed: Followed | undefined): void {
    this.#followed.delete(name);
    if (!followed) return;
    this.#followed.set(name, followed);
    this.#parts.outbox.wake();
  }

  /** Tells of nothing any more but nodes: the room is about to end. */
  unfollow(): void {
    this.#followed.clear();
  }

  /** Sends these frames, one when the one before was taken. */
  stream(frames: readonly SharedFrame[]): void {
    this.#asked.push(oneByOne(frames));
    this.#parts.outbox.wake();
  }

  /** Gives the peer another sight. Of what it was sent as headers, what it sees now is sent whole; answers whether there is any. */
  look(sight: Sight | undefined, request: Request = {}): boolean {
    const { seq } = this.#room;
    const shown = this.#shownBy(sight);
    this.#sight = sight;
    if (shown.length > 0) this.#asked.push(this.#some(shown, sight, request));
    this.#seen = this.#sent;
    while (this.#seen < seq && sight?.has(this.#seen)) this.#seen++;
    this.#parts.outbox.wake();
    return shown.length > 0;
  }

  /** Nodes of which the peer was sent the header alone, and which it sees by another sight. */
  #shownBy(sight: Sight | undefined): readonly number[] {
    const shown: number[] = [];
    const before = this.#sight;
    if (before)
      for (let node = 0; node < this.#sent; node++) if (before.hides(node) && !sight?.hides(node)) shown.push(node);
    return shown;
  }

  committed(commit: Commit): void {
    this.#relay(commit);
    if (this.#followed.size > 0) this.#parts.outbox.wake();
  }

  #relay(commit: Commit): void {
    const room = this.#room;
    const { outbox, sessionId } = this.#parts;
    const isOwn = commit.parts.every(({ origin }) => origin.session === sessionId);
    if (isOwn && this.#sent === commit.from) {
      this.#sent = this.#seen = commit.to; // the peer has it
      return;
    }
    if (this.#sight) {
      for (; this.#seen < commit.to; this.#seen++) if (!this.#sight.has(this.#seen)) return this.#fallBehind();
      return;
    }
    const isAtEnd = outbox.isIdle && this.#asked.length === 0 && this.#sent === commit.from;
    if (commit.isLong || !isAtEnd) return this.#fallBehind();
    this.#sent = this.#seen = commit.to;
    for (const part of commit.parts)
      if (part.origin.session !== sessionId) outbox.send(this.#relayed(part, room.heads.root));
  }

  close(): void {
    this.#cancelBehind?.();
  }

  /** History that was asked for takes its time; from its end on the peer must get to the end of the log in time. */
  #fallBehind(): void {
    const { clock, behindMs, lost, outbox } = this.#parts;
    if (this.#asked.length === 0) this.#cancelBehind ??= clock.after(behindMs, lost);
    outbox.wake();
  }

  async next(): Promise<SharedFrame | undefined> {
    for (let asked = this.#asked[0]; asked; asked = this.#asked[0]) {
      const { value, done } = await asked.next();
      if (!done) return value;
      this.#asked.shift();
    }
    return (await this.#behind()) ?? (this.#followed.size > 0 ? this.#told() : undefined);
  }

  /** The next frame of what the peer follows, each in its turn. */
  async #told(): Promise<SharedFrame | undefined> {
    for (const [name, followed] of [...this.#followed]) {
      const told = await followed.next(this.#tenancy, this.#parts.rights());
      if (!told || this.#followed.get(name) !== followed) continue; // or it has ended meanwhile
      this.#followed.delete(name);
      if (!told.isLast) this.#followed.set(name, followed);
      return new SharedFrame(told.frame);
    }
    return undefined;
  }

  /** The next part of the log that the peer has not been sent. */
  async #behind(): Promise<SharedFrame | undefined> {
    const room = this.#room;
    const sight = this.#sight;
    if (this.#sent === room.seq || (sight && this.#seen === room.seq)) {
      this.#cancelBehind?.();
      this.#cancelBehind = undefined;
      return undefined;
    }
    const [from, to] = [this.#sent, room.packed.endOfPart(this.#sent)];
    this.#sent = to;
    this.#seen = Math.max(this.#seen, to);
    const nodes = await room.packed.read(from, to, { sight });
    return (
      nodes && this.#frame({ from: room.packed.authorOf(from, to, sight) ?? 'server', nodes, root: room.heads.root })
    );
  }

  async *#history(
    end: number,
    reading: Reading,
    request: Request,
    { isCatchUp = false } = {},
  ): AsyncGenerator<SharedFrame> {
    const room = this.#room;
    const { root } = room.heads;
    let held: Uint8Array | undefined;
    const framed = (body: PackBody): SharedFrame => (isCatchUp ? this.#entered(body) : this.#frame(body, request));
    for (let from = 0; from < end;) {
      const to = Math.min(end, room.packed.endOfPart(from));
      const nodes = await room.packed.read(from, to, reading);
      from = to;
      if (!nodes) continue;
      if (held) yield framed({ from: 'server', nodes: held, root });
      held = nodes;
    }
    yield framed({ from: 'server', nodes: held ?? room.packed.emptyPack, root, final: true });
  }

  #entered(body: PackBody): SharedFrame {
    const known = entered.get(body.nodes);
    if (known?.frame['root'] === body.root && known.frame['final'] === body.final) return known;
    const frame = this.#frame(body);
    entered.set(body.nodes, frame);
    return frame;
  }

  /** Frames of some nodes, a few in each: a node may be as long as a frame. */
  async *#some(numbers: readonly number[], sight: Sight | undefined, request: Request): AsyncGenerator<SharedFrame> {
    const room = this.#room;
    const parts = room.packed.partsOf(numbers);
    for (const part of parts.slice(0, -1)) {
      const nodes = await room.packed.select(part, sight);
      yield this.#frame({ from: 'server', nodes, root: room.heads.root }, request);
    }
    const last = parts.at(-1);
    const nodes = last ? await room.packed.select(last, sight) : room.packed.emptyPack;
    yield this.#frame({ from: 'server', nodes, root: room.heads.root, final: true }, request);
  }

  #relayed(part: CommitPart, root: string): SharedFrame {
    const known = relayed.get(part);
    if (known) return known;
    const frame = this.#frame({ from: part.origin.from, nodes: part.pack, root });
    relayed.set(part, frame);
    return frame;
  }

  #frame(body: PackBody, request: Request = {}): SharedFrame {
    return new SharedFrame({ ...relayedPack.frame(body), ...request });
  }
}

async function* oneByOne(frames: readonly SharedFrame[]): AsyncGenerator<SharedFrame> {
  yield* frames;
}
