/**
 * Proxy of confined programs, the only way out of their network: CONNECT for https, absolute addresses for http, to hosts and ports of
 * an allow-list. Nothing is decrypted but what is read from servers at which the user has a login. Each program has a door of its own, so what is refused is known to be its own, and
 * everything that it opened ends with it.
 */
import { once } from 'node:events';
import {
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  request as httpRequest,
} from 'node:http';
import { type Server as NetServer, type Socket, connect, createServer as createDoor, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TLSSocket, connect as connectTls } from 'node:tls';
import type { Addresses } from './addresses.js';
import { type Allowed, type Target, allowing, targetOf } from './allowed.js';
import type { CertificateAuthority } from './certificates.js';
import { type Login, hasLogin, loginFor } from './logins.js';
import { STANDS_FOR_LOGIN } from './managers-logins.js';
import { NotLetThrough, answer, nameOf, notListed, shown, statusLine, told } from './answers.js';
import { type Upstream, type UpstreamOf, connectedTo, ledOn } from './upstream.js';
import { LONGEST_RECORD, greetingOf } from './tls-name.js';
import { type DoorWanted, Way } from './way.js';

export interface ProxyLimits {
  /** Connections at once, of one program and of all. */
  readonly ofOne: number;
  readonly ofAll: number;
  /** Bytes that one program may send, and receive. */
  readonly sent: number;
  readonly received: number;
  readonly headMs: number;
  readonly connectMs: number;
  readonly idleMs: number;
}

const PROXY_LIMITS: ProxyLimits = {
  ofOne: 128,
  ofAll: 512,
  sent: 1 << 30,
  received: 16 * 2 ** 30,
  headMs: 10_000,
  connectMs: 15_000,
  idleMs: 600_000,
};

/** Addresses of one host that are tried. */
const MOST_ADDRESSES = 4;
const COUNT_MS = 1_000;
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'expect',
]);

interface Door {
  close(): void;
}
export interface OpenDoor extends Door {
  /** Port, where one was chosen. */
  readonly port: number | undefined;
}

/** Reading from servers at which the user has a login, which is added here, so that no program has it. */
export interface Reading {
  readonly logins: readonly Login[];
  /** Whose certificates programs trust. Undefined where there are no logins. */
  readonly authority: CertificateAuthority | undefined;
  /** Certificates that such a server is known by. Default: those of Node. */
  readonly trusted: string | undefined;
}

const NO_READING: Reading = { logins: [], authority: undefined, trusted: undefined };
/** What a login is used for. */
const READS = new Set(['GET', 'HEAD']);

/** Connection for a server, and the proxy of this machine that it goes through. */
interface Reached {
  readonly far: Socket;
  readonly via: Upstream | undefined;
}

export class EgressProxy {
  readonly #http: Server;
  readonly #addresses: Addresses;
  readonly #limits: ProxyLimits;
  readonly #upstream: UpstreamOf;
  readonly #wayOf = new WeakMap<Duplex, Way>();
  readonly #reading: Reading;
  /** Server that a connection was led to by CONNECT, where requests on it are read. */
  readonly #ledTo = new WeakMap<Duplex, Target & Pick<Allowed, 'scheme'>>();
  readonly #doors = new Set<Door>();
  #open = 0;

