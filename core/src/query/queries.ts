/**
 * A room's queries and the projections that are built of them. [PJ2] to [PJ9]
 *
 * A projection is rows that a query found at one checkpoint, and stays that until it is built again. What is registered
 * and built are facts of the room; rows are at hand, or folded again when somebody reads them.
 */
import type { Globs } from '../access/glob.js';
import { type Json, canonicalJson } from '../codec/bytes/canonical-json.js';
import { BlobRef } from '../crdt/registers.js';
import { isSystemKey } from '../crdt/system-keys.js';
import type { LogPosition } from '../ports/cursor.js';
import { type Telemetry, observed, stopwatch } from '../ports/telemetry.js';
import { Rejection } from '../rejection.js';
import type { DocumentView } from '../room/reading/document-view.js';
import type { Room } from '../room/room.js';
import { QUERY_KEYS } from '../room/state/genesis.js';
import type { Asker, Digested, Listed, ListRequest, Listing, ProvenRow, Reading, ProjectionStatus } from './answers.js';
import { BuildSemaphore } from './build-semaphore.js';
import { Builder } from './builder.js';
import {
  CATALOGUE_BOUNDS,
  Catalogue,
  type ProjectionFact,
  type SpecFact,
  projectionFact,
  readProjection,
  readSpec,
  specFact,
} from './catalogue.js';
import { Query, compareBy, invalid } from './descriptor.js';
import { FollowedLog, expectPosition } from './followed-log.js';
import { LiveRows } from './live-rows.js';
import { type Origin, Origins } from './origin.js';
import { PAGE, clamped, pageOf } from './pages.js';
import { type ReplayRange, type ReplayRequest, replay } from './replay.js';
import { type Row, valueOf } from './rows.js';
import { momentOf } from './selector.js';
import { ValueProofs } from './value-proofs.js';
import { ValueTrees } from './value-tree.js';
import { type PutRow, type RowsPage, WatchedRows } from './watched-rows.js';

/** What makes an item of a list long; so many of them an answer takes. */
const LISTED_HEADS = 8192;

export interface Watcher {
  /** Query and version that are watched. */
  readonly spec: string;
  readonly version: string;
  /** The next page of what has changed for whoever may read such keys; undefined while there is none. */
  next(queries: Queries, readable: Globs | undefined): Promise<WatchedPage | undefined>;
}

export interface WatchedPage extends RowsPage {
  readonly put: readonly (PutRow & { readonly value: Json })[];
}

export class Queries {
  readonly #room: Room;
  readonly #catalogue: Catalogue;
  readonly #builder: Builder;
  readonly #origins: Origins;
  readonly #telemetry: Telemetry;
  readonly #builds: BuildSemaphore;
  readonly #proofs: ValueProofs;
  /** Rows that are watched, by query and version: those who watch hold them. */
  readonly #live = new Map<string, WeakRef<LiveRows>>();

  constructor(room: Room, telemetry: Telemetry) {
    this.#room = room;
    this.#telemetry = telemetry;
    this.#builds = new BuildSemaphore(telemetry);
    this.#catalogue = new Catalogue(room);
    this.#builder = new Builder(room, this.#catalogue);
    this.#origins = new Origins(room, this.#builder);
    this.#proofs = new ValueProofs(room, new ValueTrees(room, this.#builder));
  }

  /** How many things are being built. */
  get building(): number {
    return this.#builds.running;
  }

  /** How many wait for that. */
  get waiting(): number {
    return this.#builds.waiting;
  }

