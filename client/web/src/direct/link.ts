/**
 * Link: a data channel to one other page. What is sent is JSON as text, or nodes as bytes, cut into pieces that every browser
 * takes; what comes is bounded. Whoever says what this does not know is left.
 */

/** What one page says to another. */
export type Said =
  /** The newest of your nodes that I hold: tell me what follows. */
  | { readonly type: 'have'; readonly tip?: string }
  | { readonly type: 'shown'; readonly data: unknown }
  | { readonly type: 'token'; readonly token: unknown };

export interface LinkListener {
  readonly opened: () => void;
  readonly said: (said: Said) => void;
  readonly nodes: (pack: Uint8Array) => Promise<void>;
  readonly ended: () => void;
}

const PIECE = 64 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_TEXT = 64 * 1024;
/** Waiting in the browser before the next piece is given to it. */
const MOST_WAITING = 1024 * 1024;
/** First byte of a piece. */
const [MORE, LAST] = [0, 1];

export class Link {
  readonly #channel: RTCDataChannel;
  readonly #listener: LinkListener;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #sending: Promise<void> = Promise.resolve();
  #taking: Promise<void> = Promise.resolve();
  #isEnded = false;

  constructor(channel: RTCDataChannel, listener: LinkListener) {
    this.#channel = channel;
    this.#listener = listener;
    channel.binaryType = 'arraybuffer';
    channel.bufferedAmountLowThreshold = MOST_WAITING / 2;
    channel.onopen = () => listener.opened();
    channel.onclose = () => this.end();
    channel.onmessage = ({ data }) => this.#hear(data);
    if (channel.readyState === 'open') queueMicrotask(() => listener.opened());
  }

  get isOpen(): boolean {
    return !this.#isEnded && this.#channel.readyState === 'open';
  }

  say(said: Said): void {
    const text = JSON.stringify(said);
    if (text.length <= MOST_TEXT) this.#inTurn(() => this.#channel.send(text));
  }

  send(pack: Uint8Array): void {
    for (let at = 0; at < pack.length; at += PIECE) {
      const end = Math.min(pack.length, at + PIECE);
      const piece = new Uint8Array(end - at + 1);
      piece[0] = end === pack.length ? LAST : MORE;
      piece.set(pack.subarray(at, end), 1);
      this.#inTurn(() => this.#channel.send(piece));
    }
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#pieces = [];
    this.#channel.close();
    this.#listener.ended();
  }

  #inTurn(send: () => void): void {
    this.#sending = this.#sending
      .then(async () => {
        if (!this.isOpen) return;
        if (this.#channel.bufferedAmount > MOST_WAITING) await this.#drained();
        if (this.isOpen) send();
      })
      .catch(() => this.end());
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#channel.removeEventListener('bufferedamountlow', done);
        this.#channel.removeEventListener('close', done);
        resolve();
      };
      this.#channel.addEventListener('bufferedamountlow', done);
      this.#channel.addEventListener('close', done);
    });
  }

  #hear(data: unknown): void {
    if (this.#isEnded) return;
    if (data instanceof ArrayBuffer) return this.#piece(new Uint8Array(data));
    const said = typeof data === 'string' && data.length <= MOST_TEXT ? readSaid(data) : undefined;
    if (said) this.#listener.said(said);
    else this.end();
  }

  #piece(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (piece.length === 0 || this.#bytes > MOST_BYTES) return this.end();
    this.#pieces.push(piece.subarray(1));
    if (piece[0] === MORE) return;
    const pieces = this.#pieces;
    const pack = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of pieces) {
      pack.set(part, at);
      at += part.length;
    }
    this.#pieces = [];
    // Counted until it is taken: who sends faster than this page merges is left.
    const counted = pack.length + pieces.length;
    this.#taking = this.#taking
      .then(() => (this.#isEnded ? undefined : this.#listener.nodes(pack)))
      .catch(() => this.end())
      .finally(() => (this.#bytes -= counted));
  }
}

function readSaid(text: string): Said | undefined {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said !== 'object' || said === null || !('type' in said)) return undefined;
    if (said.type === 'have') {
      const tip = 'tip' in said ? said.tip : undefined;
      if (tip === undefined) return { type: 'have' };
      return typeof tip === 'string' && /^[0-9a-f]{64}$/.test(tip) ? { type: 'have', tip } : undefined;
    }
    if (said.type === 'shown' && 'data' in said) return { type: 'shown', data: said.data };
    return said.type === 'token' && 'token' in said ? { type: 'token', token: said.token } : undefined;
  } catch {
    return undefined;
  }
}
