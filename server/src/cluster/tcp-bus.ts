/**
 * Bus of TCP connections from each process to each other one. A connection begins with a handshake in which both sides show that they
 * know the secret, by a MAC over what the other one has chosen by chance; then come messages, each behind its length. It is not
 * encrypted: the network between the processes is to be a private one.
 *
 * Both sides say something every second and a half, and end the connection when nothing came for four times as long.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { deserialize, serialize } from 'node:v8';
import type { Member } from '@weft/core';
import { formatAddress, parseAddress } from '../address.js';
import { listenError } from '../listen-error.js';
import { AnyLink, type Bus, LINK_BYTES, type Link, NobodyThere } from './bus.js';

/** Version of what goes over a link: processes of others are refused. */
const VERSION = 1;
const SAY_MS = 1500;
const SILENT_MS = 4 * SAY_MS;
const HANDSHAKE_MS = 5000;
const HANDSHAKE_BYTES = 1024;
/** Milliseconds for which it is waited who listens where a process was. */
const ASKING_MS = 500;
const LENGTH_BYTES = 4;

class TcpLink extends AnyLink {
  readonly #socket: Socket;
  readonly #saying: NodeJS.Timeout;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(socket: Socket, rest: Buffer) {
    super();
    this.#socket = socket;
    socket.setTimeout(SILENT_MS, () => this.end());
    this.#saying = setInterval(() => this.postMessage([]), SAY_MS).unref();
    socket.on('data', (bytes) => this.#take(bytes as Buffer));
    socket.on('close', () => {
      clearInterval(this.#saying);
      this.over();
    });
    if (rest.length > 0) queueMicrotask(() => this.#take(rest));
  }

  postMessage(message: unknown): void {
    if (this.isOver || this.#socket.destroyed) return;
    const body = serialize(message);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(body.length);
    this.#socket.cork();
    this.#socket.write(length);
    this.#socket.write(body);
    this.#socket.uncork();
    if (body.length > LINK_BYTES || this.#socket.writableLength > LINK_BYTES) this.end();
  }

  end(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    for (;;) {
      const length = this.#lengthOfNext();
      if (length === undefined || this.#bytes < LENGTH_BYTES + length) return;
      if (length > LINK_BYTES) return this.end();
      const all = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
      const rest = all.subarray(LENGTH_BYTES + length);
      this.#pieces = rest.length === 0 ? [] : [rest];
      this.#bytes = rest.length;
      const message = messageIn(all.subarray(LENGTH_BYTES, LENGTH_BYTES + length));
      if (!message) return this.end();
      this.received(message.said);
      if (this.#socket.destroyed) return;
    }
  }

  #lengthOfNext(): number | undefined {
    if (this.#bytes < LENGTH_BYTES) return undefined;
    if (this.#pieces[0]!.length < LENGTH_BYTES) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0]!.readUInt32BE();
  }
}

/** Message of these bytes; undefined for what is none. It has memory of its own: what is kept of it must not keep what came with it. */
function messageIn(bytes: Buffer): { readonly said: unknown } | undefined {
  try {
    return { said: deserialize(Buffer.from(bytes)) as unknown };
  } catch {
    return undefined;
  }
}

interface Opened {
  readonly id: string;
  readonly secret: Uint8Array;
  readonly accept: (from: string, link: Link) => void;
}

/** Listens at once, so that its address is known; nobody is let in before `open`. */
export async function tcpBus(listen: string): Promise<Bus> {
  const { host, port } = parseAddress(listen);
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port, '--cluster-addr')));
    server.listen({ host, port, exclusive: true }, resolve);
  });
  return new TcpBus(server, formatAddress(host, (server.address() as AddressInfo).port));
}

class TcpBus implements Bus {
  readonly address: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #opened: Opened | undefined;

  constructor(server: Server, address: string) {
    this.#server = server;
    this.address = address;
    server.on('connection', (socket) => {
      this.#keep(socket);
      this.#accept(socket).catch(() => socket.destroy());
    });
  }

  open(self: Pick<Member, 'id'>, secret: Uint8Array, accept: (from: string, link: Link) => void): Promise<void> {
    this.#opened = { id: self.id, secret, accept };
    return Promise.resolve();
  }

  async dial({ address, id }: Member): Promise<Link> {
    const { secret, id: own } = this.#must();
    const { host, port } = parseAddress(address);
    const socket = this.#keep(connect({ host, port, noDelay: true }));
    try {
      await connected(socket, address);
      const lines = new Lines(socket);
      const nonce = randomBytes(16).toString('hex');
      const theirs = await lines.next();
      socket.write(`${VERSION} ${own} ${id} ${nonce} ${mac(secret, 'dial', own, id, theirs)}\n`);
      mustBe(await lines.next(), mac(secret, 'accept', own, id, nonce));
      return new TcpLink(socket, lines.end());
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  /** Nobody listens there, or another process, which says so: it was started at the address of one that has ended. */
  async isGone({ address, id }: Member): Promise<boolean> {
    const { secret, id: own } = this.#must();
    const { host, port } = parseAddress(address);
    const socket = this.#keep(connect({ host, port }));
    const late = setTimeout(() => socket.destroy(), ASKING_MS);
    try {
      await connected(socket, address);
      const lines = new Lines(socket);
      const nonce = randomBytes(16).toString('hex');
      const theirs = await lines.next();
      socket.write(`${VERSION} ${own} ${id} ${nonce} ${mac(secret, 'ask', own, id, theirs)}\n`);
      return isSame(await lines.next(), mac(secret, 'other', own, id, nonce));
    } catch (error) {
      return error instanceof NobodyThere;
    } finally {
      clearTimeout(late);
      socket.destroy();
    }
  }

  async #accept(socket: Socket): Promise<void> {
    const { secret, id: own, accept } = this.#must();
    const lines = new Lines(socket);
    const nonce = randomBytes(16).toString('hex');
    socket.write(`${nonce}\n`);
    const [version, from = '', to = '', theirs = '', shown = ''] = (await lines.next()).split(' ');
    if (isSame(shown, mac(secret, 'ask', from, to, nonce))) {
      socket.end(`${mac(secret, to === own ? 'here' : 'other', from, to, theirs)}\n`);
      return;
    }
    // One that was here before at the same address is dialled in vain.
    if (Number(version) !== VERSION || to !== own) throw new Error('another version, or another process');
    mustBe(shown, mac(secret, 'dial', from, own, nonce));
    socket.setNoDelay(true);
    socket.write(`${mac(secret, 'accept', from, own, theirs)}\n`);
    accept(from, new TcpLink(socket, lines.end()));
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    // What ends a connection is told by its `close`.
    socket.on('error', () => undefined);
    return socket.once('close', () => this.#sockets.delete(socket));
  }

  #must(): Opened {
    if (!this.#opened) throw new Error('the bus is not open');
    return this.#opened;
  }
}

/** Lines of a handshake. What came behind the last one is what the link begins with. */
class Lines {
  readonly #socket: Socket;
  #read = Buffer.alloc(0);
  #look: () => void = () => undefined;
  #fault: Error | undefined;
  readonly #data = (bytes: Buffer): void => {
    this.#read = Buffer.concat([this.#read, bytes]);
    if (this.#read.length > HANDSHAKE_BYTES && !this.#read.includes(10)) this.#fail('says too much');
    this.#look();
  };
  readonly #close = (): void => this.#fail('has closed the connection');

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#data);
    socket.on('close', this.#close);
    socket.setTimeout(HANDSHAKE_MS, () => socket.destroy());
  }

  next(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#look = () => {
        const end = this.#read.indexOf(10);
        if (end >= 0) {
          const line = this.#read.subarray(0, end).toString('latin1');
          this.#read = this.#read.subarray(end + 1);
          this.#look = () => undefined;
          resolve(line);
        } else if (this.#fault) reject(this.#fault);
      };
      this.#look();
    });
  }

  /** Answers what came behind the last line. */
  end(): Buffer {
    this.#socket.off('data', this.#data);
    this.#socket.off('close', this.#close);
    this.#socket.removeAllListeners('timeout');
    return this.#read;
  }

  #fail(what: string): void {
    this.#fault ??= new Error(`the other process ${what}; both need the same version and the same database`);
    this.#look();
  }
}

function connected(socket: Socket, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.setTimeout(HANDSHAKE_MS, () => socket.destroy(new Error(`${address} does not answer`)));
    socket.once('connect', resolve);
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const isGone = error.code === 'ECONNREFUSED';
      reject(isGone ? new NobodyThere(`nobody listens at ${address}`) : error);
    });
    socket.once('close', () => reject(new Error(`${address} has closed the connection`)));
  });
}

function mac(secret: Uint8Array, ...said: readonly string[]): string {
  return createHmac('sha256', secret).update(said.join(' ')).digest('hex');
}

function mustBe(shown: string, expected: string): void {
  if (!isSame(shown, expected)) throw new Error('the other process does not know the secret');
}

function isSame(shown: string, expected: string): boolean {
  const [a, b] = [Buffer.from(shown), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
