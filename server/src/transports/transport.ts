/**
 * The port between the engine and whatever carries WebSockets.
 *
 * Two transports implement it with the same visible behaviour, so nothing above this file
 * knows which one runs. The battery in transport.test.ts holds both to that.
 */
import type { Connection, PeerSocket, RoomId } from '@weft/core';
import type { Tls } from '../tls.js';

/** When nobody says otherwise. */
export const SILENT_MS = 120_000;

export interface Transport {
  readonly name: 'uws' | 'ws';
  /** Rejects with an Error that names the address, the cause and the option to change. */
  listen(options: ListenOptions): Promise<PeerListening>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** A frame above this is refused with close code 1009. */
  readonly frameBytes: number;
  /** A connection is cut after so long without a sign of life, and pinged before; two minutes when absent. */
  readonly silentMs?: number | undefined;
  /** For so long a server that stops waits for peers to take what it has for them; two seconds when absent. */
  readonly graceMs?: number | undefined;
  /** With it, nothing but TLS is spoken. */
  readonly tls?: Tls | undefined;
  /** Called once per connection that was upgraded; never for a refused one. */
  accept(roomId: RoomId, socket: PeerSocket): Connection;
}

/** An address that is served. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** The address of the peers. */
export interface PeerListening extends Listening {
  /** From now on nobody is let in; those who are here stay. */
  refuse(): void;
  /** Shows another certificate to whoever connects from now on. Only of one that speaks TLS. */
  renew(tls: Tls): Promise<void>;
  /** Stops accepting, closes each connection with 1001, and resolves when they are gone, or were cut after the grace. */
  close(): Promise<void>;
}