  /** Answers the hash of the descriptor. A version says one thing for ever. */
  async register(id: string, version: string, descriptor: unknown, by: string): Promise<string> {
    const query = Query.of(descriptor);
    await this.#catalogue.read();
    const { specs } = this.#catalogue;
    if (!specs.has(id) && specs.size >= CATALOGUE_BOUNDS.specs)
      throw invalid(`a room has at most ${CATALOGUE_BOUNDS.specs} queries`);
    await this.#room.transact((view) => {
      const versions = readSpec(view, id)?.versions ?? [];
      const known = versions.find((one) => one.version === version);
      if (known && Query.of(known.descriptor).text !== query.text)
        throw invalid(`version ${version} of ${id} has another descriptor`);
      if (!known && versions.length >= CATALOGUE_BOUNDS.versions)
        throw invalid(`a query has at most ${CATALOGUE_BOUNDS.versions} versions`);
      const fact = { versions: [...versions, { version, descriptor, by }] };
      return { writes: known ? [] : [specFact(id, fact)], result: undefined };
    });
    return query.hash;
  }

  /** `target` is a selector as it was sent. */
  build(id: string, spec: string, target: unknown, asker: Asker): Promise<Digested> {
    const stop = stopwatch(this.#telemetry, 'query_build_seconds');
    return observed(
      () => this.#build(id, spec, target, asker),
      (outcome) => {
        stop();
        this.#telemetry.record('query_build_total', 1, outcome);
      },
    );
  }

  #build(id: string, spec: string, target: unknown, asker: Asker): Promise<Digested> {
    return this.#builds.run(async () => {
      await this.#catalogue.read();
      const { version } = this.#spec(spec).versions.at(-1)!;
      const moment = momentOf(target);
      const held = this.#catalogue.projections.get(id);
      const isDone = held && moment.kind === 'latest' && this.#isLatest(held, spec, version);
      if (isDone) return this.#digested(id, held, asker);
      if (!held && this.#catalogue.projections.size >= CATALOGUE_BOUNDS.projections)
        throw new Rejection('reject.query_backpressure', `a room has ${CATALOGUE_BOUNDS.projections} projections`);
      const built = await this.#builder.build(id, spec, version, moment);
      const { digest, rows } = await built.visibleTo(undefined);
      const { seq, hash, frontier } = built.checkpoint;
      const fact = { spec, version, seq, hash, frontier: [...frontier], digest, rows: rows.length, by: asker.name };
      await this.#room.transact(() => ({ writes: [projectionFact(id, fact)], result: undefined }));
      this.#builder.keep(id, built);
      return this.#digested(id, fact, asker);
    });
  }

  async read(
    id: string,
    page: { readonly limit?: number | undefined; readonly token?: string | undefined; readonly proof?: boolean },
    { read }: Asker,
  ): Promise<Reading> {
    const fact = await this.#projection(id);
    // What proves one row holds hashes of others, from which they could be guessed.
    if (page.proof && read)
      throw new Rejection('reject.control_plane_forbidden', 'proofs are for those who may read everything');
    const held = this.#builder.held(id, fact);
    const built = held ?? (await this.#builds.run(() => this.#builder.rebuild(id, fact)));
    const visible = await built.visibleTo(read);
    const limit = clamped(page.limit, page.proof ? PAGE.proven : PAGE.most);
    const { rows, next } = pageOf(visible, `${id}\n${fact.hash}`, limit, page.token);
    return {
      ...this.#statusOf(id, fact),
      digest: visible.digest,
      limit,
      next,
      rows: page.proof ? await this.#proven(fact, rows) : rows.map(plainRow),
    };
  }

  /** Answers the reason that stands. */
  async invalidate(id: string, reason: string, by: string): Promise<string> {
    await this.#projection(id);
    const { result } = await this.#room.transact((view) => {
      const fact = readProjection(view, id);
      if (!fact || fact.invalidated !== undefined) return { writes: [], result: fact?.invalidated ?? reason };
      return { writes: [projectionFact(id, { ...fact, invalidated: reason, by })], result: reason };
    });
    return result;
  }

  /** Lists projections in the order of their ids, those behind `after`; as many as an answer takes. */
  async list({ spec, state, after = '' }: ListRequest, { read }: Asker): Promise<Listing> {
    await this.#catalogue.read();
    if (spec !== undefined) this.#spec(spec);
    const found = [...this.#catalogue.projections].filter(
      ([id, fact]) =>
        id > after &&
        (spec === undefined || fact.spec === spec) &&
        (state === 'all' || (state === 'invalidated') === (fact.invalidated !== undefined)),
    );
    found.sort(([a], [b]) => compareBy(a, b));
    const items: Listed[] = [];
    let heads = 0;
    for (const [id, fact] of found) {
      if (heads > LISTED_HEADS) break;
      heads += fact.frontier.length;
      items.push({ ...this.#statusOf(id, fact), ...(read ? {} : { digest: fact.digest }) });
    }
    return { items, next: items.length < found.length ? (items.at(-1)?.id ?? null) : null };
  }

  /** Log position at which a checkpoint was told; undefined for one that never was. */
  async toldAt(hash: string): Promise<number | undefined> {
    await this.#catalogue.read();
    return this.#catalogue.issued(hash)?.seq;
  }

  /** `selector` as it was sent. Answers the same again for the same checkpoint. */
  promote(selector: unknown, by: string): Promise<Origin> {
    return this.#builds.run(() => this.#origins.promote(momentOf(selector), by));
  }

  /** Whoever proves values waits like whoever builds. */
  prove<T>(use: (proofs: ValueProofs) => Promise<T>): Promise<T> {
    return this.#builds.run(() => use(this.#proofs));
  }

  replay(request: ReplayRequest, { read }: Asker): Promise<ReplayRange> {
    return replay(this.#room, this.#origins, request, read);
  }

  /** Somebody who is told how the rows of a projection's query change; he may go on in the queries of the room when it is opened anew. */
  async watch(id: string): Promise<Watcher> {
    const { spec, version } = await this.#projection(id);
    const rows = new WatchedRows();
    let live: { readonly of: Queries; readonly rows: LiveRows } | undefined;
    return {
      spec,
      version,
      async next(queries, readable) {
        const fact = await queries.#projection(id);
        if (fact.spec !== spec || fact.version !== version)
          throw new Rejection(
            'reject.projection_not_found',
            `projection ${id} is of another query now: watch it again`,
          );
        live = live?.of === queries ? live : { of: queries, rows: await queries.#liveRows(spec, version) };
        const { rows: present } = live;
        const page = await rows.next(() => present.present(readable));
        return page && { ...page, put: page.put.map((put) => ({ ...put, value: valueOf(put.row) })) };
      },
    };
  }

  /** Rows of a query as the room is, one for all who watch them. */
  async #liveRows(spec: string, version: string): Promise<LiveRows> {
    const name = canonicalJson([spec, version]);
    const rows = this.#live.get(name)?.deref() ?? new LiveRows(this.#room, this.#builder.query(spec, version));
    this.#live.set(name, new WeakRef(rows));
    if (rows.seq === 0) await this.#builds.run(() => rows.present(undefined));
    return rows;
  }

  /** What is written behind a position, for who follows the room; throws where that is not of this log. */
  follow(position: LogPosition, keyPrefix: string): FollowedLog {
    expectPosition(this.#room, position);
    return new FollowedLog(position.seq, keyPrefix);
  }

  #spec(id: string): SpecFact {
    const spec = this.#catalogue.specs.get(id);
    if (!spec) throw new Rejection('reject.query_spec_not_found', `no query is registered as ${id}`);
    return spec;
  }

  async #projection(id: string): Promise<ProjectionFact> {
    await this.#catalogue.read();
    const fact = this.#catalogue.projections.get(id);
    if (!fact) throw new Rejection('reject.projection_not_found', `no projection was built as ${id}`);
    return fact;
  }

  #statusOf(id: string, { spec, version, seq, hash, frontier, invalidated }: ProjectionFact): ProjectionStatus {
    const stale = seq === undefined || this.#room.written.hasWritten(seq, (key) => !isSystemKey(key));
    return { id, spec, version, checkpoint: { seq, hash, frontier }, invalidated, stale };
  }

  async #digested(id: string, fact: ProjectionFact, { read }: Asker): Promise<Digested> {
    const digest = read ? (await (await this.#builder.rebuild(id, fact)).visibleTo(read)).digest : fact.digest;
    return { ...this.#statusOf(id, fact), digest };
  }

  /** Whether building it again would find what it has: since then, there is nothing new but about queries. */
  #isLatest(fact: ProjectionFact, spec: string, version: string): boolean {
    return (
      fact.invalidated === undefined &&
      fact.spec === spec &&
      fact.version === version &&
      fact.seq !== undefined &&
      !this.#room.written.hasWritten(fact.seq, (key) => !key.startsWith(QUERY_KEYS))
    );
  }

  async #proven(fact: ProjectionFact, rows: readonly Row[]): Promise<ProvenRow[]> {
    const { present } = this.#room.past;
    const prove = (view: DocumentView): ProvenRow[] => rows.map((row) => provenRow(row, view));
    await present.prepareHash();
    if (present.stateHash === fact.hash) return prove(present);
    return this.#builds.run(() => this.#builder.readPast(fact, prove));
  }
}

function provenRow(row: Row, view: DocumentView): ProvenRow {
  if (row.kind === 'text' || row.kind === 'list') return plainRow(row);
  const held = view.register(row.key);
  const bytes = held instanceof BlobRef ? undefined : held?.slice();
  return { ...plainRow(row), proof: view.prove(row.key), ...(bytes ? { bytes } : {}) };
}

function plainRow(row: Row): ProvenRow {
  return { row, value: valueOf(row) };
}
