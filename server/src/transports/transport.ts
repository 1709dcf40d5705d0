/**
 * The port between the engine and whatever carries WebSockets.
 *
 * Two transports implement it with the same visible behaviour, so nothing above this file
 * knows which one runs. The battery in transport.test.ts holds both to that.
 */
import type { Connection, PeerSocket, RoomId } from '@weft/core';
import type { Tls } from '../tls.js';
import type { CameBy } from './entry-request.js';
import type { MayConnect } from './judge-request.js';

/** Default of the idle timeout. */
export const SILENT_MS = 120_000;

export interface Transport {
  readonly name: 'uws' | 'ws';
  /** Begins to listen; rejects with an error that names the address, the cause and the option to change. */
  listen(options: ListenOptions): Promise<PeerListening>;
}

export interface ListenOptions {
  readonly host: string;
  /** Port; 0 takes any free one. */
  readonly port: number;
  /** Largest frame; a larger one is refused with close code 1009. */
  readonly frameBytes: number;
  /**
   * Idle timeout: a connection is cut after so long without a sign of life, and pinged before; two minutes when absent.
   */
  readonly silentMs?: number | undefined;
  /** Grace: how long a server that stops waits for peers to take what it has for them; two seconds when absent. */
  readonly graceMs?: number | undefined;
  /** Certificate; with it, nothing but TLS is spoken. */
  readonly tls?: Tls | undefined;
  /** Judge of origins; all may connect when absent. */
  readonly mayConnect?: MayConnect | undefined;
  /** Called once per connection that was upgraded; never for a refused one. */
  accept(roomId: RoomId, socket: PeerSocket, request: CameBy): Connection;
}

/** Address that is served. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Listener for peers. */
export interface PeerListening extends Listening {
  /** Stops accepting peers; those who are here stay. */
  refuse(): void;
  /** Changes the certificate for connections from now on; only for a listener with TLS. */
  renew(tls: Tls): Promise<void>;
  /** Stops accepting, closes each connection with 1001, and resolves when they are gone, or were cut after the grace. */
  close(): Promise<void>;
}
