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

/** Gauges of the library that are named like counters: Prometheus' checker refuses them, and nobody needs them. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

type Recorder = (value: number, label?: string) => void;

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: PREFIX });
  for (const name of MISNAMED) registry.removeSingleMetric(PREFIX + name);
  const records = new Map<string, Recorder>();
  for (const [name, declaration] of Object.entries<MetricDeclaration>(METRICS)) {
    records.set(name, register(registry, PREFIX + name, declaration));
  }
  return {
    telemetry: { record: (metric: MetricName, value, label) => records.get(metric)?.(value, label) },
    contentType: registry.contentType,
    render: () => registry.metrics(),
  };
}

function register(registry: Registry, name: string, declaration: MetricDeclaration): Recorder {
  const { kind, help, label: labelName, buckets } = declaration;
  const shape = { name, help, registers: [registry], labelNames: labelName === undefined ? [] : [labelName] };
  const labels = (label: string | undefined): { [name: string]: string } =>
    labelName === undefined ? {} : { [labelName]: label ?? 'unknown' };
  if (kind === 'histogram') {
    const histogram = new Histogram(buckets === undefined ? shape : { ...shape, buckets: [...buckets] });
    return (value, label) => histogram.observe(labels(label), value);
  }
  const metric = kind === 'gauge' ? new Gauge(shape) : new Counter(shape);
  return (value, label) => metric.inc(labels(label), value);
}
