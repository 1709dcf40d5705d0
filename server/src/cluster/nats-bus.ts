/**
 * Bus over NATS, for processes that cannot reach each other: each has a subject of its own, and a link is messages to two subjects.
 *
 * NATS delivers at most once, and whoever may connect to it may say anything. So a link begins with a handshake that makes a key of
 * its own out of the secret, each message carries its place in the link and a MAC, and one that lacks, comes twice or is not
 * from the other side ends the link. Both sides say something every half second, and end it when nothing came for twelve times as
 * long, or when this process loses its connection to NATS, which is dialled again for as long as it takes.
 *
 * NATS says at once of a message with an address for the answer that nobody takes it. Each message has one, so a link to a process
 * that has died ends with the first that is said over it. One that has only lost NATS is dialled again.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { Member } from '@weft/core';
import { AnyLink, type Bus, LINK_BYTES, type Link, NobodyThere } from './bus.js';

/** The client of NATS, as far as it is used. */
interface Nats {
  readonly info?: { readonly max_payload: number } | undefined;
  publish(subject: string, bytes: Uint8Array, how: { readonly reply: string }): void;
  request(subject: string, bytes: Uint8Array, how: { readonly timeout: number }): Promise<unknown>;
  subscribe(subject: string, how: { callback: (error: Error | null, message: Said) => void }): unknown;
  status(): AsyncIterable<{ readonly type: string }>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface Said {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers?: { readonly code: number };
}

const SAY_MS = 500;
const SILENT_MS = 12 * SAY_MS;
const HANDSHAKE_MS = 5000;
/** Milliseconds for the answer that nobody is there. */
const ASKING_MS = 500;
const [NAME_BYTES, MAC_BYTES, PLACE_BYTES] = [16, 16, 4];
const HEAD_BYTES = 1 + NAME_BYTES + MAC_BYTES;
/** Least that a server of NATS takes, and most of it that one message of ours fills. */
const PIECE_BYTES = 512 * 1024;
/** Status of the client after which messages may have been lost. */
const LOSSES = new Set(['disconnect', 'slowConsumer', 'staleConnection', 'close']);
/** What the server says of a message that nobody takes. */
const NOBODY = 503;

const KIND = { dial: 1, accept: 2, more: 3, last: 4, end: 5 } as const;
type Kind = (typeof KIND)[keyof typeof KIND];

interface Opened {
  readonly id: string;
  readonly secret: Uint8Array;
  readonly accept: (from: string, link: Link) => void;
}

/** What a dialling process says of itself. */
interface Dial {
  readonly from: string;
  readonly to: string;
  readonly answerTo: string;
  readonly nonce: string;
}

/** What becomes of a dial. */
interface Dialling {
  answered(nonce: string, mac: Uint8Array): void;
  refused(): void;
}

type SendPiece = (kind: Kind, mac: Buffer, payload: Uint8Array) => void;

class NatsLink extends AnyLink {
  readonly #send: SendPiece;
  readonly #key: Buffer;
  readonly #saying: NodeJS.Timeout;
  /** Direction of what is sent here, and of what comes. */
  readonly #ways: readonly [string, string];
  #sent = 0;
  #taken = 0;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #heardAt = performance.now();

  constructor(key: Buffer, ways: readonly [string, string], send: SendPiece) {
    super();
    this.#key = key;
    this.#ways = ways;
    this.#send = send;
    this.#saying = setInterval(() => {
      if (performance.now() - this.#heardAt > SILENT_MS) this.end();
      else this.postMessage([]);
    }, SAY_MS).unref();
  }

  postMessage(message: unknown): void {
    if (this.isOver) return;
    const body = serialize(message);
    if (body.length > LINK_BYTES) return this.end();
    for (let at = 0; at === 0 || at < body.length; at += PIECE_BYTES) {
      const isLast = at + PIECE_BYTES >= body.length;
      this.#post(isLast ? KIND.last : KIND.more, body.subarray(at, at + PIECE_BYTES));
    }
  }

  end(): void {
    if (this.isOver) return;
    this.#post(KIND.end, new Uint8Array(0));
    this.lost();
  }

