/**
 * Reference model of a room server: what each peer must, may and must not see, kept from what goes by. It knows the disk's
 * records and the frames on the network, and nothing of how rooms are made. Each law has a name, by which a breach is told.
 */
import { type Op, type RoomId, type Segment, decodePack, fromBase64, toHex } from '@weft/core';
import { type Frame, parseFrame } from '@weft/core/testing';
import { byBytes } from './by-bytes.js';
import { secretIn } from './canaries.js';
import type { Line } from './network.js';

export const LAWS = {
  'acknowledged-is-durable': 'What a `pack-ack` counts as taken is on the disk by then.',
  'log-without-gaps': 'Records of a log follow each other, each where the one before ends.',
  'seq-never-back': 'The `canonical_seq` of a room never goes back for who has been told of it, nor ahead of its log.',
  'answered-once': 'No request gets two answers of a kind, and no answer is to what was not asked.',
  'told-of-all':
    'Who is in a room, reads all of it and takes what comes is sent every node that its log gets, but for those that it has sent itself.',
  'nothing-waits': 'Once faults have stopped, every request is answered, and everything that was written is durable.',
  'secrets-stay': 'Nothing of a locked room reaches who may not read it, by whatever way.',
  'one-room':
    'Replicas that hold all of a room, its host, and its log read from the beginning have the same values and the same hash.',
  'same-after-restart': 'A room answers after a restart what it answered before.',
  'nobody-forged': 'A log holds nothing in the name of somebody who has not sent just that.',
  'erased-is-gone':
    'What was erased is in no record of its room’s log once that is answered, and nobody who comes later is sent it.',
  'followed-in-order':
    'Who follows a room is told every node of its log once, in its order, over whatever connections, hosts and restarts.',
  'watched-as-it-is': 'Who watches the rows of a query has, once all is told, those that are proved of the room.',
  'proved-as-it-is': 'What a host proves of a room and a moment verifies, and is what the log says of that moment.',
  'no-bugs': 'Nothing fails but what was made to fail.',
} as const;

export type Law = keyof typeof LAWS;

export class Breach extends Error {
  override readonly name = 'Breach';
  readonly law: Law;

  constructor(law: Law, why: string) {
    super(`${law}: ${why}`);
    this.law = law;
  }
}

const LOCK = '\0lock';
/** MessagePack of null. */
const NIL = 0xc0;

interface Request {
  readonly frame: Frame;
  readonly answers: Map<string, number>;
}

/** What a connection has of its room's log behind where it was when it was welcomed. */
interface Heard {
  readonly from: number;
  readonly ids: Set<string>;
}

/** Frames that change what of a room a connection is sent. */
const NARROWING = new Set(['subscribe', 'refresh-token']);

/** Answers that come in several frames; each of these counts for nothing until the last one. */
const SEVERAL = new Set(['pack', 'blob-pack', 'blob-available']);

export class Model {
  breach: Breach | undefined;
  /** Ids of the nodes of each log, in its order. */
  readonly logs = new Map<string, string[]>();
  readonly #requests = new Map<Line, Map<unknown, Request>>();
  readonly #ended = new WeakSet<Line>();
  /** Connections that are to be sent all of their room. */
  readonly #hearing = new Map<Line, Heard>();
  /** Nodes that connections have sent, be it before they were welcomed: those are not sent to them again. */
  readonly #sent = new Map<Line, Set<string>>();
  /** Connections that have asked for less, be it before they were welcomed. */
  readonly #narrowed = new WeakSet<Line>();
  /** Each room's own genesis: what nodes of other rooms say of locks counts for nothing. */
  readonly #geneses = new Map<string, string>();
  readonly #beginsAt = new Map<string, number>();
  /** What was erased of each room: nodes, each with the keys under which they say nothing any more. */
  readonly #erased = new Map<string, Map<string, Set<string>>>();
  /** Erasures so far, and how many there were when somebody said hello. */
  #erasures = 0;
  readonly #erasedBefore = new WeakMap<Line, number>();
  readonly #lastErased = new Map<string, number>();
  /** Rooms whose log says that they are locked. */
  readonly #locked = new Set<string>();
  /** Number of the secrets that are written now; those of lower numbers were in a room that was opened to everybody. */
  secrets = 0;
  readonly #told = new Map<string, number>();
  /** How many rooms of each name are gone. */
  readonly #gone = new Map<string, number>();
  /** Who may read secrets. */
  readonly #mayReadSecrets: (who: string) => boolean;
  /** Keys of those whose every node goes by here, and the nodes that they have sent. */
  readonly authors = new Set<string>();
  readonly #made = new Set<string>();
  /** Types of frames and events that were seen as answers, each with how often. */
  readonly seen = new Map<string, number>();

