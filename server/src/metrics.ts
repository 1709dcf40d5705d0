/**
 * The engine's telemetry as Prometheus text.
 *
 * One loop over the engine's table makes every metric, so none is named twice. Each call of
 * `createMetrics` has its own registry: two servers in one process do not share numbers.
 */
import { METRICS, type MetricDeclaration, type MetricName, type Telemetry } from '@weft/core';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly telemetry: Telemetry;
  readonly contentType: string;
  /** All metrics in the Prometheus text format. */
  render(): Promise<string>;
}

const PREFIX = 'weft_';

/** Gauges of the library that are named like counters, and left out: Prometheus' checker refuses them. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

type Recorder = (value: number, labels: readonly string[]) => void;

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: PREFIX });
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
  };
}

function register(
  registry: Registry,
  name: string,
  declaration: MetricDeclaration,
  watched: readonly (() => number)[],
): Recorder {
  const { kind, help, labels: names = [], buckets = [] } = declaration;
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
