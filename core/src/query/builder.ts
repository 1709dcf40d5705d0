/** Makes the rows of projections, and has those at hand that were asked for lately. */
import { Mutex } from '../concurrency/mutex.js';
import { Rejection } from '../rejection.js';
import type { PastView } from '../room/reading/past.js';
import type { Room } from '../room/room.js';
import { Built, BuiltCache } from './built.js';
import type { Catalogue, ProjectionFact } from './catalogue.js';
import { Query } from './descriptor.js';
import { type Checkpoint, foldPast, foldPresent } from './fold.js';
import { Rows } from './rows.js';
import { type Moment, notFound } from './selector.js';

export class Builder {
  readonly #room: Room;
  readonly #catalogue: Catalogue;
  readonly #built = new BuiltCache();
  /** What a room was is as large as the room: one is held at a time. */
  readonly #mutex = new Mutex();

  constructor(room: Room, catalogue: Catalogue) {
    this.#room = room;
    this.#catalogue = catalogue;
  }

  /** The rows of a projection that was built before, if they are at hand. */
  held(id: string, fact: ProjectionFact): Built | undefined {
    const built = this.#built.get(id);
    const isThis = built?.spec === fact.spec && built.version === fact.version && built.checkpoint.hash === fact.hash;
    return isThis ? built : undefined;
  }

  keep(id: string, built: Built): void {
    this.#built.put(id, built);
  }

  /** Builds a projection; of the room as it is now, it goes on from what is built under that name by the same query. */
  async build(id: string, spec: string, version: string, moment: Moment): Promise<Built> {
    const query = this.query(spec, version);
    if (moment.kind !== 'latest') return this.#fold(spec, version, () => this.#viewAt(moment));
    const before = this.#built.get(id);
    const from = before?.spec === spec && before.version === version ? before.checkpoint.seq : undefined;
    const rows = new Rows(query, from === undefined ? undefined : before?.rows);
    return Built.of(spec, version, await foldPresent(this.#room, rows, from ?? 0), rows);
  }

  /** Builds the rows of a known projection again. */
  async rebuild(id: string, fact: ProjectionFact): Promise<Built> {
    const held = this.held(id, fact);
    if (held) return held;
    const built = await this.#fold(fact.spec, fact.version, () => this.#viewOf(fact));
    const { digest } = await built.visibleTo(undefined);
    const isSame = digest === fact.digest && built.checkpoint.hash === fact.hash;
    if (!isSame && this.#room.hasHeadersIn(0, this.#room.seq))
      throw new Rejection(
        'reject.projection_not_found',
        `projection ${id} was built of values that were erased since: build it again`,
      );
    if (!isSame) throw new Error(`projection ${id} of room ${this.#room.id} is not what was built at ${fact.hash}`);
    this.keep(id, built);
    return built;
  }

  /** Reads the room as it was at a checkpoint. */
  readPast<T>(checkpoint: Pick<Checkpoint, 'seq' | 'frontier'>, read: (view: PastView) => T): Promise<T> {
    return this.#read(() => this.#viewOf(checkpoint), read);
  }

  /** Reads the room as it was at a moment that is to be found first. */
  async readAt<T>(moment: Moment, read: (view: PastView) => T | Promise<T>): Promise<T> {
    await this.#catalogue.read();
    return this.#read(() => this.#viewAt(moment), read);
  }

  #read<T>(find: () => Promise<PastView>, read: (view: PastView) => T | Promise<T>): Promise<T> {
    return this.#mutex.run(async () => {
      const view = await find();
      await view.prepareHash();
      return read(view);
    });
  }

  #viewOf({ seq, frontier }: Pick<Checkpoint, 'seq' | 'frontier'>): Promise<PastView> {
    const { past, nodes } = this.#room;
    return seq === undefined ? past.of(nodes.numbersOf(frontier)) : past.at(seq);
  }

  #fold(spec: string, version: string, view: () => Promise<PastView>): Promise<Built> {
    const rows = new Rows(this.query(spec, version));
    return this.#mutex.run(async () => {
      const checkpoint = await foldPast(this.#room, rows, await view());
      return Built.of(spec, version, checkpoint, rows);
    });
  }

  /** The query that is registered under a name and a version. */
  query(spec: string, version: string): Query {
    const versions = this.#catalogue.specs.get(spec)?.versions;
    return Query.of(versions?.find((one) => one.version === version)?.descriptor);
  }

  #viewAt(moment: Moment): Promise<PastView> {
    const { past, nodes, seq } = this.#room;
    if (moment.kind === 'latest') return past.at(seq);
    if (moment.kind === 'seq') return past.at(moment.seq);
    if (moment.kind === 'frontier') {
      const [unknown] = nodes.lacks(moment.nodes);
      if (unknown !== undefined) throw notFound(`the room does not hold ${unknown}`);
      if (moment.seq > seq) throw notFound(`the log has ${seq} nodes, not ${moment.seq}`);
      return past.of(nodes.numbersOf(moment.nodes), moment.seq);
    }
    if (past.present.stateHash === moment.hash) return past.at(seq);
    const issued = this.#catalogue.issued(moment.hash);
    if (!issued) throw notFound('no checkpoint with this hash was told, or too long ago');
    return this.#viewOf(issued);
  }
}
