/**
 * What the engine tells an operator about itself.
 *
 * The table below is the only list of metrics: a telemetry adapter loops over it, so a new
 * metric is one row here. Labels take values from closed sets only (frame types, reasons),
 * never room or peer ids, so the number of series is bounded by construction.
 */
import type { Tracing } from './tracing.js';

/** Seconds of what takes from a tenth of a millisecond to some seconds. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];

export const METRICS = {
  rooms: { kind: 'gauge', help: 'Rooms held in memory.' },
  rooms_bytes: { kind: 'gauge', help: 'What the rooms in memory take there, about.' },
  rooms_limit_bytes: { kind: 'gauge', help: 'What that may be before nobody enters another one.' },
  disk_free: { kind: 'gauge', help: 'Bytes that are free on the disk of the store.', worst: 'min' },
  read_only: {
    kind: 'gauge',
    help: 'Whether the server takes no writes because its disk is nearly full.',
    worst: 'max',
  },
  authority_refused: {
    kind: 'gauge',
    help: 'Whether the authority file is not taken as it is now: what it said before holds.',
    worst: 'max',
  },
  authority_ends_seconds: {
    kind: 'gauge',
    help: "Unix time at which the certificate of this server's key ends; 0 where it is for good.",
    worst: 'max',
  },
  rooms_quarantined: { kind: 'gauge', help: 'Rooms that are shut.' },
  eviction_total: { kind: 'counter', help: 'Rooms that nobody used, taken out of memory.' },
  dormant_reads_total: {
    kind: 'counter',
    help: 'Records of logs that were read for values that are overwritten and not in memory any more.',
  },
  rooms_begun_total: { kind: 'counter', help: 'Rooms without a word in them that somebody has entered first.' },
  room_open_seconds: { kind: 'histogram', help: 'Time to bring a room into memory.', buckets: SECONDS },
  cluster_processes: { kind: 'gauge', help: 'Processes that share the database, this one too.', worst: 'min' },
  cluster_unreachable: {
    kind: 'gauge',
    help: 'Processes that share the database and cannot be reached from here.',
    worst: 'max',
  },
  cluster_rooms: { kind: 'gauge', help: 'Rooms that belong to this process.' },
  cluster_forwarded: { kind: 'gauge', help: 'Connections of peers here whose rooms belong to another process.' },
  connections: { kind: 'gauge', help: 'Connections of peers, joined or not.' },
  peers: { kind: 'gauge', help: 'Peers that have joined a room and are connected.' },
  join_seconds: {
    kind: 'histogram',
    help: 'Time from a hello to its welcome, opening the room included.',
    buckets: SECONDS,
  },
  joins_inflight: { kind: 'gauge', help: 'Hellos that are worked on.' },
  joins_waiting: { kind: 'gauge', help: 'Hellos that wait for their turn.' },
  frames_total: { kind: 'counter', help: 'Frames received, by type.', labels: ['type'] },
  command_seconds: {
    kind: 'histogram',
    help: 'Time from a frame to its answer, by type.',
    labels: ['type'],
    buckets: SECONDS,
  },
  errors_total: { kind: 'counter', help: 'Error frames sent, by code.', labels: ['code'] },
  closes_total: {
    kind: 'counter',
    help: 'Connections closed by the server, by code; 1006 for those that were cut.',
    labels: ['code'],
  },
  inbox_bytes: { kind: 'gauge', help: 'Received and not yet processed, of all connections.' },
  inbox_limit_bytes: { kind: 'gauge', help: 'What that may be before connections are closed.' },
  outbox_bytes: {
    kind: 'gauge',
    help: 'Waiting to be sent, of all connections; nodes are sent from the log and do not count.',
  },
  pushes_waiting: {
    kind: 'gauge',
    help: 'Pushes and writes that wait to be decided or to become durable, of all rooms.',
  },
  nodes_accepted_total: { kind: 'counter', help: 'Nodes admitted and durable.' },
  nodes_rejected_total: { kind: 'counter', help: 'Nodes refused, by reason.', labels: ['reason'] },
  merge_batch_seconds: { kind: 'histogram', help: 'Time to judge the nodes of one pack.', buckets: SECONDS },
  commit_batch_nodes: { kind: 'histogram', help: 'Nodes per durable batch.', buckets: [1, 4, 16, 64, 256, 1024, 4096] },
  persistence_write_seconds: { kind: 'histogram', help: 'Time of one synced append to the log.', buckets: SECONDS },
  fanout_seconds: {
    kind: 'histogram',
    help: 'Time to hand one durable batch to everybody in its room.',
    buckets: SECONDS,
  },
  webhook_requests_total: {
    kind: 'counter',
    help: 'Requests that tell webhooks what rooms have become, by outcome: taken, or failed and to be repeated.',
    labels: ['outcome'],
  },
  webhook_rooms_waiting: { kind: 'gauge', help: 'Rooms of which a webhook has not been told everything.' },
  trace_spans_dropped_total: {
    kind: 'counter',
    help: 'Spans that no collector has taken: it did not answer, refused them, or too many waited.',
  },
  blob_bytes_total: { kind: 'counter', help: 'Bytes of blobs that went in or out.', labels: ['direction'] },
  cold_objects: { kind: 'gauge', help: 'Segments and images in the cold store.', worst: 'max' },
  cold_stored_bytes: { kind: 'gauge', help: 'Bytes of these.', worst: 'max' },
  cold_leftovers: {
    kind: 'gauge',
    help: 'Objects in the cold store that nothing refers to, and that are still to be removed.',
    worst: 'max',
  },
  cold_bytes_total: {
    kind: 'counter',
    help: 'Bytes that were put into the cold store or read from it.',
    labels: ['direction'],
  },
  cold_missing_total: { kind: 'counter', help: 'Objects that were asked of the cold store and not there.' },
  cold_failed_total: { kind: 'counter', help: 'Moves to the cold store that failed.' },
  blob_stored_bytes: { kind: 'gauge', help: 'Bytes of all blobs in the store, when that was read last.', worst: 'max' },
  blob_stored_limit_bytes: {
    kind: 'gauge',
    help: 'What that may be before blobs of peers are refused.',
    worst: 'max',
  },
  blobs_refused_total: {
    kind: 'counter',
    help: 'Blobs that were refused because a bound on their bytes was met: of the room, the key or the server.',
    labels: ['bound'],
  },
  read_replica_bytes_total: {
    kind: 'counter',
    help: 'Bytes of logs, images and blobs that the read replica gave, or the primary because the replica had not got them.',
    labels: ['from'],
  },
  read_replica_away: { kind: 'gauge', help: '1 while the read replica does not answer and the primary is read.' },
  blob_gc_deleted_total: { kind: 'counter', help: 'Blobs that nobody referred to, deleted.' },
  snapshot_total: { kind: 'counter', help: 'Images of rooms, and signed snapshots, written.', labels: ['kind'] },
  query_build_total: { kind: 'counter', help: 'Projections that were to be built, by outcome.', labels: ['outcome'] },
  query_build_seconds: { kind: 'histogram', help: 'Time to build a projection, the wait included.', buckets: SECONDS },
  query_build_inflight: { kind: 'gauge', help: 'Builds and reads of the past under way, of all rooms.' },
  query_build_queue_depth: { kind: 'gauge', help: 'Those that wait for their turn, of all rooms.' },
  query_build_queue_wait_seconds: { kind: 'histogram', help: 'Time that each has waited.', buckets: SECONDS },
  topology_promotion_total: {
    kind: 'counter',
    help: 'Steps of promotions, by outcome; errors by code say why they are refused.',
    labels: ['stage', 'outcome'],
  },
  topology_promotion_seconds: {
    kind: 'histogram',
    help: 'Time of one step of a promotion.',
    labels: ['stage'],
    buckets: SECONDS,
  },
  topology_promotion_inflight: { kind: 'gauge', help: 'Steps of promotions under way.' },
  archive_operation_seconds: {
    kind: 'histogram',
    help: 'Time to describe, validate, import or export an archive.',
    labels: ['operation'],
    buckets: [...SECONDS, 10, 60, 600],
  },
} as const satisfies Record<string, MetricDeclaration>;

export interface MetricDeclaration {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels?: readonly string[];
  readonly buckets?: readonly number[];
  /** Which of several hosts' values is the worst, of a gauge that cannot be added up. */
  readonly worst?: 'min' | 'max';
}

