/** TCP proxy in front of a server: a link that a test cuts or makes slow, or on which it loses answers or keeps requests back. */
import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/**
 * `pass` passes everything on. `deaf` passes requests on and loses every answer. `hold` keeps requests back. `closed` takes
 * nobody in.
 */
export type LinkMode = 'pass' | 'deaf' | 'hold' | 'closed';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  readonly held: Buffer[];
}

export class CutLink {
  #mode: LinkMode = 'pass';
  #target: number;
  /** Milliseconds that bytes take, either way. */
  delayMs = 0;
  readonly #pairs = new Set<Pair>();
  readonly #listener: Server;
  #port = 0;
  /** Told of what a client has sent. */
  onRequest: (bytes: Buffer) => void = () => undefined;
  /** Told of what the server has answered. */
  onAnswer: (bytes: Buffer) => void = () => undefined;

  private constructor(target: number) {
    this.#target = target;
    this.#listener = createServer((client) => this.#take(client));
  }

  static async before(target: number): Promise<CutLink> {
    const link = new CutLink(target);
    await link.listen();
    return link;
  }

  get port(): number {
    return this.#port;
  }

  /** Takes clients, at the port that it had before. */
  async listen(): Promise<void> {
    if (this.#listener.listening) return;
    this.#listener.listen(this.#port, '127.0.0.1');
    await once(this.#listener, 'listening');
    this.#port = (this.#listener.address() as AddressInfo).port;
  }

  /** Refuses clients, as the port of a server that has ended does. */
  leave(): void {
    if (this.#listener.listening) this.#listener.close();
  }

  /** Leads to another port from now on: that of a server which has started again. */
  aim(target: number): void {
    this.#target = target;
  }

  become(mode: LinkMode): void {
    this.#mode = mode;
  }

  /** Ends what clients hear; of the server's side, requests that are held stay open for `deliver`. */
  cut(): void {
    for (const pair of this.#pairs) {
      pair.client.destroy();
      if (pair.held.length === 0) pair.server.destroy();
    }
  }

  /** Lets the server have what was held, and goes on with the same connections. */
  release(): void {
    for (const { server, held } of this.#pairs) for (const bytes of held.splice(0)) server.write(bytes);
  }

  /**
   * Lets the server have what was held, however late; resolves when it has answered. A server that does not answer all that it gets
   * hears of the end of clients who have gone, and ends too.
   */
  async deliver(): Promise<void> {
    const late = [...this.#pairs].filter(({ held }) => held.length > 0);
    const answered = late.map(
      ({ server }) =>
        new Promise<void>((resolve) => server.once('data', () => resolve()).once('close', () => resolve())),
    );
    for (const { client, server, held } of late) {
      server.write(Buffer.concat(held.splice(0)));
      if (client.destroyed) server.end();
    }
    await Promise.all(answered);
  }

  async close(): Promise<void> {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    if (this.#listener.listening) await new Promise((resolve) => this.#listener.close(resolve));
  }

  #take(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#mode === 'closed') {
      client.destroy();
      return;
    }
    const server = connect(this.#target, '127.0.0.1').on('error', () => client.destroy());
    const pair: Pair = { client, server, held: [] };
    this.#pairs.add(pair);
    const [up, down] = [this.#slowly(server), this.#slowly(client)];
    client.on('data', (bytes) => {
      this.onRequest(bytes);
      if (this.#mode === 'hold') pair.held.push(bytes);
      else up(bytes);
    });
    server.on('data', (bytes) => {
      this.onAnswer(bytes);
      if (this.#mode !== 'deaf') down(bytes);
    });
    client.on('close', () => {
      if (pair.held.length === 0) server.destroy();
    });
    server.on('close', () => {
      this.#pairs.delete(pair);
      client.destroy();
    });
  }

  /** Passes bytes on in their order, each after the delay that holds when it comes. */
  #slowly(to: Socket): (bytes: Buffer) => void {
    let [last, underWay] = [0, 0];
    return (bytes) => {
      if (underWay === 0 && this.delayMs === 0) return void to.write(bytes);
      last = Math.max(last, Date.now() + this.delayMs);
      underWay++;
      setTimeout(() => {
        underWay--;
        if (!to.destroyed) to.write(bytes);
      }, last - Date.now());
    };
  }
}