  /** Nothing more can be said or heard. */
  lost(): void {
    clearInterval(this.#saying);
    this.over();
  }

  /** A message of this link's name; answers whether it came from the other side, and in its place. */
  take(kind: number, mac: Uint8Array, payload: Uint8Array): boolean {
    if (this.isOver || !equal(mac, this.#mac(this.#ways[1], kind, this.#taken, payload))) return false;
    this.#taken++;
    this.#heardAt = performance.now();
    if (kind === KIND.end) {
      this.lost();
      return true;
    }
    this.#pieces.push(payload);
    this.#bytes += payload.length;
    if (this.#bytes > LINK_BYTES) return false;
    if (kind === KIND.more) return true;
    const body = Buffer.concat(this.#pieces);
    [this.#pieces, this.#bytes] = [[], 0];
    try {
      const message: unknown = deserialize(body);
      this.received(message);
      return true;
    } catch {
      return false;
    }
  }

  #post(kind: Kind, payload: Uint8Array): void {
    this.#send(kind, this.#mac(this.#ways[0], kind, this.#sent++, payload), payload);
  }

  #mac(way: string, kind: number, place: number, payload: Uint8Array): Buffer {
    const head = Buffer.alloc(1 + PLACE_BYTES);
    head[0] = kind;
    head.writeUInt32BE(place, 1);
    return createHmac('sha256', this.#key).update(way).update(head).update(payload).digest().subarray(0, MAC_BYTES);
  }
}

/** Connects at once; `address` is like `nats://host:4222`, or `tls:` in its place. */
export async function natsBus(address: string, password?: string): Promise<Bus> {
  // Loaded here: nobody else needs its client.
  const { connect } = await import('@nats-io/transport-node').catch((cause: unknown) => {
    throw new Error('--bus needs the package @nats-io/transport-node beside this one: npm install it', { cause });
  });
  const { protocol, host, username } = new URL(address);
  const nats = await connect({
    servers: host,
    name: 'weft',
    maxReconnectAttempts: -1,
    // Soon: to the others a process that is not there looks as if it had died.
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 5000,
    maxPingOut: 2,
    ...(username === '' ? {} : { user: decodeURIComponent(username), pass: password ?? '' }),
    ...(protocol === 'tls:' ? { tls: {} } : {}),
  }).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`NATS at ${host} cannot be used (${why}); start it, or correct --bus`, { cause });
  });
  const bus = new NatsBus(nats);
  // Nobody dials it before NATS knows of its subject.
  await nats.flush();
  return bus;
}

class NatsBus implements Bus {
  readonly address = `weft.${randomBytes(16).toString('hex')}`;
  /** Under it the server says what nobody has taken, by the name of the link. */
  readonly #untaken = `_INBOX.${randomBytes(16).toString('hex')}`;
  readonly #nats: Nats;
  readonly #links = new Map<string, NatsLink>();
  /** Links that the other side has not spoken on yet, by name, each with what to do then. */
  readonly #begun = new Map<string, () => void>();
  readonly #dialled = new Map<string, Dialling>();
  #opened: Opened | undefined;
  #waiting = 0;
  #unflushed = 0;

  constructor(nats: Nats) {
    this.#nats = nats;
    nats.subscribe(this.address, { callback: (error, { data }) => (error ? undefined : this.#take(data)) });
    nats.subscribe(`${this.#untaken}.*`, {
      callback: (error, { subject, headers }) => {
        if (!error && headers?.code === NOBODY) this.#nobodyTook(subject.slice(this.#untaken.length + 1));
      },
    });
    void this.#follow();
  }

  open(self: Pick<Member, 'id'>, secret: Uint8Array, accept: (from: string, link: Link) => void): Promise<void> {
    this.#opened = { id: self.id, secret, accept };
    return Promise.resolve();
  }

  async dial({ id, address }: Member): Promise<Link> {
    const { id: from, secret } = this.#must();
    const name = randomBytes(NAME_BYTES);
    const nonce = randomBytes(16).toString('hex');
    const dial: Dial = { from, to: id, answerTo: this.address, nonce };
    const payload = Buffer.from(JSON.stringify(dial));
    const theirs = await new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${address} does not answer over NATS`)), HANDSHAKE_MS);
      this.#dialled.set(hex(name), {
        answered: (answer, mac) => {
          if (!equal(mac, macOf(secret, 'accept', name, nonce, answer))) return;
          clearTimeout(late);
          resolve(answer);
        },
        refused: () => {
          clearTimeout(late);
          reject(new NobodyThere(`nobody is at ${address} on NATS`, true));
        },
      });
      this.#publish(address, KIND.dial, name, macOf(secret, 'dial', name, payload.toString()), payload);
    }).finally(() => this.#dialled.delete(hex(name)));
    const link = this.#linkOf(name, address, keyOf(secret, name, nonce, theirs), ['dialler', 'dialled']);
    // Said at once: the other side takes it for a link when it hears that the key is known.
    link.postMessage([]);
    return link;
  }

  /** NATS says at once when nobody has subscribed: the connection of that process has ended. One that is there is silent. */
  async isGone({ address }: Member): Promise<boolean> {
    try {
      await this.#nats.request(address, new Uint8Array(0), { timeout: ASKING_MS });
      return false;
    } catch (error) {
      return isNoResponders(error);
    }
  }

  async close(): Promise<void> {
    for (const link of [...this.#links.values()]) link.end();
    await this.#nats.flush().catch(() => undefined);
    await this.#nats.close();
  }

  #take(data: Uint8Array): void {
    if (data.length < HEAD_BYTES || !this.#opened) return;
    const [kind, name] = [data[0]!, data.subarray(1, 1 + NAME_BYTES)];
    const [mac, payload] = [data.subarray(1 + NAME_BYTES, HEAD_BYTES), data.subarray(HEAD_BYTES)];
    if (kind === KIND.dial) return this.#dialledBy(name, mac, payload);
    if (kind === KIND.accept) return this.#dialled.get(hex(name))?.answered(Buffer.from(payload).toString(), mac);
    const link = this.#links.get(hex(name));
    if (!link) return;
    if (!link.take(kind, mac, payload)) return link.end();
    this.#begun.get(hex(name))?.();
  }

  #nobodyTook(name: string): void {
    this.#dialled.get(name)?.refused();
    this.#links.get(name)?.lost();
  }

  #dialledBy(name: Uint8Array, mac: Uint8Array, payload: Uint8Array): void {
    const { id, secret, accept } = this.#must();
    const text = Buffer.from(payload).toString();
    if (this.#links.has(hex(name)) || !equal(mac, macOf(secret, 'dial', name, text))) return;
    const dial = JSON.parse(text) as Dial;
    if (dial.to !== id) return;
    const nonce = randomBytes(16).toString('hex');
    const link = this.#linkOf(name, dial.answerTo, keyOf(secret, name, dial.nonce, nonce), ['dialled', 'dialler']);
    const late = setTimeout(() => link.lost(), HANDSHAKE_MS);
    this.#begun.set(hex(name), () => {
      clearTimeout(late);
      this.#begun.delete(hex(name));
      accept(dial.from, link);
    });
    link.onEnd(() => {
      clearTimeout(late);
      this.#begun.delete(hex(name));
    });
    this.#publish(
      dial.answerTo,
      KIND.accept,
      name,
      macOf(secret, 'accept', name, dial.nonce, nonce),
      Buffer.from(nonce),
    );
  }

  #linkOf(name: Uint8Array, subject: string, key: Buffer, ways: readonly [string, string]): NatsLink {
    const own = new Uint8Array(name);
    const link = new NatsLink(key, ways, (kind, mac, payload) => {
      this.#publish(subject, kind, own, mac, payload);
      if (this.#waiting + this.#unflushed > LINK_BYTES) link.lost();
    });
    this.#links.set(hex(own), link);
    link.onEnd(() => this.#links.delete(hex(own)));
    return link;
  }

  #publish(subject: string, kind: Kind, name: Uint8Array, mac: Uint8Array, payload: Uint8Array): void {
    const bytes = Buffer.concat([Buffer.of(kind), name, mac, payload]);
    this.#nats.publish(subject, bytes, { reply: `${this.#untaken}.${hex(name)}` });
    this.#unflushed += bytes.length;
    if (this.#waiting === 0) this.#flush();
  }

  /** What was given to the client counts as waiting until the server has taken it. */
  #flush(): void {
    [this.#waiting, this.#unflushed] = [this.#unflushed, 0];
    const over = (): void => {
      this.#waiting = 0;
      if (this.#unflushed > 0) this.#flush();
    };
    this.#nats.flush().then(over, over);
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.#nats.status())
      if (LOSSES.has(type)) for (const link of [...this.#links.values()]) link.lost();
  }

  #must(): Opened {
    if (!this.#opened) throw new Error('the bus is not open');
    return this.#opened;
  }
}

function keyOf(secret: Uint8Array, name: Uint8Array, ...nonces: readonly string[]): Buffer {
  return createHmac('sha256', secret)
    .update(`key ${hex(name)} ${nonces.join(' ')}`)
    .digest();
}

function macOf(secret: Uint8Array, what: string, name: Uint8Array, ...said: readonly string[]): Buffer {
  const mac = createHmac('sha256', secret).update(`${what} ${hex(name)} ${said.join(' ')}`);
  return mac.digest().subarray(0, MAC_BYTES);
}

/** The client's errors, known by what they say of themselves: it is loaded for this bus alone. */
function isNoResponders(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'NoRespondersError') return true;
  return 'isNoResponders' in error && typeof error.isNoResponders === 'function' && error.isNoResponders() === true;
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}
