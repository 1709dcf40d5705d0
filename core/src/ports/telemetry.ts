/**
 * What the engine tells an operator about itself.
 *
 * The table below is the only list of metrics: a telemetry adapter loops over it, so a new
 * metric is one row here. Labels take values from closed sets only (frame types, reasons),
 * never room or peer ids, so the number of series is bounded by construction.
 */
export const METRICS = {
  rooms: { kind: 'gauge', help: 'Rooms held in memory.' },
  peers: { kind: 'gauge', help: 'Peers that have joined a room and are connected.' },
  frames_total: { kind: 'counter', help: 'Frames received, by type.', label: 'type' },
  errors_total: { kind: 'counter', help: 'Error frames sent, by code.', label: 'code' },
  closes_total: { kind: 'counter', help: 'Connections closed by the server, by code.', label: 'code' },
  nodes_accepted_total: { kind: 'counter', help: 'Nodes admitted and durable.' },
  nodes_rejected_total: { kind: 'counter', help: 'Nodes refused, by reason.', label: 'reason' },
  commit_batch_nodes: { kind: 'histogram', help: 'Nodes per durable batch.', buckets: [1, 4, 16, 64, 256, 1024, 4096] },
  persistence_seconds: {
    kind: 'histogram',
    help: 'Time of one synced append to the log.',
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5],
  },
} as const satisfies Record<string, MetricDeclaration>;

export interface MetricDeclaration {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly label?: string;
  readonly buckets?: readonly number[];
}

export type MetricName = keyof typeof METRICS;

export interface Telemetry {
  /** Adds to a counter or gauge (`by` may be negative for a gauge), or observes a histogram value. */
  record(metric: MetricName, value: number, label?: string): void;
}

/** Drops everything: the default for an embedded host. */
export const silent: Telemetry = { record: () => undefined };