export type MetricName = keyof typeof METRICS;

export interface Telemetry {
  /** Adds to a counter or gauge (`by` may be negative for a gauge), or observes a histogram value. */
  record(metric: MetricName, value: number, ...labels: readonly string[]): void;
  /** A gauge that is read when somebody looks. What several readers answer is added up. */
  watch?(metric: MetricName, read: () => number): void;
  /** Something that an operator may want to read. */
  tell?(notice: Notice): void;
  /** Where spans go; nothing is traced without. */
  readonly tracing?: Tracing | undefined;
}

export interface Notice {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Fixed words: what repeats is known by them. */
  readonly message: string;
  /** Ids, names and codes; nothing that a peer has written, and no secret. */
  readonly about?: Readonly<Record<string, string | number | undefined>>;
  readonly error?: unknown;
}

/** Observes the time from now until the result is called. */
export function stopwatch(telemetry: Telemetry, metric: MetricName, ...labels: readonly string[]): () => void {
  const started = performance.now();
  return () => telemetry.record(metric, (performance.now() - started) / 1000, ...labels);
}

/** Does something, and hears how it has ended: `ok`, or `rejected`. */
export async function observed<T>(task: () => Promise<T>, ended: (outcome: 'ok' | 'rejected') => void): Promise<T> {
  try {
    const result = await task();
    ended('ok');
    return result;
  } catch (error) {
    ended('rejected');
    throw error;
  }
}

/** Telemetry that traces too, where there is something to trace with. */
export function withTracing(telemetry: Telemetry, tracing: Tracing | undefined): Telemetry {
  if (!tracing) return telemetry;
  return {
    record: (metric, value, ...labels) => telemetry.record(metric, value, ...labels),
    watch: (metric, read) => telemetry.watch?.(metric, read),
    tell: (notice) => telemetry.tell?.(notice),
    tracing,
  };
}

/** Drops everything: the default for an embedded host. */
export const silent: Telemetry = { record: () => undefined };
