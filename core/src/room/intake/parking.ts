/**
 * Parking: the way in for what one peer sends, packs and messages, which are judged in rounds, in the order in which
 * they came. [AD7]
 *
 * A round takes everything that has come by then: of each chain only the newest seal is checked, one judgement decides, and
 * each sender hears of its own nodes. What comes meanwhile waits for the next round, and what came too early for its
 * seal or its ancestors. Each peer has a parking of its own: nobody's nodes make anybody else's go. [LM7]
 */
import { NodeCopy } from '../../codec/nodes/node-copy.js';
import { listOf, rangeOf } from '../../codec/nodes/places.js';
import type { Places } from '../../codec/packs/pack-writer.js';
import {
  type OpenMessage,
  type OpenPack,
  type Seal,
  SLICE_NODES,
  isMessage,
  nodesIn,
  openMessage,
  openPack,
  openSlowly,
} from '../../codec/packs/pack.js';
import { DIGEST_WORDS, digestHex } from '../../codec/sha256/words.js';
import type { Graph } from '../../graph/graph.js';
import type { NodeId } from '../../graph/node.js';
import type { Verifying } from '../../ports/crypto.js';
import type { Spans } from '../../ports/tracing.js';
import { type CheckedPack, checkSeals, newestSeals, saysOfKeys, verifySeals } from '../admission/checked-pack.js';
import type { KeyChecks } from '../admission/key-rules.js';
import type { Judgement, RefusedNode, Verdict } from '../admission/judgement.js';
import { type Allowance, PARKED, Parked } from './parked.js';

/** How much is read while something is being judged: what was judged is taken from under all of it. */
const BUSY_NODES = 1024;

/** A pack that is no larger is judged together with what else has come; nothing is copied of one that is. */
const SMALL = { nodes: 256, content: 64 * 1024 };

/** Spans of all whose nodes are judged at once: only a host knows what they mean. */
export type SendersSpans = readonly (Spans | undefined)[];

/** Next step of a node behind its parking: a room's writer, or a replica. */
export interface Admitting {
  /** What checks mandates and certificates; where it was not needed before, it is brought here, and judges from then on. */
  keyChecks(): KeyChecks | Promise<KeyChecks>;
  /** Lets in what may enter, unless some seals are doubted. `bytes` hold what is judged and nothing else; `asked` are spans of its senders. */
  admit(pack: CheckedPack, bytes?: Uint8Array, asked?: SendersSpans): Judgement | Promise<Judgement>;
}

interface Sender {
  readonly spans?: Spans | undefined;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

interface Received extends Sender {
  readonly bytes: Uint8Array;
}

/** Pack that is judged by itself. */
interface Large {
  readonly open: () => OpenPack | Promise<OpenPack>;
  readonly received: Received;
}

/** Whose nodes [from, to) wait to be judged, those before `end` whether a seal covers them or not. */
interface Asked extends Sender {
  from: number;
  to: number;
  end: number;
  readonly bytes?: Uint8Array;
}

/** What became of a message when it was read. */
type Opened =
  | { readonly unsealed: Unsealed; readonly asked?: undefined }
  | { readonly unsealed?: undefined; readonly asked: Pick<Asked, 'from' | 'to' | 'end'> };

/** What is judged together: nodes before `end`, with seals that nobody has checked yet. */
interface Round {
  readonly end: number;
  readonly seals: readonly Seal[];
  /** Places of each sender's nodes. */
  readonly places: readonly Places[];
  readonly spans: SendersSpans;
  /** The pack or message itself, if one sender has sent all of it. */
  readonly bytes: Uint8Array | undefined;
}

export class Parking {
  readonly #crypto: Verifying;
  readonly #openMessage: OpenMessage;
  readonly #next: Admitting;
  readonly #parked: Parked;
  /** Nodes that came too early or are being judged; others stand behind them. */
  #waiting = 0;
  /** Senders whose nodes are judged in the next round, and the seals that came with these. */
  #asked: Asked[] = [];
  #seals: Seal[] = [];
  #mandates: ReadonlySet<string> | undefined;
  /** What there was no room for, and a pack that is judged by itself before any of it. */
  readonly #line = new Set<Received>();
  #large: Large | undefined;
  #isBusy = false;

  readonly #pause: (() => Promise<void>) | undefined;

  /** `shared` is for what waits here and in other parkings; `pause` lets others have a turn between slices of a large pack. */
  constructor(
    crypto: Verifying,
    next: Admitting,
    shared?: Allowance,
    open: OpenMessage = openMessage,
    pause?: () => Promise<void>,
  ) {
    this.#crypto = crypto;
    this.#openMessage = open;
    this.#pause = pause;
    this.#next = next;
    this.#parked = new Parked(shared);
  }

