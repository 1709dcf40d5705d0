/** The part of the WebSocket interface that is used: browsers, Node 22, Deno and the `ws` package have it. */
export interface WebSocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
}

export interface Closing {
  readonly code: number;
  readonly reason: string;
}
