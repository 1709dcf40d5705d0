/**
 * Traces sent to a collector (OTLP over HTTP, in JSON).
 *
 * What waits to be sent is bounded, and nobody waits for the collector: spans that it does not take are dropped and counted. The
 * packages of OpenTelemetry are loaded here and nowhere else.
 */
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type * as Sdk from '@opentelemetry/sdk-trace-base';
import type { Telemetry, Tracing } from '@weft/core';
import { tracingWith } from './open-telemetry.js';
import { parseTracesUrl } from './traces-url.js';

/** Packages that belong together, in versions that run wherever this server does. */
const PACKAGES = [
  '@opentelemetry/api@1.9.1',
  '@opentelemetry/resources@2.12.0',
  '@opentelemetry/sdk-trace-base@2.12.0',
  '@opentelemetry/exporter-trace-otlp-http@0.223.0',
];

/** One connection is enough: requests follow one another. */
const KEPT = { keepAlive: true, maxSockets: 1 };

export const TRACE_LIMITS = {
  /** Spans that have ended and are not sent. */
  waiting: 2048,
  /** Spans of one request. */
  request: 512,
  everyMs: 1000,
  /** The collector's time for one request. */
  answerMs: 5000,
  /** Its time for what is left when the server stops. */
  closeMs: 2000,
} as const;

export interface TracesOptions {
  /** Address of the collector: `http://127.0.0.1:4318`, to which `/v1/traces` is added where it has no path. */
  readonly url: string;
  readonly telemetry: Telemetry;
}

export interface Traces {
  readonly tracing: Tracing;
  /** Sends what waits, and ends; within two seconds, whatever the collector does. */
  close(): Promise<void>;
}

export async function startTraces({ url, telemetry }: TracesOptions): Promise<Traces> {
  const address = parseTracesUrl(url);
  const { api, resources, sdk, otlp } = await load();
  const { waiting, request, everyMs, answerMs, closeMs } = TRACE_LIMITS;
  const agent = address.startsWith('https:') ? new TlsAgent(KEPT) : new Agent(KEPT);
  const exporter = new otlp.OTLPTraceExporter({
    url: address,
    timeoutMillis: answerMs,
    httpAgentOptions: () => agent,
  });
  const queue = new Queue(telemetry, exporter);
  const batches = new sdk.BatchSpanProcessor(queue, {
    maxQueueSize: waiting,
    maxExportBatchSize: request,
    scheduledDelayMillis: everyMs,
    exportTimeoutMillis: 2 * answerMs,
  });
  const resource = resources
    .resourceFromAttributes({ 'service.name': 'weft' })
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const provider = new sdk.BasicTracerProvider({ resource, spanProcessors: [queue.before(batches)] });
  return {
    tracing: tracingWith(api, provider.getTracer('weft')),
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, closeMs)));
      // What fails is counted: that nobody takes its spans is no failure of the server.
      const ended = provider.shutdown().catch(() => undefined);
      await Promise.race([ended, late]).finally(() => clearTimeout(timer));
      queue.giveUp();
      agent.destroy(); // a request that is still under way would keep the process
    },
  };
}

/** Why nothing can be traced here, where the packages that trace are not there. */
export async function tracesMissing(): Promise<string | undefined> {
  return load().then(
    () => undefined,
    (error: unknown) => String(error instanceof Error ? error.message : error),
  );
}

async function load() {
  try {
    const [api, resources, sdk, otlp] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    return { api, resources, sdk, otlp };
  } catch (cause) {
    const line = `npm install ${PACKAGES.join(' ')}`;
    throw new Error(`traces need the packages of OpenTelemetry beside this one: ${line}`, { cause });
  }
}

/** Exporter that counts what becomes of spans, and bounds how many wait for it. */
class Queue implements Sdk.SpanExporter {
  readonly #telemetry: Telemetry;
  readonly #exporter: Sdk.SpanExporter;
  #waiting = 0;
  #isDown = false;

  constructor(telemetry: Telemetry, exporter: Sdk.SpanExporter) {
    this.#telemetry = telemetry;
    this.#exporter = exporter;
  }

  /** Step before the batches, which would drop without a count. */
  before(batches: Sdk.SpanProcessor): Sdk.SpanProcessor {
    return {
      onStart: (span, context) => batches.onStart(span, context),
      onEnd: (span) => {
        if ((span.spanContext().traceFlags & 1) === 0) return; // nobody wants it
        if (this.#waiting >= TRACE_LIMITS.waiting) return this.#dropped(1);
        this.#waiting++;
        batches.onEnd(span);
      },
      forceFlush: () => batches.forceFlush(),
      shutdown: () => batches.shutdown(),
    };
  }

  export(spans: Sdk.ReadableSpan[], done: Parameters<Sdk.SpanExporter['export']>[1]): void {
    this.#exporter.export(spans, (result) => {
      const sent = Math.min(spans.length, this.#waiting);
      this.#waiting -= sent;
      if (result.code !== 0) this.#dropped(sent);
      this.#told(result.code !== 0);
      done(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  /** Nobody waits for the rest. */
  giveUp(): void {
    this.#dropped(this.#waiting);
    this.#waiting = 0;
  }

  #dropped(spans: number): void {
    if (spans > 0) this.#telemetry.record('trace_spans_dropped_total', spans);
  }

  /** An operator hears of it once, not with each request. */
  #told(isDown: boolean): void {
    if (isDown === this.#isDown) return;
    this.#isDown = isDown;
    const message = isDown ? 'the collector takes no traces: they are dropped' : 'the collector takes traces again';
    this.#telemetry.tell?.({ level: isDown ? 'warn' : 'info', message });
  }
}