  /**
   * Answers what became of the nodes; a message without a seal waits, and nothing is judged, so it is answered at once. Throws
   * or rejects with a `DecodeError` for what is none.
   */
  receive(bytes: Uint8Array, spans?: Spans): Verdict | Promise<Verdict> {
    const mayRead = this.#hasRoom && this.#line.size === 0;
    const message = mayRead && isMessage(bytes) ? this.#open(bytes) : undefined;
    if (message?.unsealed) return message.unsealed;
    return new Promise((resolve, reject) => {
      const received = { bytes, spans, resolve, reject };
      if (message) this.#ask({ ...received, ...message.asked });
      else if (mayRead) this.#read(received);
      else this.#line.add(received);
    });
  }

  /** Whether nothing waits, and nothing is being judged. */
  get isEmpty(): boolean {
    return !this.#isBusy && this.#parked.table.size === 0 && this.#line.size === 0 && this.#asked.length === 0;
  }

  /** Whether one of the graph's nodes from `from` on is waited for. */
  isAwaited(graph: Graph, from: number): boolean {
    return this.#parked.isAwaited(graph, from);
  }

  /** Judges again what waits. */
  judgeAgain(): Promise<Verdict> {
    return new Promise((resolve, reject) => this.#ask({ from: 0, to: 0, end: 0, resolve, reject }));
  }

  /** The peer has gone: what waits is given up, and what is being judged does not wait afterwards. */
  close(): void {
    this.#parked.close();
  }

  /** Whether more may be read while what waits is being judged. */
  get #hasRoom(): boolean {
    if (!this.#isBusy) return true;
    const { table, weight } = this.#parked;
    return !this.#large && table.size - this.#waiting < BUSY_NODES && weight < PARKED.weight;
  }

  /** What has come so far needs no more than to wait: that makes room. */
  #readOn(): void {
    this.#waiting = this.#parked.trim(this.#parked.table.size);
    const [first] = this.#line;
    if (!first) return;
    this.#line.delete(first);
    this.#read(first);
    this.#readLine();
  }

  #readLine(): void {
    for (const received of this.#line) {
      if (!this.#hasRoom) return;
      this.#line.delete(received);
      this.#read(received);
    }
  }

  #read(received: Received): void {
    try {
      if (isMessage(received.bytes)) this.#readMessage(received);
      else this.#readPack(received);
    } catch (error) {
      received.reject(error);
    }
  }

