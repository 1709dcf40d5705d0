/**
 * The engine's telemetry as Prometheus text.
 *
 * One loop over the engine's table makes every metric, so none is named twice. Each call of
 * `createMetrics` has its own registry: two servers in one process do not share numbers.
 */
import { METRICS, type MetricDeclaration, type MetricName, type Telemetry } from '@weft/core';
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly telemetry: Telemetry;
  readonly contentType: string;
  /** All metrics in the Prometheus text format. */
  render(): Promise<string>;
  /** All metrics as data, to be added up with those of other threads. */
  read(): Promise<MetricsReading>;
}

export type MetricsReading = readonly { readonly name: string }[];

const PREFIX = 'weft_';

/** Gauges of the library that are named like counters, and left out: Prometheus' checker refuses them. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

type Recorder = (value: number, labels: readonly string[]) => void;

/** `ofProcess`: whether those of the process are among them, which one thread of it tells for all. */
export function createMetrics({ ofProcess = true } = {}): Metrics {
  const registry = new Registry();
  if (ofProcess) collectDefaultMetrics({ register: registry, prefix: PREFIX });
  for (const name of MISNAMED) registry.removeSingleMetric(PREFIX + name);
  const records = new Map<string, Recorder>();
  const readers = new Map<string, (() => number)[]>();
  for (const [name, declaration] of Object.entries<MetricDeclaration>(METRICS)) {
    const watched: (() => number)[] = [];
    readers.set(name, watched);
    records.set(name, register(registry, PREFIX + name, declaration, watched));
  }
  return {
    telemetry: {
      record: (metric: MetricName, value, ...labels) => records.get(metric)?.(value, labels),
      watch: (metric, read) => void readers.get(metric)?.push(read),
    },
    contentType: registry.contentType,
    render: () => registry.metrics(),
    read: () => registry.getMetricsAsJSON(),
  };
}

/**
 * Metrics of this thread and of hosts in others as one: what can be added is added up, of the rest the worst is told, for which
 * this thread, which has no host, does not count.
 */
export function summedMetrics(own: Metrics, others: () => Promise<readonly MetricsReading[]>): Metrics {
  return {
    ...own,
    async render() {
      const here = (await own.read()).filter(({ name }) => !ofHosts.has(name));
      const readings = [here, ...(await others())];
      return AggregatorRegistry.aggregate(readings.map((reading) => [...reading])).metrics();
    },
  };
}

const ofHosts: ReadonlySet<string> = new Set(
  Object.entries<MetricDeclaration>(METRICS).flatMap(([name, { worst }]) => (worst ? [PREFIX + name] : [])),
);

function register(
  registry: Registry,
  name: string,
  declaration: MetricDeclaration,
  watched: readonly (() => number)[],
): Recorder {
  const { kind, help, labels: names = [], buckets = [], worst = 'sum' } = declaration;
  const shape = { name, help, registers: [registry], labelNames: [...names] };
  if (kind === 'histogram') {
    const histogram = new Histogram({ ...shape, buckets: [...buckets] });
    return byLabels(
      names,
      (labels) => histogram.labels(labels),
      histogram,
      (child, value) => child.observe(value),
    );
  }
  if (kind === 'counter') {
    const counter = new Counter(shape);
    return byLabels(
      names,
      (labels) => counter.labels(labels),
      counter,
      (child, value) => child.inc(value),
    );
  }
  const gauge = new Gauge({
    ...shape,
    aggregator: worst,
    collect() {
      if (watched.length > 0) this.set(watched.reduce((sum, read) => sum + read(), 0));
    },
  });
  return byLabels(
    names,
    (labels) => gauge.labels(labels),
    gauge,
    (child, value) => child.inc(value),
  );
}

/** Cache of series by their labels: looking one up costs more than counting in it. */
function byLabels<Child>(
  names: readonly string[],
  find: (labels: Record<string, string>) => Child,
  all: Child,
  record: (child: Child, value: number) => void,
): Recorder {
  if (names.length === 0) return (value) => record(all, value);
  const children = new Map<string, Child>();
  return (value, labels) => {
    const key = labels.join();
    const child =
      children.get(key) ?? find(Object.fromEntries(names.map((name, at) => [name, labels[at] ?? 'unknown'])));
    children.set(key, child);
    record(child, value);
  };
}
