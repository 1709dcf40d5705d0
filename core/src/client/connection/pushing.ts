/**
 * Sends what a replica writes, in messages that follow each other without waiting for their answers. [CL4]
 *
 * While all are unanswered that may be, what is written meanwhile goes into the next one: a slow connection gets few large
 * messages, a fast one many small ones. Answers come in order. What a connection has left unanswered goes out on the next.
 */
import { Rejection } from '../../rejection.js';
import type { RefusedNode } from '../../room/admission/judgement.js';
import type { Frame } from '../../wire/frame.js';
import type { Replica } from '../replica/replica.js';
import type { Connection } from './connection.js';
import { packAck } from './frames.js';
import type { Comparison } from './visit.js';

const MOST_UNANSWERED = 16;
/** Bytes of one message, about. In base64, and with all that may be unanswered, it stays within what servers take. */
const MESSAGE_BYTES = 1024 * 1024;

export interface PushingParts {
  readonly replica: Replica;
  /** Whether what is written goes out by itself. */
  readonly autoPush: boolean;
  /** These nodes were given up. */
  readonly refused: (nodes: readonly RefusedNode[]) => void;
  /** Some nodes were refused for now: what they stand on is not there yet. They are to be offered again, after a while. */
  readonly early: (again: () => void) => void;
  /** Nothing can be sent any more. */
  readonly broken: (error: unknown) => void;
}

/** Somebody who waits until so many of the oldest nodes are durable. */
interface Waiter {
  count: number;
  readonly lost: RefusedNode[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Pushing {
  readonly #parts: PushingParts;
  readonly #unlisten: readonly (() => void)[];
  #connection: Connection | undefined;
  #bytes = MESSAGE_BYTES;
  #waiters: Waiter[] = [];
  #unanswered = 0;
  /** Another number once nodes were given up: of what was sent before, all that is left is sent again. */
  #epoch = 0;
  /** What gives up nodes is being loaded, or was, on this connection: answers are taken in their order behind it. */
  #loading: Promise<void> | undefined;
  #isWoken = false;
  #isRunning = false;
  #ended: Error | undefined;

  constructor(parts: PushingParts) {
    this.#parts = parts;
    const { exchange } = parts.replica;
    this.#unlisten = [
      exchange.onGivenUp(() => this.#begun()),
      ...(parts.autoPush ? [exchange.onWrite(() => this.#wake())] : []),
    ];
  }

  /** Goes on over this connection, with what was found at its beginning. */
  begin(connection: Connection, frameBytes: number, { held, lacked }: Comparison): void {
    const { exchange } = this.#parts.replica;
    this.#connection = connection;
    this.#bytes = Math.min(MESSAGE_BYTES, frameBytes / 2);
    this.#unanswered = 0;
    this.#loading = undefined;
    exchange.resend();
    const settled = held ? exchange.settle(held) : 0;
    this.#count((count) => count - settled);
    if (settled > 0) exchange.settled();
    if (lacked.length > 0) {
      exchange.unsettle(lacked);
      this.#count(() => exchange.unconfirmed);
    }
    this.#wake();
  }

  /** The connection is gone. */
  pause(): void {
    this.#connection = undefined;
  }

  /** There will be no other. */
  end(error: Error): void {
    this.pause();
    this.#ended = error;
    for (const end of this.#unlisten) end();
    this.#rejectAll(error);
  }

  /** Resolves when everything written so far is durable; rejects if some of it was refused. */
  push(): Promise<void> {
    const count = this.#parts.replica.exchange.unconfirmed;
    if (count === 0) return Promise.resolve();
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ count, lost: [], resolve, reject });
      this.#wake();
    });
  }

  /** What is written in one turn of the event loop goes together. */
  #wake(): void {
    this.#isWoken = true;
    if (this.#isRunning || !this.#connection) return;
    this.#isRunning = true;
    queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWoken) {
        this.#isWoken = false;
        await this.#send(this.#connection);
      }
    } catch (error) {
      this.#parts.broken(error);
    } finally {
      this.#isRunning = false;
    }
  }

  async #send(connection: Connection | undefined): Promise<void> {
    const { exchange } = this.#parts.replica;
    while (connection && (this.#parts.autoPush || this.#waiters.length > 0) && this.#unanswered < MOST_UNANSWERED) {
      const nodes = await exchange.next(this.#bytes);
      // Before it is sent: a key whose nodes a server has and its own store lost would write beside them.
      await exchange.keep?.();
      if (!nodes || connection !== this.#connection) return;
      this.#ask(connection, nodes);
    }
  }

  #ask(connection: Connection, nodes: Uint8Array): void {
    const epoch = this.#epoch;
    this.#unanswered++;
    const take = (refused: readonly RefusedNode[]): void => {
      if (connection !== this.#connection) return;
      this.#unanswered--;
      if (epoch === this.#epoch) this.#answered(nodes, refused);
      this.#wake();
    };
    const answered = (ack: Frame): void | Promise<void> => {
      if (connection !== this.#connection) return;
      const { rejected } = packAck(ack);
      if (rejected.length > 0) this.#loading ??= this.#parts.replica.loadGivingUp();
      return this.#loading ? this.#loading.then(() => take(rejected)) : take(rejected);
    };
    const failed = (error: Error): void => {
      if (connection === this.#connection) this.#rejectAll(error);
    };
    connection.ask({ type: 'pack', nodes }).then(answered, failed).catch(this.#parts.broken);
  }

  /** Own nodes were written anew: how far those reach that somebody waits for is not known. */
  #begun(): void {
    this.#epoch++;
    this.#count(() => this.#parts.replica.exchange.unconfirmed);
    this.#wake();
  }

  #answered(nodes: Uint8Array, refused: readonly RefusedNode[]): void {
    const { replica, refused: tell } = this.#parts;
    const before = replica.exchange.unconfirmed;
    const lost = replica.confirm(nodes, refused);
    const left = replica.exchange.unconfirmed;
    if (lost.length > 0) {
      this.#epoch++;
      tell(lost);
      for (const waiter of this.#waiters) for (const node of lost) waiter.lost.push(node);
    }
    // It may still be taken: what it stands on is not there yet.
    else if (refused.length > 0) {
      // A page waits for it: another key of its device has written that, and a tab brings it.
      if (replica.exchange.early) replica.exchange.early();
      else this.#rejectAll(refusal(refused));
      this.#parts.early(() => {
        replica.exchange.resend();
        this.#wake();
      });
    }
    // What stood on the lost was written anew: how far this reaches is not known, so all of it is waited for.
    this.#count((count) => (lost.length > 0 ? left : count - (before - left)));
    if (left !== before) replica.exchange.settled();
  }

  /** Changes how much each waits for; who waits for nothing any more is told. */
  #count(change: (count: number) => number): void {
    this.#waiters = this.#waiters.filter((waiter) => {
      waiter.count = change(waiter.count);
      if (waiter.count > 0) return true;
      if (waiter.lost.length > 0) waiter.reject(refusal(waiter.lost));
      else waiter.resolve();
      return false;
    });
  }

  #rejectAll(error: Error): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }
}

function refusal(refused: readonly RefusedNode[]): Rejection {
  return new Rejection('push-refused', `the server refused nodes: ${refused[0]!.reason}`, { data: refused });
}