  #readMessage(received: Received): void {
    const { unsealed, asked } = this.#open(received.bytes);
    if (unsealed) received.resolve(unsealed);
    else this.#ask({ ...received, ...asked });
  }

  /** Reads a message, which has to be judged, or waits for its seal. */
  #open(bytes: Uint8Array): Opened {
    const { table } = this.#parked;
    const from = table.size;
    const seals = this.#openMessage(bytes, table);
    for (const seal of seals) this.#seals.push(seal);
    const last = seals.at(-1);
    if (last) return { asked: { from, to: table.size, end: last.index + 1 } };
    const unsealed = new Unsealed(table.ids.values.slice(from * DIGEST_WORDS, table.size * DIGEST_WORDS));
    if (!this.#isBusy) this.#waiting = this.#parked.trim(table.size);
    return { unsealed };
  }

  #readPack(received: Received): void {
    const pause = this.#pause;
    if (pause && nodesIn(received.bytes) > SLICE_NODES) {
      this.#large = { open: () => openSlowly(received.bytes, pause), received };
      return this.#begin();
    }
    const pack = openPack(received.bytes);
    const { size, content } = pack.table;
    // An authority vouches for the headers of its own pack.
    if (size > SMALL.nodes || content.length > SMALL.content || pack.attestation) {
      this.#large = { open: () => pack, received };
      return this.#begin();
    }
    const { table } = this.#parked;
    const from = table.size;
    const copy = new NodeCopy(pack.table, table);
    for (let place = 0; place < pack.table.size; place++) copy.copy(place, 0);
    for (const seal of pack.seals) this.#seals.push({ ...seal, index: from + seal.index });
    this.#ask({ ...received, from, to: table.size, end: table.size });
  }

  #ask(asked: Asked): void {
    this.#asked.push(asked);
    this.#begin();
  }

  #begin(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#waiting = this.#parked.table.size;
    void this.#run();
  }

  async #run(): Promise<void> {
    await undefined; // what comes in the same turn of the event loop is taken along
    for (;;) {
      if (this.#asked.length > 0) await this.#judgeAsked();
      else if (this.#large) await this.#judgeLarge(this.#large);
      else if (this.#line.size > 0) this.#readOn();
      else break;
    }
    this.#waiting = this.#parked.trim(this.#parked.table.size);
    this.#isBusy = false;
  }

  /** Judges what was asked for; each sender is answered, come what may. */
  async #judgeAsked(): Promise<void> {
    const asked = this.#asked;
    try {
      const round = this.#nextRound();
      this.#readLine();
      const judgement = await this.#judgeRound(round);
      const verdicts = round.places.map((places) => judgement.verdictOn(places));
      this.#keep(judgement);
      await this.#judgeWoken(judgement);
      for (const [i, { resolve }] of asked.entries()) resolve(verdicts[i]!);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    this.#readLine();
  }

  #nextRound(): Round {
    const [asked, seals] = [this.#asked, this.#seals];
    this.#asked = [];
    this.#seals = [];
    this.#waiting = this.#parked.table.size;
    const spans = asked.map((one) => one.spans);
    const end = asked.reduce((most, one) => Math.max(most, one.end), 0);
    const [first] = asked;
    const isAll = asked.length === 1 && first?.from === 0 && first.to === end && end === this.#waiting;
    const sorted = this.#parked.sort(this.#waiting);
    const places = asked.map(({ from, to }) => (sorted ? listOf([...sorted.subarray(from, to)]) : rangeOf(from, to)));
    if (!sorted) return { end, seals, places, spans, bytes: isAll ? first.bytes : undefined };
    const moved = seals.map((seal) => ({ ...seal, index: sorted[seal.index]! })).sort(byIndex);
    return {
      end: sorted.subarray(0, end).reduce((most, place) => Math.max(most, place + 1), 0),
      seals: moved,
      places,
      spans,
      bytes: undefined,
    };
  }

  async #judgeRound({ end, seals, places, spans, bytes }: Round): Promise<Judgement> {
    const { table } = this.#parked;
    // Alone, a message or pack is judged with all its seals: they are kept, and so are its bytes.
    const { newest, skipped } = places.length > 1 ? newestSeals(table, seals) : { newest: seals, skipped: [] };
    if (saysOfKeys(table)) await this.#checkMandates();
    const checked = await verifySeals(table, newest, this.#crypto);
    const judgement = await this.#next.admit(this.#sealed(end, checked, skipped), bytes, spans);
    const { doubted } = judgement;
    if (doubted.length === 0) return judgement;
    const others = await verifySeals(table, doubted, this.#crypto);
    const assured = skipped.filter((seal) => !doubted.includes(seal));
    return this.#next.admit(this.#sealed(end, [...checked, ...others], assured), bytes, spans);
  }

  /** What waits, with seals that have just been checked. */
  #sealed(end: number, checked: readonly CheckedPack['seals'][number][], skipped: readonly Seal[] = []): CheckedPack {
    const { table, seals: known, attestedBy } = this.#parked;
    const seals = [...known, ...checked].sort(byIndex);
    // What stands behind the last seal stays unsealed, but for headers.
    let size = Math.max(end, (seals.at(-1)?.index ?? -1) + 1);
    for (const place of table.withheld.keys()) size = Math.max(size, place + 1);
    return { table, size, seals, skipped, attestedBy, mandates: this.#mandates };
  }

  /** Checks the mandates of all nodes that wait; what was checked before is not checked again. */
  async #checkMandates(): Promise<void> {
    const checks = await this.#next.keyChecks();
    this.#mandates = await checks.checkMandates(this.#parked.table, this.#crypto, this.#mandates);
  }

  /** What some of the nodes that wait lacked may just have come with others. */
  async #judgeWoken(before: Judgement): Promise<void> {
    let last = before;
    while (this.#parked.isAwaited(last.graph, last.from)) last = await this.#judgeParked();
  }

  async #judgeParked(): Promise<Judgement> {
    this.#parked.sort(this.#waiting);
    if (saysOfKeys(this.#parked.table)) await this.#checkMandates();
    const judgement = await this.#next.admit(this.#sealed(0, []));
    this.#keep(judgement);
    return judgement;
  }

  #keep(judgement: Judgement): void {
    const before = this.#waiting;
    this.#waiting = this.#parked.keep(judgement, before);
    const shift = before - this.#waiting;
    if (shift === 0) return;
    for (const one of this.#asked) {
      one.from -= shift;
      one.to -= shift;
      one.end -= shift;
    }
    this.#seals = this.#seals.map((seal) => ({ ...seal, index: seal.index - shift }));
  }

  async #judgeLarge({ open, received }: Large): Promise<void> {
    try {
      const checked = await checkSeals(await open(), this.#crypto, () => this.#next.keyChecks());
      await this.#pause?.();
      const judgement = await this.#next.admit(checked, received.bytes, [received.spans]);
      const { verdict } = judgement;
      const before = this.#waiting;
      this.#waiting = this.#parked.add(judgement);
      const mayCoverOthers = before > 0 && this.#waiting > before;
      await this.#judgeWoken(mayCoverOthers ? await this.#judgeParked() : judgement);
      received.resolve(verdict);
    } catch (error) {
      received.reject(error);
    } finally {
      this.#large = undefined;
    }
  }
}

function byIndex(a: Seal, b: Seal): number {
  return a.index - b.index;
}

/** What became of a message without a seal: its nodes wait. Their ids become text when somebody asks. */
class Unsealed implements Verdict {
  readonly accepted = 0;
  readonly duplicates = 0;
  readonly #ids: Int32Array;

  constructor(ids: Int32Array) {
    this.#ids = ids;
  }

  get refused(): readonly RefusedNode[] {
    const refused: RefusedNode[] = [];
    for (let at = 0; at < this.#ids.length; at += DIGEST_WORDS)
      refused.push({ id: digestHex(this.#ids, at) as NodeId, reason: 'unsealed' });
    return refused;
  }
}