  constructor(mayReadSecrets: (who: string) => boolean) {
    this.#mayReadSecrets = mayReadSecrets;
  }

  wrong(law: Law, why: string): void {
    this.breach ??= new Breach(law, why);
  }

  kept(room: RoomId, at: number, records: readonly Segment[]): void {
    const log = this.logs.get(room) ?? [];
    this.logs.set(room, log);
    if (log.length !== at)
      this.wrong('log-without-gaps', `${room}: a record at ${at} of a log that ends at ${log.length}`);
    for (const { pack } of records)
      for (const { id, author, room: of, ops } of decodePack(pack).nodes) {
        if (this.authors.has(toHex(author)) && !this.#made.has(toHex(id)))
          this.wrong('nobody-forged', `${room} holds ${toHex(id).slice(0, 8)}, which its author has not sent`);
        if (log.length === (this.#beginsAt.get(room) ?? 0)) this.#geneses.set(room, toHex(id));
        log.push(toHex(id));
        for (const op of ops) if (op.key === LOCK && toHex(of) === this.#geneses.get(room)) this.#locks(room, op);
        // Whoever takes an archive into an open room shows it to everybody.
        if (!this.#locked.has(room) && secretIn(ops, this.secrets) !== undefined) this.secrets++;
      }
  }

  /** The room is gone; whatever has its name next is another one. */
  removed(room: string): void {
    this.#gone.set(room, this.lifeOf(room) + 1);
    this.logs.delete(room);
    this.#locked.delete(room);
    this.#told.delete(room);
    this.#beginsAt.delete(room);
    this.#erased.delete(room);
  }

  /** Secrets of a room that is opened are none any more, as soon as that is durable. */
  #locks(room: string, op: { readonly kind: string; readonly value?: Uint8Array }): void {
    const isLocked = op.value !== undefined && op.value[0] !== NIL;
    if (isLocked) this.#locked.add(room);
    else this.#locked.delete(room);
    if (!isLocked) this.secrets++;
  }

  /** These nodes have lost what they said under a key. */
  erased(room: string, key: string, nodes: readonly string[]): void {
    const erased = this.#erased.get(room) ?? new Map<string, Set<string>>();
    this.#erased.set(room, erased);
    this.#lastErased.set(room, ++this.#erasures);
    for (const id of nodes) erased.set(id, (erased.get(id) ?? new Set()).add(key));
  }

  /** Looks at a record that its log has now. */
  holds(room: string, pack: Uint8Array): void {
    const found = this.#erasedIn(room, pack);
    if (found) this.wrong('erased-is-gone', `${room} holds what ${found}`);
  }

  /** Looks at what is sent to somebody who has come since the last erasure. */
  #isSent(line: Line, pack: Uint8Array): void {
    const { name, room } = line;
    if ((this.#erasedBefore.get(line) ?? 0) < (this.#lastErased.get(room) ?? 0)) return;
    const found = this.#erasedIn(room, pack);
    if (found) this.wrong('erased-is-gone', `${name} in ${room} was sent what ${found}`);
  }

  #erasedIn(room: string, pack: Uint8Array): string | undefined {
    const erased = this.#erased.get(room);
    for (const { id, ops } of erased ? decodePack(pack).nodes : []) {
      const keys = erased?.get(toHex(id));
      const op = keys && ops.find((each) => keys.has(each.key) && saysSomething(each));
      if (op) return `${toHex(id).slice(0, 8)} said under ${op.key}`;
    }
    return undefined;
  }

  /** Which of the rooms of that name it is, one after the other. */
  lifeOf(room: string): number {
    return this.#gone.get(room) ?? 0;
  }

  /** Nodes of its log that it has of another room. */
  beginOf(room: string): number {
    return this.#beginsAt.get(room) ?? 0;
  }

  isLocked(room: string): boolean {
    return this.#locked.has(room);
  }

  /** A log that begins with another one's, or with a copy of that. */
  forked(room: RoomId, origin: { readonly room: RoomId; readonly at: number }, isCopy: boolean): void {
    this.#beginsAt.set(room, origin.at);
    if (isCopy) return;
    this.logs.set(room, (this.logs.get(origin.room) ?? []).slice(0, origin.at));
    // A child is locked as its parent is, whatever its own log says of that.
    if (this.#locked.has(origin.room)) this.#locked.add(room);
  }

  /** A frame that a peer sends. */
  up(line: Line, encoded: string | Uint8Array): Frame | undefined {
    const frame = parseFrame(encoded);
    const id = frame?.['req_id'];
    if (frame?.type === 'hello') this.#erasedBefore.set(line, this.#erasures);
    if (frame) this.#said(line, frame);
    if (!frame || id === undefined) return frame;
    const requests = this.#requests.get(line) ?? new Map<unknown, Request>();
    this.#requests.set(line, requests.set(id, { frame, answers: new Map() }));
    return frame;
  }

  /** Who asks for less is sent less, and nobody is sent what he has sent himself. */
  #said(line: Line, { type, nodes }: Frame): void {
    if (NARROWING.has(type)) this.#narrowed.add(line);
    if (NARROWING.has(type)) this.#hearing.delete(line);
    const bytes = type === 'pack' ? bytesOf(nodes) : undefined;
    if (!bytes) return;
    const sent = this.#sent.get(line) ?? new Set();
    this.#sent.set(line, sent);
    for (const id of idsIn(bytes)) sent.add(id);
  }

  /** Nodes of a room that a connection should have been sent, and was not; once nothing is under way any more. */
  missed(line: Line): readonly string[] {
    const heard = this.#hearing.get(line);
    if (!heard) return [];
    const genesis = this.#geneses.get(line.room); // which its welcome has
    const log = this.logs.get(line.room) ?? [];
    const sent = this.#sent.get(line);
    return log.slice(heard.from).filter((id) => !heard.ids.has(id) && sent?.has(id) !== true && id !== genesis);
  }

  /** Nodes that their author sends. */
  made(pack: Uint8Array): void {
    for (const id of idsOf(pack)) this.#made.add(id);
  }

  /** A frame that a host sends. */
  down(line: Line, encoded: string | Uint8Array): Frame | undefined {
    const frame = parseFrame(encoded);
    if (!frame) return undefined;
    if (this.#ended.has(line)) return frame;
    if (!this.#mayReadSecrets(line.who)) {
      const at = secretIn(frame, this.secrets);
      if (at !== undefined)
        this.wrong('secrets-stay', `${line.name} in ${line.room} was sent a secret: ${frame.type} ${at}`);
    }
    if (frame.type === 'welcome') this.#welcomed(line, frame);
    if (frame.type === 'pack') this.#isSent(line, bytesOf(frame['nodes'])!);
    const heard = frame.type === 'pack' ? this.#hearing.get(line) : undefined;
    if (heard) for (const sent of idsOf(bytesOf(frame['nodes'])!)) heard.ids.add(sent);
    const id = frame['req_id'];
    const request = id === undefined ? undefined : this.#requests.get(line)?.get(id);
    if (id !== undefined && !request)
      this.wrong('answered-once', `${line.name} got ${frame.type} to ${String(id)}, which it did not ask`);
    if (request) this.#answered(line, request, frame);
    return frame;
  }

  #welcomed(line: Line, { canonical_seq: seq }: Frame): void {
    const { room, name, who } = line;
    if (this.#mayReadSecrets(who) && !this.#narrowed.has(line))
      this.#hearing.set(line, { from: Number(seq), ids: new Set() });
    const log = this.logs.get(room)?.length ?? 0;
    const before = this.#told.get(room) ?? 0;
    const now = Number(seq);
    if (now > log) this.wrong('seq-never-back', `${name} was told that ${room} has ${now} nodes; its log has ${log}`);
    if (now < before)
      this.wrong('seq-never-back', `${name} was told that ${room} has ${now} nodes; it had ${before} before`);
    this.#told.set(room, now);
  }

  #answered(line: Line, { frame: asked, answers }: Request, frame: Frame): void {
    this.seen.set(frame.type, (this.seen.get(frame.type) ?? 0) + 1);
    if (asked.type === 'pack' && frame.type === 'pack-ack') this.#acknowledged(line, asked, frame);
    const isPart = SEVERAL.has(frame.type) && frame['final'] !== true;
    const count = (answers.get(frame.type) ?? 0) + (isPart ? 0 : 1);
    answers.set(frame.type, count);
    if (count > 1) this.wrong('answered-once', `${line.name} got ${count} times ${frame.type} to one ${asked.type}`);
  }

  #acknowledged({ name, room }: Line, { nodes }: Frame, { rejected, accepted_count }: Frame): void {
    const refused = new Set(Array.isArray(rejected) ? rejected.map((node: { id: string }) => node.id) : []);
    const bytes = bytesOf(nodes);
    if (!bytes || accepted_count === 0) return;
    const durable = new Set(this.logs.get(room));
    const lost = idsOf(bytes).find((id) => !refused.has(id) && !durable.has(id));
    if (lost !== undefined)
      this.wrong(
        'acknowledged-is-durable',
        `${name} was told that ${room} has ${lost.slice(0, 8)}, and its log has not`,
      );
  }

  /** Requests on a connection that have no answer at all. */
  unanswered(line: Line): string[] {
    const requests = [...(this.#requests.get(line)?.values() ?? [])];
    return requests.flatMap(({ frame, answers }) =>
      answers.size === 0 && isAnswered(frame) ? [`${line.name}: ${frame.type}`] : [],
    );
  }

  ended(line: Line): void {
    this.#ended.add(line);
    this.#requests.delete(line);
    this.#hearing.delete(line);
    this.#sent.delete(line);
  }
}

/** Commands that answer nobody: what they do is seen by others. */
const SILENT = new Set(['presence', 'webrtc-offer', 'webrtc-answer', 'webrtc-ice']);

/** Whether a frame must be answered; one of a type that is none is refused. */
function isAnswered({ type, ids, missing_ids }: Frame): boolean {
  if (type === 'mst-done') return [ids, missing_ids].flat().some((id) => id !== undefined);
  return !SILENT.has(type);
}

/** Whether an op says anything; what is left of one that was erased says asterisks, or nothing. */
function saysSomething(op: Op): boolean {
  if (op.kind === 'set' || op.kind === 'set-blob') return true;
  return op.kind === 'text-insert' && /[^*]/.test(op.text);
}

function bytesOf(nodes: unknown): Uint8Array | undefined {
  if (nodes instanceof Uint8Array) return nodes;
  if (typeof nodes !== 'string') return undefined;
  try {
    return fromBase64(nodes);
  } catch {
    return undefined; // no base64, which is refused
  }
}

/** Ids of the nodes of what may be no pack. */
function idsIn(bytes: Uint8Array): readonly string[] {
  try {
    return idsOf(bytes);
  } catch {
    return []; // it is refused whole
  }
}

const idsOf = byBytes((pack): readonly string[] => decodePack(pack).nodes.map(({ id }) => toHex(id)));
