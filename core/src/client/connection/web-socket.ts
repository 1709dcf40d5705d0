/** The part of the WebSocket interface that is used: browsers, Node 22, Deno and the `ws` package have it, by their types too. */
export interface WebSocketLike {
  /** Set to `arraybuffer` where there is a choice. */
  binaryType?: string;
  /** Its address, where it tells it. */
  readonly url?: string;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
  /** Node's `ws` throws what nobody listens for. A close follows. */
  addEventListener(type: 'error', listener: (event: unknown) => void): void;
}

export interface Closing {
  readonly code: number;
  readonly reason: string;
}
