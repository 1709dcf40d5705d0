/** Dialer: how a dialogue reaches a server, in process or over any transport. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

export type ReceivedFrame = Readonly<Record<string, unknown>>;

/** One connection, seen from the peer. */
export interface PeerEnd {
  send(frame: string | Uint8Array): void;
  /** The next frame in order; rejects when the connection closes first. */
  next(): Promise<ReceivedFrame>;
  /** Resolves when the server closes the connection. */
  readonly closed: Promise<Closing>;
  /** Stops or resumes reading from the socket. */
  reads(does: boolean): void;
  /** Ends the connection from this side. */
  leave(): void;
}

export interface Dialer {
  /** Name under which it dials, `host:port`. */
  readonly audience: string;
  connect(room: string): Promise<PeerEnd>;
}