  constructor(
    addresses: Addresses,
    limits: Partial<ProxyLimits> = {},
    upstream: UpstreamOf = () => undefined,
    reading: Reading = NO_READING,
  ) {
    this.#addresses = addresses;
    this.#reading = reading;
    this.#upstream = upstream;
    this.#limits = { ...PROXY_LIMITS, ...limits };
    const { headMs } = this.#limits;
    this.#http = createServer({ headersTimeout: headMs, requestTimeout: 0, keepAliveTimeout: 30_000 });
    this.#http.on('request', (request, response) => void this.#forward(request, response));
    this.#http.on('connect', (request, socket, head) => void this.#tunnel(request, socket, head));
    this.#http.on('upgrade', (_, socket) => {
      answer(socket, 501, 'weft: upgrades of a connection are not let through');
    });
    this.#http.on('clientError', (_, socket) => socket.destroy());
  }

  /** Opens the door of one program: at a path, or at a port of this machine that is chosen. */
  open(at: string | 0, wanted: DoorWanted): Promise<OpenDoor> {
    return this.#opened(at, new Way(wanted), (socket) => this.#http.emit('connection', socket));
  }

  /** Opens a door that leads to one port of this machine, whatever is spoken there. */
  relay(at: string, port: number): Promise<OpenDoor> {
    const way = new Way({ allowed: [], onRefused: () => undefined });
    return this.#opened(at, way, (near) => {
      const far = this.#counted(way, connect({ host: '127.0.0.1', port }));
      void Promise.allSettled([pipeline(near, far), pipeline(far, near)]);
    });
  }

  /** Opens a door at which one server over http is read with the login of the user. */
  read(at: string, target: Target, wanted: DoorWanted): Promise<OpenDoor> {
    return this.#opened(at, new Way(wanted), (socket) => {
      this.#ledTo.set(socket, { ...target, scheme: 'http' });
      this.#http.emit('connection', socket);
    });
  }

  /** Opens a door whose connections a server of ours takes. */
  serve(at: string | 0, server: Server): Promise<OpenDoor> {
    const way = new Way({ allowed: [], onRefused: () => undefined });
    return this.#opened(at, way, (near) => server.emit('connection', near));
  }

  async #opened(at: string | 0, way: Way, enter: (socket: Socket) => void): Promise<OpenDoor> {
    const server = createDoor((socket) => {
      if (this.#admits(way, socket)) enter(socket);
    });
    await listening(server, at);
    const door: Door = {
      close: () => {
        this.#doors.delete(door);
        server.close();
        way.end();
      },
    };
    this.#doors.add(door);
    const address = server.address();
    return { ...door, port: typeof address === 'object' ? address?.port : undefined };
  }

  close(): void {
    for (const door of this.#doors) door.close();
    this.#http.close();
  }

  #admits(way: Way, socket: Socket): boolean {
    const { ofOne, ofAll, idleMs } = this.#limits;
    if (way.near.size >= ofOne || this.#open >= ofAll) {
      socket.on('error', () => undefined);
      answer(socket, 503, `weft: a program has at most ${ofOne} connections at once, all together ${ofAll}`);
      return false;
    }
    this.#open += 1;
    way.near.add(socket);
    this.#wayOf.set(socket, way);
    socket.on('error', () => undefined);
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.once('close', () => {
      this.#open -= 1;
      way.near.delete(socket);
    });
    return true;
  }

  /** A request with an absolute address, or one that follows a CONNECT without encryption. */
  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const way = this.#wayOf.get(request.socket)!;
    const url = request.url ?? '';
    try {
      const led = this.#ledTo.get(request.socket);
      const target = led ?? plainTarget(url);
      const scheme = led?.scheme ?? 'http';
      const below = led ? url : url.replace(/^http:\/\/[^/?]*/i, '').replace(/^(?!\/)/, '/');
      const letsIn = this.#loginFor(request, target, scheme, below);
      const said = endToEnd(request).filter(([, value]) => value !== STANDS_FOR_LOGIN);
      const { far, via } = await this.#reach(way, target, scheme);
      const isThrough = via !== undefined && scheme === 'http';
      const path = isThrough ? `http://${nameOf(target)}${below}` : below;
      const atProxy = isThrough && via.authorization !== undefined ? [['Proxy-Authorization', via.authorization]] : [];
      // One connection for one request: no pool of ours mixes programs, and no body can pass for a request to another host.
      const headers = [...said, ...letsIn, ...atProxy, ['Host', nameOf(target)], ['Connection', 'close']].flat();
      const connection = scheme === 'https' ? await this.#encrypted(far, target) : far;
      const asked = httpRequest({ method: request.method!, path, headers, createConnection: () => connection });
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        asked.once('response', resolve);
        asked.once('error', reject);
      });
      const [heard] = await Promise.all([answered, pipeline(request, asked)]);
      response.writeHead(heard.statusCode!, heard.statusMessage, endToEnd(heard).flat());
      await pipeline(heard, response);
    } catch (error) {
      const { status, text } = told(error);
      if (response.headersSent) response.destroy();
      else {
        const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
        response.writeHead(status, statusLine(text), headers).end(`${text}\n`);
      }
    }
  }

  async #tunnel(request: IncomingMessage, near: Duplex, head: Buffer): Promise<void> {
    const way = this.#wayOf.get(near)!;
    near.on('error', () => undefined);
    try {
      if (this.#ledTo.has(near)) throw new NotLetThrough(400, 'weft: one CONNECT leads to one server');
      const target = targetOf(request.url ?? '');
      if (!target) throw new NotLetThrough(400, `weft: CONNECT takes host:port, not ${shown(request.url ?? '')}`);
      if (this.#rowFor(way, target).scheme === 'http') {
        this.#ledTo.set(near, { ...target, scheme: 'http' });
        near.write(ESTABLISHED);
        if (head.length > 0) near.unshift(head);
        this.#http.emit('connection', near);
        return;
      }
      if (hasLogin(this.#reading.logins, target, 'https')) return this.#decrypt(way, target, near, head);
      const { far } = await this.#reach(way, target, 'https');
      near.write(ESTABLISHED);
      const greeting = await this.#greeting(near, head);
      const meant = greeting && meantBy(greeting);
      if (meant !== undefined && !isMeant(meant, target))
        way.refuse(`${nameOf(target)} as ${shown(meant.name)}`, 'what it sent there was meant for another server');
      if (greeting === undefined || meant === undefined || !isMeant(meant, target)) {
        far.destroy();
        near.destroy();
        return;
      }
      far.write(greeting);
      await Promise.all([pipeline(near, far), pipeline(far, near)]);
    } catch (error) {
      const { status, text } = told(error);
      if (near.writable && !near.destroyed) answer(near, status, text);
    }
  }

  /** Takes requests for a server at which the user has a login, in place of that server. */
  #decrypt(way: Way, target: Target, near: Duplex, head: Buffer): void {
    near.write(ESTABLISHED);
    if (head.length > 0) near.unshift(head);
    const secureContext = this.#reading.authority?.contextOf(target.host);
    const inner = new TLSSocket(near as Socket, {
      isServer: true,
      ALPNProtocols: ['http/1.1'],
      ...(secureContext && { secureContext }),
    });
    const late = setTimeout(() => near.destroy(), this.#limits.headMs);
    inner.on('error', () => near.destroy());
    inner.once('close', () => clearTimeout(late));
    inner.once('secure', () => {
      clearTimeout(late);
      this.#wayOf.set(inner, way);
      this.#ledTo.set(inner, { ...target, scheme: 'https' });
      this.#http.emit('connection', inner);
    });
  }

  /** Connection to a server whose certificate was checked. */
  async #encrypted(far: Socket, { host }: Target): Promise<TLSSocket> {
    const { trusted } = this.#reading;
    const socket = connectTls({
      socket: far,
      ...(isIP(host) === 0 ? { servername: host } : { host }),
      ...(trusted === undefined ? {} : { ca: [trusted] }),
      ALPNProtocols: ['http/1.1'],
    });
    const late = setTimeout(() => socket.destroy(new Error('it did not answer in time')), this.#limits.connectMs);
    try {
      await once(socket, 'secureConnect');
      return socket;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new NotLetThrough(502, `weft: ${host} is not who it should be, or not heard: ${shown(why)}`, {
        cause: error,
      });
    } finally {
      clearTimeout(late);
    }
  }

  /** Header by which the user is let in, for a program that says nothing of its own. It opens what can be read, and nothing else. */
  #loginFor(request: IncomingMessage, target: Target, scheme: Allowed['scheme'], path: string): [string, string][] {
    const found = loginFor(this.#reading.logins, target, scheme, path);
    const { authorization = STANDS_FOR_LOGIN } = request.headers;
    if (found === undefined || authorization !== STANDS_FOR_LOGIN) return [];
    if (READS.has(request.method ?? '')) return [['Authorization', found]];
    throw new NotLetThrough(405, `weft: the login of the user at ${nameOf(target)} is for reading alone`);
  }

  /** Bytes up to the whole first record of TLS; undefined where the program ended before that. */
  async #greeting(near: Duplex, head: Buffer): Promise<Buffer | undefined> {
    let bytes = head;
    const late = setTimeout(() => near.destroy(), this.#limits.headMs);
    try {
      while (greetingOf(bytes).kind === 'partial' && bytes.length < LONGEST_RECORD) {
        const more = await nextBytes(near);
        if (more === undefined) return undefined;
        bytes = Buffer.concat([bytes, more]);
      }
      return bytes;
    } finally {
      clearTimeout(late);
    }
  }

  #rowFor(way: Way, target: Target): Allowed {
    const row = allowing(way.allowed, target);
    if (row) return row;
    way.refuse(nameOf(target), 'it is not on the list');
    throw new NotLetThrough(403, notListed(target, way.allowed));
  }

  /** Connection to a server that the program may reach, at an address that the server may have. */
  async #reach(way: Way, target: Target, scheme: Allowed['scheme']): Promise<Reached> {
    const row = this.#rowFor(way, target);
    if (row.scheme !== scheme) {
      way.refuse(`http://${nameOf(target)}`, 'it is allowed over https alone');
      throw new NotLetThrough(403, `weft: ${nameOf(target)} may be reached over ${row.scheme} alone`);
    }
    const via = this.#upstream(scheme, target);
    // Names are looked up there: a network that has a proxy often knows no names of the world.
    if (via) return { via, far: await this.#through(way, via, scheme === 'https' ? target : undefined) };
    const { good, bad } = await this.#addresses.of(row, target.host).catch((error: unknown) => {
      throw new NotLetThrough(502, `weft: ${target.host} was not found`, { cause: error });
    });
    if (good.length > 0)
      return { via: undefined, far: await this.#connect(way, good.slice(0, MOST_ADDRESSES), target.port) };
    const address = bad[0] ?? 'none';
    way.refuse(nameOf(target), `its address, ${address}, is inside of this network`);
    throw new NotLetThrough(
      403,
      `weft: ${target.host} has an address inside of this network, ${address}, where it was not when the studio started; ` +
        'if it is there for good, start the studio again',
    );
  }

  /** Connection to the proxy of this machine, led on to a server where one is named. */
  async #through(way: Way, via: Upstream, target: Target | undefined): Promise<Socket> {
    const { connectMs } = this.#limits;
    const far = await connectedTo(via, (socket) => this.#counted(way, socket), connectMs);
    return target ? ledOn(far, via, target, connectMs) : far;
  }

  async #connect(way: Way, addresses: readonly string[], port: number): Promise<Socket> {
    let last: unknown;
    for (const address of addresses) {
      const far = this.#counted(way, connect({ host: address, port }));
      const early = setTimeout(() => far.destroy(new Error('it did not answer in time')), this.#limits.connectMs);
      try {
        await once(far, 'connect');
        return far;
      } catch (error) {
        last = error;
      } finally {
        clearTimeout(early);
      }
    }
    throw new NotLetThrough(502, `weft: ${addresses.join(', ')} could not be reached at port ${port}`, { cause: last });
  }

  /** Counts what goes over a connection for its program, which ends all of them when it is too much. */
  #counted(way: Way, far: Socket): Socket {
    const { idleMs, sent, received } = this.#limits;
    let [sentBefore, receivedBefore] = [0, 0];
    const count = (): void => {
      way.sent += far.bytesWritten - sentBefore;
      way.received += far.bytesRead - receivedBefore;
      [sentBefore, receivedBefore] = [far.bytesWritten, far.bytesRead];
      if (way.sent <= sent && way.received <= received) return;
      way.refuse('more than it may', `a program sends at most ${sent} bytes, and receives ${received}`);
      way.end();
    };
    way.far.add(far);
    const looked = setInterval(count, COUNT_MS);
    far.setTimeout(idleMs, () => far.destroy());
    far.on('drain', count);
    far.on('error', () => undefined);
    far.once('close', () => {
      clearInterval(looked);
      way.far.delete(far);
      count();
    });
    return far;
  }
}

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

