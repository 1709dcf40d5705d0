/**
 * Ledger: runs changes one after the other, and folds what is durable into the collections.
 *
 * A change is decided where the workgroup's room writes: against all that is durable, whoever wrote it, with nothing on its
 * way. It is stored as one node. If the process dies before the node is durable, nothing has happened; after it, the
 * collections are folded from the log. `change` resolves only when they have folded it, so reads see preceding writes; and
 * nothing is shown that is not durable.
 *
 * Group commit: waiting changes become durable together. Each is decided on the state that those before it leave, which is
 * folded speculatively and rolled back before anybody else runs.
 *
 * Other hosts may write to the workgroup too, and their events arrive in any order: after events that depend on them, or under
 * a number that is taken here. What a key then holds is decided by the room, equally on every host; such a stream is folded
 * again from its keys, so hosts with the same events show the same state.
 */
import { type Entry, Rejection, type Room, type TraceSpan, type Tracing, traced } from '@weft/core';
import type { StudioLog } from '../../log.js';
import { refusal } from '../../reasons.js';
import { type Change, OpenChange, type Staged } from './change.js';
import type { Follower, Streams } from './collection.js';
import { Feed } from './feed.js';
import { type ImageStore, type LogPosition, type Snapshot, decodeImage, encodeImage } from './image.js';
import { type StoredEvent, eventKey, storedEvent, streamKey } from './stream.js';

/** Room port of the ledger. */
export interface EventRoom extends Pick<Room, 'transactMany' | 'get' | 'seq'> {
  history(from?: number): AsyncIterable<Written>;
  onCommit(listener: (commit: { readonly entries: Iterable<Written> }) => void): () => void;
  readonly nodes: { entry(seq: number): Written };
}

type Stream = Pick<StoredEvent, 'aggregate' | 'id'>;
type Written = Pick<Entry, 'seq' | 'writes'> & { readonly nodeId: string };

export interface LedgerParts {
  /** Id of this host: others may write to the same workgroup. */
  readonly hostId: string;
  readonly workgroup: EventRoom;
  /** Local room: its content never leaves this host. */
  readonly local: EventRoom;
  readonly collections: readonly Streams[];
  readonly followers?: readonly Follower[];
  /** Session that work on a unit belongs to. */
  readonly sessionOf?: (workUnitId: string, change: Change) => string | undefined;
  readonly now: () => string;
  readonly newId: (prefix: string) => string;
  /** Where images of the record are kept; without, every start folds all of it. */
  readonly images?: ImageStore | undefined;
  readonly log: StudioLog;
  readonly tracing?: Tracing | undefined;
}

/** Batch limit of a group commit. */
const MOST_TOGETHER = 64;
const NOWHERE: LogPosition = { seq: 0, nodeId: undefined };
/** Part of all events after which an image is written again, so that what it costs is spread over them. */
const PART_WHILE_RUNNING = 8;
const PART_AT_THE_END = 64;

interface Waiting {
  readonly by: string;
  readonly work: (change: Change) => unknown;
  readonly whenDecided: (() => void) | undefined;
  readonly span: TraceSpan | undefined;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

interface Decided {
  /** Completes the change when the batch is durable; stores what belongs to this host alone. */
  answer(): void | Promise<void>;
  /** Whether the batch ends with it. */
  readonly isLast: boolean;
}

export class Ledger {
  readonly feed: Feed;
  /** Read access to states, as a change has it. */
  readonly look: Pick<Change, 'state'> = {
    // A name belongs to one aggregate, and an aggregate has one type of state.
    state: <State>({ name }: { readonly name: string }, id: string) =>
      this.#collection(name).get(id) as State | undefined,
  };
  readonly #parts: LedgerParts;
  readonly #collections: ReadonlyMap<string, Streams>;
  readonly #followers = new Map<string, Follower[]>();
  readonly #unsubscribe: (() => void)[] = [];
  /** Streams with events out of order, once each. */
  readonly #uneven = new Map<string, Stream>();
  /** Queue of changes without an answer. */
  readonly #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;
  readonly #folded = { workgroup: NOWHERE, local: NOWHERE };
  /** Events that no image has. */
  #sinceImage = 0;
  #keeping: Promise<void> | undefined;

