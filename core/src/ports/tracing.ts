/**
 * Traces of what the engine does: spans with a name, a parent and a length, for whoever follows one request through a system.
 *
 * The names below are all that there are. Attributes are ids of rooms, types of frames, names of operations, codes and counts:
 * nothing that a peer has written, no key of a value, no token.
 */
export type SpanName =
  /** One frame of a peer, until its answer. */
  | 'weft.frame'
  /** Nodes of a push, or a write of this host, from when they come to the room's writer until they are durable. */
  | 'weft.commit'
  /** Judgement of those nodes, or the decision what is written. */
  | 'weft.decide'
  /** Append of the batch that they are in, synced. */
  | 'weft.append'
  /** Hand-over of that batch to everybody who follows the room. */
  | 'weft.relay'
  /** One request to a studio: of its API, or a call of a tool. */
  | 'weft.request'
  /** The operation that it asks for. */
  | 'weft.operation'
  /** Events of one change of its record, until they are durable. */
  | 'weft.record';

/** Code of the catalogues of refusals. */
const CODE = /^[a-z][a-z0-9._-]{0,63}$/;

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface TraceSpan {
  /** Ends it, once. With `failed`, a code that says why. */
  end(attributes?: SpanAttributes, failed?: string): void;
}

export interface Tracing {
  /** Begins a span; at the root of a trace without a parent. */
  begin(name: SpanName, attributes: SpanAttributes, parent: TraceSpan | undefined): TraceSpan;
  /** Runs a task, and all that it awaits, as work of a span; of none with `undefined`. */
  within<T>(span: TraceSpan | undefined, task: () => T): T;
  /** TraceSpan that the code which asks runs in. */
  readonly current: TraceSpan | undefined;
  /** TraceSpan of another process, as a request names it in W3C's `traceparent`; undefined for what names none. */
  remote(traceparent: string): TraceSpan | undefined;
}

/** Spans of one piece of work that several have asked for: each of them has a span of its own for it. */
export class Spans {
  readonly #tracing: Tracing;
  readonly #spans: readonly TraceSpan[];

  constructor(tracing: Tracing, spans: readonly TraceSpan[]) {
    this.#tracing = tracing;
    this.#spans = spans;
  }

  /** The span that the code which asks runs in; undefined where nothing is traced, or nobody waits for it. */
  static here(tracing: Tracing | undefined): Spans | undefined {
    const span = tracing?.current;
    return tracing && span && new Spans(tracing, [span]);
  }

  /** Spans of several pieces of work, as of one. */
  static of(all: readonly (Spans | undefined)[]): Spans | undefined {
    const some = all.filter((one) => one !== undefined);
    const [first] = some;
    if (!first || some.length === 1) return first;
    return new Spans(
      first.#tracing,
      some.flatMap((one) => one.#spans),
    );
  }

  /** Spans under these, one each. */
  begin(name: SpanName, attributes: SpanAttributes = {}): Spans {
    return new Spans(
      this.#tracing,
      this.#spans.map((span) => this.#tracing.begin(name, attributes, span)),
    );
  }

  end(attributes?: SpanAttributes, failed?: string): void {
    for (const span of this.#spans) span.end(attributes, failed);
  }
}

/** Runs a task in a span of its own, which ends as the task does. */
export async function traced<T>(
  tracing: Tracing,
  name: SpanName,
  {
    attributes = {},
    parent = tracing.current,
  }: { readonly attributes?: SpanAttributes; readonly parent?: TraceSpan | undefined },
  task: () => Promise<T>,
): Promise<T> {
  const span = tracing.begin(name, attributes, parent);
  try {
    const result = await tracing.within(span, task);
    span.end();
    return result;
  } catch (error) {
    span.end({}, failureOf(error));
    throw error;
  }
}

/** Code of an error, the reason of a refusal: its text may hold what a peer has written. */
export function failureOf(error: unknown): string {
  const reason = error instanceof Error && 'reason' in error ? error.reason : undefined;
  return typeof reason === 'string' && CODE.test(reason) ? reason : 'internal';
}