function listening(server: NetServer, at: string | 0): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    if (at === 0) server.listen(0, '127.0.0.1', resolve);
    else server.listen(at, resolve);
  });
}

/** Next bytes of a connection; undefined at its end. */
function nextBytes(stream: Duplex): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const done = (bytes?: Buffer): void => {
      stream.pause();
      for (const name of ['end', 'close', 'error'] as const) stream.off(name, ended);
      stream.off('data', done);
      resolve(bytes);
    };
    const ended = (): void => done();
    for (const name of ['end', 'close', 'error'] as const) stream.once(name, ended);
    stream.once('data', done);
    stream.resume();
  });
}

function plainTarget(url: string): Target {
  const [, place = ''] = /^http:\/\/([^/?]*)/i.exec(url) ?? [];
  const target = targetOf(/:\d+$/.test(place) ? place : `${place}:80`);
  if (target) return target;
  if (/^https:/i.test(url)) throw new NotLetThrough(400, 'weft: https goes through CONNECT');
  throw new NotLetThrough(400, `weft: this is a proxy, which takes a whole address, not ${shown(url)}`);
}

interface Meant {
  readonly name: string;
}

/** Server that a greeting is meant for. */
function meantBy(bytes: Buffer): Meant {
  const greeting = greetingOf(bytes);
  return { name: greeting.kind === 'tls' ? (greeting.name ?? '') : 'something else than TLS' };
}

function isMeant({ name }: Meant, { host }: Target): boolean {
  // Addresses have no name in a greeting.
  return isIP(host) === 0 ? name === host : name === '' || name === host;
}

function endToEnd({ rawHeaders, headers }: IncomingMessage): [string, string][] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!HOP_BY_HOP.has(name) && !name.startsWith('proxy-') && !named.includes(name))
      pairs.push([rawHeaders[at]!, rawHeaders[at + 1]!]);
  }
  // Kept, so that what follows is a body for the other side, too.
  if (headers['transfer-encoding'] !== undefined) pairs.push(['Transfer-Encoding', 'chunked']);
  return pairs;
}
