/**
 * The administration door: words of an operator over HTTP, on an address of its own with a bearer token. [AM1]
 *
 * `POST /v1/rooms/<room>/<verb>` takes the word's fields as JSON and answers its result; `/healthz` and `/readyz` are for whoever
 * watches over the process, and need no token, nor do the files of the page that says these words. Nothing here knows a word by name.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, type ServerOptions, type ServerResponse, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { bindHttp } from '../http-listening.js';
import type { Log } from '../log.js';
import type { Performs } from '../operator/perform.js';
import type { Tls } from '../tls.js';
import type { Listening } from '../transports/transport.js';
import { openApi } from './openapi.js';
import { NOTHING_HERE, Refusal, performed, targetOf } from './words-door.js';

const BODY_BYTES = 64 * 1024;
const HEADER_BYTES = 16 * 1024;
const MOST_CONNECTIONS = 64;
const REQUEST_MS = 10_000;
/** When to ask again whether peers should be sent here, in seconds. */
const RETRY_SECONDS = 5;

export interface AdminOptions {
  /** Bearer token, at least 16 characters. */
  readonly token: string;
  readonly performing: Performs;
  /** Files of the page about rooms, at `/`, `/rooms` and `/assets`; undefined for what is none of them. Default: there is no page. */
  readonly page?: (request: Request) => Promise<Response | undefined>;
  /** Why nobody should be sent here just now; undefined when the server is ready. */
  readonly unready: () => string | undefined | Promise<string | undefined>;
}

interface AdminListenerOptions extends AdminOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  /** Certificate; with it, nothing but TLS is spoken. */
  readonly tls?: Tls | undefined;
}

export interface AdminListening extends Listening {
  renew(tls: Tls): void;
}

export async function listenAdmin(options: AdminListenerOptions): Promise<AdminListening> {
  const { host, port, tls, log } = options;
  const bounds: ServerOptions = {
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: REQUEST_MS / 2,
    maxHeaderSize: HEADER_BYTES,
  };
  const secure = tls && createTlsServer({ ...bounds, cert: tls.cert, key: tls.key });
  const http = secure ?? createServer(bounds);
  http.maxConnections = MOST_CONNECTIONS;
  const door = new Door(options);
  http.on('request', (request, response) => {
    door
      .answer(request, response)
      .catch((error: unknown) => {
        if (error instanceof Refusal) return send(response, error.status, { error: error.message, code: error.code });
        if (response.destroyed) return;
        log({ level: 'error', message: 'an operator could not be answered', error });
        send(response, 500, { error: 'the server could not do this; its log says why', code: 'failed' });
      })
      // What was not read of the request would be taken for the next one.
      .finally(() => request.destroyed || request.resume());
  });
  const listening = await bindHttp(http, host, port, '--admin-addr');
  return { ...listening, renew: ({ cert, key }) => secure?.setSecureContext({ cert, key }) };
}

class Door {
  readonly #options: AdminOptions;
  readonly #token: Buffer;
  readonly #document = JSON.stringify(openApi());

  constructor(options: AdminOptions) {
    this.#options = options;
    this.#token = digest(options.token);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (path === '/healthz') return this.#get(request, response, () => ({ status: 'ok' }));
    if (path === '/readyz') return await this.#ready(request, response);
    if (path === '/openapi.json') {
      mustBe('GET', request, response);
      return void response.writeHead(200, HEADERS).end(this.#document);
    }
    const target = targetOf(path);
    if (!target) {
      if (await this.#page(request, response, path)) return;
      throw new Refusal(404, 'not-found', NOTHING_HERE);
    }
    mustBe(target.method, request, response);
    this.#mustKnow(request, response);
    const input = target.method === 'POST' ? { ...(await fieldsOf(request)), ...target.fields } : target.fields;
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    send(response, 200, await performed(this.#options.performing, target, input, gone.signal));
  }

  #get(request: IncomingMessage, response: ServerResponse, answer: () => object): void {
    mustBe('GET', request, response);
    send(response, 200, answer());
  }

  async #ready(request: IncomingMessage, response: ServerResponse): Promise<void> {
    mustBe('GET', request, response);
    const why = await this.#options.unready();
    if (why === undefined) return send(response, 200, { ready: true });
    response.setHeader('retry-after', String(RETRY_SECONDS));
    send(response, 503, { ready: false, why });
  }

  /** Serves a file of the page; false where it has none of that name. Files hold nothing of this server, so they need no token. */
  async #page({ method, headers }: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> {
    const { page } = this.#options;
    if (!page || (method !== 'GET' && method !== 'HEAD')) return false;
    const encoding = String(headers['accept-encoding'] ?? '');
    const file = await page(new Request(`http://localhost${path}`, { headers: { 'accept-encoding': encoding } }));
    if (!file) return false;
    const body = Buffer.from(await file.arrayBuffer());
    response.writeHead(file.status, Object.fromEntries(file.headers)).end(method === 'HEAD' ? undefined : body);
    return true;
  }

  #mustKnow({ headers }: IncomingMessage, response: ServerResponse): void {
    const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    // Digests are of one length, so the comparison takes the same time whatever is given.
    if (given !== undefined && timingSafeEqual(digest(given), this.#token)) return;
    response.setHeader('WWW-Authenticate', 'Bearer');
    throw new Refusal(
      401,
      'unauthorized',
      'the bearer token of this server is needed: it is in admin.token of its data folder',
    );
  }
}

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

function mustBe(method: string, request: IncomingMessage, response: ServerResponse): void {
  if (request.method === method) return;
  response.setHeader('Allow', method);
  throw new Refusal(405, 'method-not-allowed', `use ${method}`);
}

async function fieldsOf(request: IncomingMessage): Promise<object> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > BODY_BYTES) throw new Refusal(413, 'too-large', `a body has at most ${BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  if (length === 0) return {};
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    throw new Refusal(415, 'unsupported-type', 'the body must be application/json');
  const fields = jsonOf(Buffer.concat(chunks).toString('utf8'));
  if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return fields;
  throw new Refusal(400, 'invalid', 'the body must be a JSON object');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no object, and refused as such
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, HEADERS).end(JSON.stringify(body));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
