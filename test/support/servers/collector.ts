/** Collector of traces: takes OTLP over HTTP in JSON, as those of OpenTelemetry do, and tells when spans have come. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly failed: boolean;
}

interface Body {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: Attribute[] };
    readonly scopeSpans: { readonly spans: SentSpan[] }[];
  }[];
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number; readonly boolValue?: boolean };
}

type SentSpan = Omit<CollectedSpan, 'attributes' | 'failed'> & {
  readonly attributes: Attribute[];
  readonly status: { readonly code?: number };
};

export class Collector {
  readonly spans: CollectedSpan[] = [];
  readonly requests: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  /** All that came, as it came. */
  text = '';
  service: unknown;
  /** Status that requests are answered with; none at all when undefined. */
  status: number | undefined = 200;
  readonly #server = createServer((request, response) => {
    const { url, headers } = request;
    this.requests.push({ url, headers });
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      if (this.status === undefined) return;
      if (this.status === 200) this.#take(Buffer.concat(pieces).toString());
      response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  #heard: () => void = () => undefined;

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    onTestFinished(() => collector.close());
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Spans below the one that is looked for, it first, once each of these names is among them. */
  async trace(isRoot: (span: CollectedSpan) => boolean, names: readonly string[]): Promise<CollectedSpan[]> {
    for (;;) {
      const root = this.spans.find(isRoot);
      const below = root ? this.#below(root) : [];
      if (names.every((name) => below.some((span) => span.name === name))) return below;
      await new Promise<void>((resolve) => (this.#heard = resolve));
    }
  }

  #below(root: CollectedSpan): CollectedSpan[] {
    const { traceId, spanId } = root;
    const children = this.spans.filter((span) => span.traceId === traceId && span.parentSpanId === spanId);
    return [root, ...children.flatMap((child) => this.#below(child))];
  }

  #take(text: string): void {
    this.text += text;
    for (const { resource, scopeSpans } of (JSON.parse(text) as Body).resourceSpans) {
      this.service = valuesOf(resource.attributes)['service.name'];
      for (const { spans } of scopeSpans)
        for (const { attributes, status, ...span } of spans)
          this.spans.push({ ...span, attributes: valuesOf(attributes), failed: status.code === 2 });
    }
    this.#heard();
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string | number | boolean> {
  const values = attributes.map(({ key, value }) => [key, Object.values(value)[0]!] as const);
  return Object.fromEntries(values);
}
