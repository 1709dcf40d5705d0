/**
 * Server that speaks as a vendor of models does, and refuses what the vendor refuses. What its model says is a test's; whether a request is
 * one that the vendor takes, what of it comes from the cache and what it costs is the server's.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SaidCall {
  readonly name: string;
  /** Text is sent as it is: JSON that may end in the middle. */
  readonly input: object | string;
}

/** Turn of the model. */
export interface Said {
  /** What it thought: text that only the vendor may read, under a signature. */
  readonly thinks?: string;
  readonly text?: string;
  readonly calls?: readonly SaidCall[];
  readonly stop?: 'length' | 'full' | 'refused' | 'paused';
  /** Ends the connection in the middle. */
  readonly isBroken?: boolean;
}

/** Refusal in place of a turn. */
export interface Fault {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Request as the model sees it: what it is told, and nothing else. */
export interface Seen {
  /** Turns of this conversation that it has said before. */
  readonly turn: number;
  readonly system: string;
  readonly tools: readonly string[];
  /** All texts after its last turn: results, notices, words of people. */
  readonly told: readonly string[];
  /** All texts of the conversation. */
  readonly whole: string;
}

export type Model = (seen: Seen) => Said | Fault;

/** What was asked and what came of it. */
export interface Served {
  readonly body: string;
  /** Why it was refused; absent: it was not. */
  readonly refused?: string;
  readonly usage?: Usage;
}

export interface Usage {
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
}

/** Wire of a vendor: from a body to a stream. */
export interface Wire {
  readonly path: string;
  answer(body: string, headers: IncomingHttpHeaders, model: Model): Answered;
  /** Tokens of a request that is not asked, where the vendor counts them: at `path`/count_tokens. */
  count?(body: string, headers: IncomingHttpHeaders): { readonly tokens: number } | { readonly fault: Fault };
}

export type Answered =
  | { readonly stream: readonly string[]; readonly usage: Usage; readonly isBroken?: boolean }
  | { readonly fault: Fault; readonly refused?: string };

export interface VendorServer {
  readonly url: string;
  readonly served: Served[];
  /** Tokens that were told of requests, or undefined for each that was refused. */
  readonly counts: (number | undefined)[];
  /** Requests that the vendor refused for what stood in them. */
  refusals(): string[];
  close(): Promise<void>;
}

/** `onWhole` ends an answer of which every byte has left. */
export async function openVendorServer(
  wire: Wire,
  model: Model,
  onWhole: (end: () => void) => void = (end) => end(),
): Promise<VendorServer> {
  const served: Served[] = [];
  const counts: VendorServer['counts'] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (bytes: Buffer) => pieces.push(bytes));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString('utf8');
      if (request.method !== 'POST' || !request.url?.startsWith(wire.path)) {
        response.writeHead(404).end();
        return;
      }
      if (wire.count && new URL(request.url, 'http://vendor').pathname === `${wire.path}/count_tokens`) {
        const found = wire.count(body, request.headers);
        counts.push('tokens' in found ? found.tokens : undefined);
        const [status, told] =
          'tokens' in found ? [200, { input_tokens: found.tokens }] : [found.fault.status, found.fault.body];
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(told));
        return;
      }
      const answered = wire.answer(body, request.headers, model);
      if ('fault' in answered) {
        const { fault, refused } = answered;
        served.push({ body, ...(refused === undefined ? {} : { refused }) });
        response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
        response.end(JSON.stringify(fault.body));
        return;
      }
      served.push({ body, usage: answered.usage });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const { stream, isBroken = false } = answered;
      if (!isBroken) return void response.write(stream.join(''), () => onWhole(() => response.end()));
      response.write(stream.slice(0, Math.ceil(stream.length / 2)).join(''), () => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    served,
    counts,
    refusals: () => served.flatMap(({ refused }) => refused ?? []),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function isFault(said: Said | Fault): said is Fault {
  return 'status' in said;
}

/** Tokens of a text, as the vendors' present tokenizers make them. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

export function jsonOf(input: SaidCall['input']): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}