  private constructor(parts: LedgerParts) {
    this.#parts = parts;
    this.feed = new Feed((seq) => this.#told(eventsOf(parts.workgroup.nodes.entry(seq))));
    this.#collections = new Map(parts.collections.map((collection) => [collection.aggregate.name, collection]));
    for (const collection of parts.collections)
      collection.readsFrom((key) => this.#roomOf(collection.aggregate.room).get(key));
    for (const follower of [...parts.collections, ...(parts.followers ?? [])]) {
      const { name } = follower.aggregate;
      this.#followers.set(name, [...(this.#followers.get(name) ?? []), follower]);
    }
  }

  /** Opens the ledger: folds what no image has of both histories before it resolves, and every commit from then on. */
  static async open(parts: LedgerParts): Promise<Ledger> {
    const ledger = new Ledger(parts);
    try {
      await ledger.#restore();
      await ledger.#catchUp('local');
      await ledger.#catchUp('workgroup');
      for (const stored of ledger.#uneven.values()) ledger.#foldAnew(ledger.#roomFor(stored), stored);
      return ledger;
    } catch (error) {
      ledger.close();
      throw error;
    }
  }

  /**
   * Runs a transaction after all queued ones; resolves when it is durable. `work` may run more than once. `whenDecided` runs
   * while the collections show this change and none after it.
   */
  change<T>(by: string, work: (change: Change) => T, whenDecided?: () => void): Promise<T> {
    const { tracing } = this.#parts;
    const kept = (): Promise<T> => this.#enqueue(by, work, whenDecided);
    return tracing?.current ? traced(tracing, 'weft.record', {}, kept) : kept();
  }

  #enqueue<T>(by: string, work: (change: Change) => T, whenDecided?: () => void): Promise<T> {
    const span = this.#parts.tracing?.current;
    return new Promise<T>((resolve, reject) => {
      // Resolved with the answer of its own `work`.
      this.#waiting.push({ by, work, whenDecided, span, resolve: resolve as (result: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  get hostId(): string {
    return this.#parts.hostId;
  }

  async settled(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
  }

  /** Writes an image of the record, if there is enough that none has; resolves when it is kept, or could not be. */
  async keepImage(): Promise<void> {
    await this.#keeping;
    this.#keepIfDue(PART_AT_THE_END);
    await this.#keeping;
  }

  #keepIfDue(part: number): void {
    const { images, log } = this.#parts;
    if (!images || this.#keeping || this.#sinceImage < Math.max(images.fewest, this.feed.last / part)) return;
    // Never in the middle of a decision, whose folds are taken back.
    this.#keeping = new Promise((resolve) => setImmediate(resolve))
      .then(() => {
        this.#sinceImage = 0;
        return images.write(encodeImage(this.#snapshot(), { code: images.code, hostId: this.hostId }));
      })
      .catch((error: unknown) => {
        log({ level: 'warn', message: 'no image of the record could be written; the next start takes longer', error });
      })
      .finally(() => (this.#keeping = undefined));
  }

  #snapshot(): Snapshot {
    return {
      ...this.#folded,
      uneven: [...this.#uneven.values()].map(({ aggregate, id }) => ({ aggregate, id })),
      feed: this.feed.kept(),
      collections: new Map([...this.#collections].map(([name, collection]) => [name, collection.kept()])),
    };
  }

  /** Takes the newest image, if it is of these logs. */
  async #restore(): Promise<void> {
    const snapshot = await this.#newestImage();
    if (!snapshot || !this.#isOfThisLog('workgroup', snapshot) || !this.#isOfThisLog('local', snapshot)) return;
    this.feed.restore(snapshot.feed);
    for (const stream of snapshot.uneven) this.#uneven.set(streamKey(stream), stream);
    for (const [name, kept] of snapshot.collections) this.#collection(name).restore(kept);
    this.#folded.workgroup = snapshot.workgroup;
    this.#folded.local = snapshot.local;
  }

  async #newestImage(): Promise<Snapshot | undefined> {
    const { images, hostId, log } = this.#parts;
    try {
      const bytes = await images?.read();
      return bytes && images && decodeImage(bytes, { code: images.code, hostId });
    } catch (error) {
      log({ level: 'warn', message: 'the image of the record cannot be read; the record is read from its log', error });
      return undefined;
    }
  }

  #isOfThisLog(name: 'workgroup' | 'local', snapshot: Snapshot): boolean {
    const { seq, nodeId } = snapshot[name];
    const room = this.#parts[name];
    return seq === 0 || (seq <= room.seq && room.nodes.entry(seq - 1).nodeId === nodeId);
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      let decided: Decided[] = [];
      try {
        await this.#ofFirst(() =>
          this.#parts.workgroup.transactMany((write) => (decided = this.#decideTogether(write))),
        );
      } catch (error) {
        // If the room has not asked for decisions at all, the first one fails, and the next asks again.
        for (const { reject } of this.#waiting.splice(0, Math.max(decided.length, 1))) reject(error);
        continue;
      }
      this.#waiting.splice(0, decided.length);
      await Promise.all(decided.map(({ answer }) => answer()));
    }
    this.#draining = undefined;
  }

  /** Runs a task as work of the change that waits longest: of changes that are kept together, it alone has the spans of the room. */
  #ofFirst<T>(task: () => Promise<T>): Promise<T> {
    const { tracing } = this.#parts;
    return tracing ? tracing.within(this.#waiting[0]?.span, task) : task();
  }

  /** Decides as many queued changes as fit. One with local facts goes to another room, so it ends the batch. */
  #decideTogether(write: (staged: readonly Staged[]) => boolean): Decided[] {
    const decided: Decided[] = [];
    try {
      for (const waiting of this.#waiting) {
        const one = this.#decide(waiting, write);
        decided.push(one);
        if (one.isLast || decided.length === MOST_TOGETHER) break;
      }
      return decided;
    } finally {
      for (const collection of this.#parts.collections) collection.takeBack();
    }
  }

  #decide({ by, work, whenDecided, resolve, reject }: Waiting, write: (staged: readonly Staged[]) => boolean): Decided {
    const { hostId, now, newId, sessionOf = () => undefined } = this.#parts;
    const collectionOf = (name: string): Streams => this.#collection(name);
    try {
      const change = new OpenChange({ at: now(), by, hostId, newId, sessionOf, collectionOf });
      const result = work(change);
      const staged = this.#free(change);
      const isLocal = change.room === 'local';
      const hasRoom = isLocal || staged.length === 0 || write(staged);
      for (const stored of eventsOf({ writes: staged })) this.#collection(stored.aggregate).foldAhead(stored);
      whenDecided?.();
      const keep = async (): Promise<unknown> => isLocal && this.#parts.local.transactMany((write) => write(staged));
      const refuse = (error: unknown): void => reject(whyNotKept(error));
      return { answer: () => keep().then(() => resolve(result), refuse), isLast: isLocal || !hasRoom };
    } catch (error) {
      return { answer: () => reject(whyNotKept(error)), isLast: false };
    }
  }

  /** Writes of a change. Refused when another host has already written a key, in a stream with a hole here. */
  #free({ room: name, staged }: OpenChange): readonly Staged[] {
    const room = this.#roomOf(name);
    if (staged.every(({ key }) => room.get(key) === undefined)) return staged;
    throw refusal('reject.busy', 'other hosts write to the same records; try again');
  }

  #roomFor({ aggregate }: Stream): EventRoom {
    return this.#roomOf(this.#collections.get(aggregate)?.aggregate.room);
  }

  #roomOf(name: 'workgroup' | 'local' | undefined): EventRoom {
    return name === 'local' ? this.#parts.local : this.#parts.workgroup;
  }

  #collection(name: string): Streams {
    const collection = this.#collections.get(name);
    if (!collection) throw new Error(`no collection folds ${name}`);
    return collection;
  }

  /**
   * Catch-up: reads the log until nothing was committed while reading it, and only then goes live. Commits that arrive
   * meanwhile are not kept but read again, so a busy room costs time and never memory. Nothing is folded twice: a commit is
   * applied and announced in one turn of the event loop, so whatever is announced later was not in the history.
   */
  async #catchUp(name: 'workgroup' | 'local'): Promise<void> {
    const room = this.#parts[name];
    let live = false;
    let missed = true;
    const read = (entry: Written): void => {
      const events = eventsOf(entry);
      for (const stored of events) this.#take(room, stored, live);
      if (name === 'workgroup') this.feed.append(entry.seq, this.#told(events));
      this.#folded[name] = { seq: entry.seq + 1, nodeId: entry.nodeId };
      this.#sinceImage += events.length;
    };
    this.#unsubscribe.push(
      room.onCommit((commit) => {
        missed = true;
        if (!live) return;
        for (const entry of commit.entries) read(entry);
        this.#keepIfDue(PART_WHILE_RUNNING);
      }),
    );
    while (missed) {
      missed = false;
      for await (const entry of room.history(this.#folded[name].seq)) read(entry);
    }
    live = true;
  }

  /** Events for the feed: all but bookkeeping. */
  #told(events: readonly StoredEvent[]): StoredEvent[] {
    return events.filter(({ aggregate }) => !this.#collections.get(aggregate)?.aggregate.quiet);
  }

  #take(room: EventRoom, stored: StoredEvent, isLive: boolean): void {
    const key = streamKey(stored);
    const collection = this.#collections.get(stored.aggregate);
    const isClosed = collection?.closedBy(stored.id) !== undefined;
    if (collection && !isClosed && collection.held(stored.id) !== stored.position) this.#uneven.set(key, stored);
    if (!this.#uneven.has(key)) return this.#fold(stored);
    // During catch-up most of the room's content is still to come; such streams are folded at its end.
    if (isLive) this.#foldAnew(room, stored);
  }

  /** Folds a stream again from the room's keys, up to the first hole. */
  #foldAnew(room: EventRoom, { aggregate, id }: Stream): void {
    this.#collections.get(aggregate)?.forget(id);
    for (let position = 0; ; position++) {
      const key = eventKey(aggregate, id, position);
      const value = room.get(key);
      const stored = value === undefined ? undefined : storedEvent(key, value);
      if (!stored) return;
      this.#fold(stored);
    }
  }

  #fold(stored: StoredEvent): void {
    for (const follower of this.#followers.get(stored.aggregate) ?? []) {
      if (follower.fold(stored) === 'folded') continue;
      const { aggregate, id, position } = stored;
      const message = 'an event of a newer version was left out';
      this.#parts.log({ level: 'error', message, about: { aggregate, id, position } });
    }
  }
}

function eventsOf({ writes }: Pick<Entry, 'writes'>): StoredEvent[] {
  return writes.flatMap(({ key, value }) => storedEvent(key, value) ?? []);
}

/** Translates a room's rejection: events were checked, so only their size can be wrong. */
function whyNotKept(error: unknown): unknown {
  if (!(error instanceof Rejection) || error.reason !== 'invalid-value') return error;
  return refusal('reject.change_too_large', 'what this would record is larger than one record can be');
}
