/**
 * One upgraded connection as the engine sees it: the rules that both transports share.
 *
 * Invariants: the engine hears `closed()` exactly once, nothing after it, and never from
 * inside one of its own calls; after `close()` it hears nothing but that. Frames it receives
 * are its own to keep. What waits for a slow peer is bounded: above the high-water mark
 * `send` says stop, and a caller that does not stop loses the connection instead of memory.
 */
import type { Closing, Connection, PeerSocket } from '@weft/core';

/** High-water mark: above this many unsent bytes `send` answers false. */
export const HIGH_WATER_BYTES = 1024 * 1024;

/** Longest time that a closing connection may take to flush and say goodbye before it is cut. */
export const CLOSE_TIMEOUT_MS = 10_000;

/**
 * Factor by which a transport's own limit exceeds the frame limit, so that a frame that is somewhat too
 * large is refused with 1009 and a reason; beyond it the transport cuts the connection itself.
 */
export const OVERSIZE_FACTOR = 2;

/** Code that stands for a connection that was cut: none was sent. */
export const CUT = 1006;

export abstract class Link implements PeerSocket {
  private connection: Connection | undefined;
  private open = true;
  private owesDrain = false;

  constructor(private readonly frameBytes: number) {}

  /** Hands the frame to the socket; whatever cannot leave now waits there. */
  protected abstract write(frame: string | Uint8Array): void;
  /** Number of bytes that wait in the socket. */
  protected abstract buffered(): number;
  /** Sends what waits, then the close frame. */
  protected abstract end(code: number, reason: string): void;
  /** Cuts the connection, dropping what waits. */
  abstract terminate(): void;

  begin(connection: Connection): void {
    this.connection = connection;
  }

  send(frame: string | Uint8Array): boolean {
    if (!this.open) return false;
    this.write(frame);
    const waiting = this.buffered();
    if (waiting <= HIGH_WATER_BYTES) return true;
    this.owesDrain = true;
    if (waiting > HIGH_WATER_BYTES + OVERSIZE_FACTOR * this.frameBytes) this.cut('more was sent than it takes');
    return false;
  }

  close(code: number, reason: string): void {
    if (!this.open) return;
    this.leave({ code, reason });
    this.end(code, clipReason(reason));
  }

  /** Cuts the connection without a farewell, and tells the engine why. */
  protected cut(reason: string): void {
    this.lost({ code: CUT, reason });
    this.terminate();
  }

  /** Called with each whole frame. `bytes` may be the transport's own memory. */
  protected received(bytes: Uint8Array, binary: boolean): void {
    if (!this.open) return;
    if (bytes.byteLength > this.frameBytes) {
      this.close(1009, `frame over ${this.frameBytes} bytes; send it in smaller parts`);
      return;
    }
    this.connection?.receive(binary ? ownBytes(bytes) : utf8(bytes));
  }

  /** Called when some of the waiting bytes have left the socket. */
  protected progressed(): void {
    if (this.open && this.owesDrain) this.connection?.progressed();
  }

  /** Called when no bytes wait in the socket any more. */
  protected emptied(): void {
    if (!this.open || !this.owesDrain) return;
    this.owesDrain = false;
    this.connection?.drained();
  }

  /** Called when the socket is gone, or will never carry a frame again; `by` where the transport has ended it. */
  protected lost(by?: Closing): void {
    if (this.open) this.leave(by);
  }

  private leave(by?: Closing): void {
    this.open = false;
    // Deferred, because a transport may report the loss from inside a send or close of the engine.
    queueMicrotask(() => this.connection?.closed(by));
  }
}

/** Close reason, at most 123 bytes of UTF-8, cut between characters. */
function clipReason(reason: string): string {
  const room = new Uint8Array(123);
  const { read } = new TextEncoder().encodeInto(reason, room);
  return reason.slice(0, read);
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Copy of a frame: its memory may be reused by the native code, or be one slice of a larger read. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
