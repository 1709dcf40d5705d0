/**
 * A network between sockets and the hosts of a simulation. Frames of one connection come in order, as TCP has it, each after a
 * time of its own; connections are cut, stand still without either side being told, or take their frames slowly.
 */
import type { Connection, PeerSocket, WebSocketLike } from '@weft/core';
import type { Random } from '../convergence/random.js';
import type { Timeline } from './timeline.js';

type Encoded = string | Uint8Array;
type Closing = { readonly code: number; readonly reason: string };

/** Where a connection leads, as long as something is there. */
export type Dial = (room: string, socket: PeerSocket) => Connection | undefined;

/** What somebody may see of a connection: frames as they are sent, on either side. */
export interface Tap {
  readonly up: (line: Line, frame: Encoded) => void;
  readonly down: (line: Line, frame: Encoded) => void;
  readonly ended: (line: Line, closing: Closing) => void;
}

export interface NetworkFaults {
  /** Most milliseconds that a frame is under way. */
  mostMs: number;
}

/** Frames that a connection takes before it says that it is full. */
const FULL = 12;
/** So long takes a frame on a slow connection. */
const SLOW_MS = 1500;

export class Network {
  readonly faults: NetworkFaults = { mostMs: 40 };
  readonly lines = new Set<Line>();
  readonly timeline: Timeline;
  readonly random: Random;
  readonly tap: Tap;
  #made = 0;

  constructor(timeline: Timeline, random: Random, tap: Tap) {
    [this.timeline, this.random, this.tap] = [timeline, random, tap];
  }

  /** A socket that is just being opened. */
  dial(who: string, room: string, dial: Dial): Line {
    const line = new Line(this, `${who}#${++this.#made}`, who, room);
    this.lines.add(line);
    this.timeline.after(this.delay(), () => line.open(dial));
    return line;
  }

  delay(): number {
    return 1 + this.random.below(this.faults.mostMs);
  }
}

interface Events {
  open: undefined;
  error: undefined;
  message: { readonly data: unknown };
  close: Closing;
}

/** One direction: frames in order. */
class Way {
  readonly #network: Network;
  readonly #taken: (frame: Encoded) => void;
  #last = 0;
  waiting = 0;
  isSlow = false;

  constructor(network: Network, taken: (frame: Encoded) => void) {
    [this.#network, this.#taken] = [network, taken];
  }

  /** After all that is under way. */
  then(act: () => void): void {
    const { timeline } = this.#network;
    const at = Math.max(this.#last, timeline.now() + this.#network.delay() + (this.isSlow ? SLOW_MS : 0));
    this.#last = at;
    timeline.after(at - timeline.now(), act);
  }

  send(frame: Encoded): void {
    this.waiting++;
    this.then(() => {
      this.waiting--;
      this.#taken(frame);
    });
  }
}

export class Line implements WebSocketLike {
  readonly name: string;
  readonly who: string;
  readonly room: string;
  readonly #network: Network;
  readonly #listeners: { [Type in keyof Events]: ((event: Events[Type]) => void)[] } = {
    open: [],
    error: [],
    message: [],
    close: [],
  };
  readonly #up: Way;
  readonly #down: Way;
  #host: Connection | undefined;
  #isOwedDrain = false;
  /** Whether each side takes it for open. */
  #isOpenHere = true;
  #isOpenThere = false;
  /** Nothing comes through, and nobody is told. */
  #isStill = false;

  constructor(network: Network, name: string, who: string, room: string) {
    [this.#network, this.name, this.who, this.room] = [network, name, who, room];
    this.#up = new Way(network, (frame) => {
      if (this.#isOpenThere && !this.#isStill) this.#host?.receive(frame);
    });
    this.#down = new Way(network, (frame) => {
      if (this.#isStill) return;
      this.#emit('message', { data: frame });
      this.#hasTaken();
    });
  }

  get isOpen(): boolean {
    return this.#isOpenHere && this.#isOpenThere && !this.#isStill;
  }

  open(dial: Dial): void {
    if (!this.#isOpenHere) return;
    this.#host = dial(this.room, {
      send: (frame) => this.#sent(frame),
      close: (code, reason) => this.#shut({ code, reason }),
    });
    if (!this.#host) return this.#lost({ code: 1006, reason: '' });
    this.#isOpenThere = true;
    this.#emit('open', undefined);
  }

  send(frame: Encoded): void {
    if (!this.#isOpenHere || this.#isStill) return;
    this.#network.tap.up(this, frame);
    this.#up.send(frame);
  }

  close(code = 1000, reason = ''): void {
    if (!this.#isOpenHere) return;
    const closing = { code, reason };
    this.#up.then(() => this.#left());
    this.#network.timeline.after(0, () => this.#lost(closing));
  }

  addEventListener<Type extends keyof Events>(type: Type, listener: (event: Events[Type]) => void): void {
    this.#listeners[type].push(listener);
  }

  /** Both sides are told, each in its own time; what is under way is lost. */
  cut(): void {
    const { timeline } = this.#network;
    this.#isStill = true;
    timeline.after(this.#network.delay(), () => this.#left());
    timeline.after(this.#network.delay(), () => this.#lost({ code: 1006, reason: '' }));
  }

  /** Nothing comes through from now on; each side finds out by itself, or the other one is told much later. */
  standStill(): void {
    this.#isStill = true;
    this.#network.timeline.after(90_000, () => this.cut());
  }

  slow(isSlow: boolean): void {
    this.#down.isSlow = isSlow;
  }

  /** The process at the other end has died: nothing of it is heard any more. */
  died(): void {
    this.#isOpenThere = false;
    this.#host = undefined;
    this.#isStill = true;
    this.#network.timeline.after(this.#network.delay(), () => this.#lost({ code: 1006, reason: '' }));
  }

  #sent(frame: Encoded): boolean {
    if (!this.#isOpenThere) return false;
    this.#network.tap.down(this, frame);
    this.#down.send(frame);
    if (this.#down.waiting < FULL) return true;
    this.#isOwedDrain = true;
    return false;
  }

  #hasTaken(): void {
    if (!this.#isOpenThere || !this.#isOwedDrain) return;
    if (this.#down.waiting > FULL / 2) return this.#host?.progressed();
    this.#isOwedDrain = false;
    this.#host?.drained();
  }

  /** The host has closed it: what it has sent comes first. */
  #shut(closing: Closing): void {
    if (!this.#isOpenThere) return;
    this.#isOpenThere = false;
    this.#down.then(() => this.#lost(this.#isStill ? { code: 1006, reason: '' } : closing));
  }

  #left(): void {
    if (!this.#isOpenThere) return;
    this.#isOpenThere = false;
    this.#host?.closed();
  }

  #lost(closing: Closing): void {
    if (!this.#isOpenHere) return;
    this.#isOpenHere = false;
    this.#network.lines.delete(this);
    this.#network.tap.ended(this, closing);
    this.#emit('close', closing);
  }

  #emit<Type extends keyof Events>(type: Type, event: Events[Type]): void {
    if (type !== 'close' && !this.#isOpenHere) return;
    for (const listener of this.#listeners[type]) listener(event);
  }
}
