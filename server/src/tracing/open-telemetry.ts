/**
 * Tracing of the engine on OpenTelemetry's API.
 *
 * What the engine runs in a span is in the active context of the API too, where the application has registered a manager of
 * contexts; ours is known without one. Its types are not in ours: the package is there for who traces alone.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type * as OpenTelemetry from '@opentelemetry/api';
import type { SpanAttributes, TraceSpan, SpanName, Tracing } from '@weft/core';

type Api = typeof OpenTelemetry;

/** Version 00 of W3C's trace context; a later one may say more behind that. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Tracing with the tracer of the provider that the application has registered. Rejects without the package. */
export async function openTelemetryTracing(): Promise<Tracing> {
  const api = await import('@opentelemetry/api').catch((cause: unknown) => {
    throw new Error('tracing needs the package @opentelemetry/api beside this one: npm install it', { cause });
  });
  return tracingWith(api, api.trace.getTracer('weft'));
}

class ApiSpan implements TraceSpan {
  readonly context: OpenTelemetry.Context;
  isOver = false;
  readonly #api: Api;
  readonly #span: OpenTelemetry.Span;

  constructor(api: Api, context: OpenTelemetry.Context, span: OpenTelemetry.Span) {
    this.#api = api;
    this.#span = span;
    this.context = api.trace.setSpan(context, span);
  }

  end(attributes: SpanAttributes = {}, failed?: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#span.setAttributes(attributes);
    if (failed !== undefined) {
      this.#span.setAttribute('error.type', failed);
      this.#span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: failed });
    }
    this.#span.end();
  }
}

export function tracingWith(api: Api, tracer: OpenTelemetry.Tracer): Tracing {
  const running = new AsyncLocalStorage<ApiSpan | undefined>();
  const contextOf = (span: TraceSpan | undefined): OpenTelemetry.Context =>
    span instanceof ApiSpan ? span.context : api.ROOT_CONTEXT;
  const spanOf = (context: OpenTelemetry.Context): ApiSpan | undefined => {
    const span = api.trace.getSpan(context);
    return span && new ApiSpan(api, context, span);
  };
  /** Kinds that say where a trace enters a process. */
  const kindOf = (name: SpanName): OpenTelemetry.SpanKind =>
    name === 'weft.frame' || name === 'weft.request' ? api.SpanKind.SERVER : api.SpanKind.INTERNAL;
  return {
    begin(name, attributes, parent) {
      const context = contextOf(parent);
      return new ApiSpan(api, context, tracer.startSpan(name, { kind: kindOf(name), attributes }, context));
    },
    within(span, task) {
      return running.run(span instanceof ApiSpan ? span : undefined, () => api.context.with(contextOf(span), task));
    },
    get current() {
      const span = running.getStore() ?? spanOf(api.context.active());
      // What goes on after a span has ended, such as a timer, is no work of it.
      return span?.isOver ? undefined : span;
    },
    remote(traceparent) {
      const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(traceparent) ?? [];
      if (version === undefined || (version === '00' && more !== undefined)) return undefined;
      const context = {
        traceId: traceId!,
        spanId: spanId!,
        traceFlags: Number.parseInt(flags!, 16) & 1,
        isRemote: true,
      };
      if (!api.isSpanContextValid(context)) return undefined;
      return new ApiSpan(api, api.ROOT_CONTEXT, api.trace.wrapSpanContext(context));
    },
  };
}
