// A peer of a bench: a socket that counts what comes, and keeps it where somebody will look at it.
import WebSocket from 'ws';

export class Guest {
  readonly socket: WebSocket;
  /** What has come while it was entering. */
  readonly history: Buffer[] = [];
  readonly closed: Promise<string>;
  #listener: (frame: Buffer) => void = (frame) => this.history.push(frame);

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => this.#listener(data));
    socket.on('error', () => undefined); // a close follows
    this.closed = new Promise((resolve) => socket.on('close', (code, reason) => resolve(`${code} ${String(reason)}`)));
  }

  /** Resolves when it is connected, before anything was said. */
  static async dial(url: string): Promise<Guest> {
    const guest = new Guest(new WebSocket(url, { perMessageDeflate: false, maxPayload: 2 ** 28 }));
    await new Promise((resolve, reject) => guest.socket.once('open', resolve).once('error', reject));
    return guest;
  }

  /** Says these, and resolves with the first answer that is the last of the history. */
  async enter(greeting: readonly (string | Uint8Array)[], isLast: (frame: Buffer) => boolean): Promise<void> {
    const entered = new Promise<void>((resolve, reject) => {
      this.#listener = (frame) => {
        this.history.push(frame);
        if (isLast(frame)) resolve();
      };
      void this.closed.then((closing) => reject(new Error(`closed with ${closing} while it entered`)));
    });
    for (const frame of greeting) this.socket.send(frame);
    await entered;
    this.#listener = () => undefined;
  }

  listen(listener: (frame: Buffer) => void): void {
    this.#listener = listener;
  }

  async leave(): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }
}
