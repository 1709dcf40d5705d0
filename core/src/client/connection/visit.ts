/**
 * A stay in a room over one connection: hello, what both sides lack, and from then on what comes. [CL1] [CL2] [CL3]
 *
 * Nodes are merged one frame after the other, each stands on those before it. What cannot be merged ends the connection:
 * going on would diverge silently.
 */
import type { Credential } from '../../access/token.js';
import type { NodeId } from '../../graph/node.js';
import { Rejection } from '../../rejection.js';
import type { Frame } from '../../wire/frame.js';
import type { Holdings } from '../replica/exchange.js';
import { Replica } from '../replica/replica.js';
import { Connection } from './connection.js';
import { type Welcome, bytes } from './frames.js';
import { type PeerOptions, helloOf, readWelcome } from './joining.js';
import { lackedBy } from './reconciling.js';
import { refusalIn } from './requests.js';
import type { Closing, WebSocketLike } from './web-socket.js';

/** What a server says of what it was told. */
export interface Comparison {
  /** The newest node that no server had confirmed, if it holds that and those before. */
  readonly held: NodeId | undefined;
  /** Nodes that it lacks though it should hold them. */
  readonly lacked: readonly number[];
}

export interface Standing {
  /** Whether it has what this peer may see of all that it holds. */
  readonly isAsSeen: boolean;
  /** View of which the server says whether that is so; undefined where this peer knows it. */
  readonly view: string | undefined;
}

export interface VisitParts {
  readonly options: PeerOptions;
  readonly socket: WebSocketLike;
  readonly token: Credential | undefined;
  readonly subscribe: readonly string[] | undefined;
  /** What to go on with. */
  readonly replica: Replica | undefined;
  /** How that compares with what this peer may see. Asked with the hello: its nodes are brought back by then, slice by slice. */
  readonly standing: () => Standing;
  readonly welcomed: (welcome: Welcome) => void;
  /** There was none to go on with. */
  readonly opened: (replica: Replica) => void;
  /** The history is merged. */
  readonly joined: (found: Comparison) => void;
  /** Nodes were merged. */
  readonly merged: () => void;
  /** A frame that is neither nodes nor an answer. */
  readonly received: (frame: Frame) => void;
  /** `error`: why. `isRefused`: the server, or what it sent, says so. */
  readonly ended: (closing: Closing, error: Error, isRefused: boolean) => void;
}

export class Visit {
  readonly connection: Connection;
  readonly #parts: VisitParts;
  #holdings: Holdings | undefined;
  #welcome: Welcome | undefined;
  #replica: Replica | undefined;
  #isJoined = false;
  #merging: Promise<void> = Promise.resolve();
  /** What the server said last, if it refused something. */
  #error: Error | undefined;

  constructor(parts: VisitParts) {
    this.#parts = parts;
    this.connection = new Connection({
      socket: parts.socket,
      clock: parts.options.clock,
      opened: () => void this.#sayHello().catch(() => undefined), // refused or lost: the connection ends
      received: (frame, isAnswer) => this.#receive(frame, isAnswer),
      ended: (closing, trouble) => parts.ended(closing, this.#error ?? trouble, this.#error !== undefined),
    });
  }

  async #sayHello(): Promise<void> {
    const { options, token, subscribe, replica, standing } = this.#parts;
    await replica?.awake();
    const { isAsSeen, view } = standing();
    // Who names what he holds by its header alone is not sent it whole.
    this.#holdings = isAsSeen || view ? replica?.exchange.holdings : undefined;
    await this.connection.ask(await helloOf(options, { token, subscribe, holdings: this.#holdings, view }));
  }

  #receive(frame: Frame, isAnswer: boolean): void {
    this.#error = frame.type === 'error' ? refusalIn(frame) : undefined;
    if (frame.type === 'welcome') this.#enter(frame);
    else if (frame.type === 'pack') this.#inOrder(() => this.#merge(frame));
    else if (!isAnswer) this.#parts.received(frame);
  }

  #inOrder(step: () => Promise<void>): void {
    this.#merging = this.#merging
      .then(() => (this.connection.isEnded ? undefined : step()))
      .catch((error: unknown) => this.fail(error));
  }

  /** Takes a welcome at once: what peers show follows. */
  #enter(frame: Frame): void {
    const { replica, welcomed } = this.#parts;
    try {
      const welcome = readWelcome(frame, replica);
      if (welcome.caps['supports_binary'] === true) this.connection.useBinary();
      this.#welcome = welcome;
      this.#replica = replica;
      welcomed(welcome);
      if (!replica) this.#inOrder(() => this.#open(welcome));
    } catch (error) {
      this.fail(error);
    }
  }

  async #open({ genesis }: Welcome): Promise<void> {
    const replica = await Replica.open({ ...this.#parts.options, genesis });
    if (this.connection.isEnded) return;
    this.#replica = replica;
    this.#parts.opened(replica);
  }

  async #merge(frame: Frame): Promise<void> {
    if (!this.#replica) throw new Rejection('out-of-step', 'the server sent nodes before its welcome');
    const { refused } = await this.#replica.receive(bytes(frame['nodes']));
    if (refused[0])
      throw new Rejection('out-of-step', `the server sent a node without its past (${refused[0].reason})`);
    if (frame['final'] === true && !this.#isJoined) await this.#join();
    this.#parts.merged();
  }

  async #join(): Promise<void> {
    const found = await this.#compare();
    this.#isJoined = true;
    if (!this.connection.isEnded) this.#parts.joined(found);
  }

  async #compare(): Promise<Comparison> {
    const { exchange } = this.#parts.replica ?? {};
    const { frontier = [], known = [], newest } = this.#holdings ?? {};
    const missing = new Set(this.#welcome?.missing);
    const lacks = (id: string): boolean => missing.has(id);
    // All of it has arrived, though not every answer has.
    const held = frontier.some(lacks) ? undefined : newest;
    // Frames in text would need to be told which of their fields are bytes.
    const canReconcile = this.#welcome?.caps['supports_reconcile'] === true && this.connection.isBinary;
    if (!exchange || !canReconcile || !known.some(lacks)) return { held, lacked: [] };
    return { held, lacked: await lackedBy(this.connection, exchange) };
  }

  /** What the server sent cannot be taken. */
  fail(cause: unknown): void {
    if (this.connection.isEnded) return;
    const isRefusal = cause instanceof Rejection;
    this.#error = isRefusal ? cause : new Rejection('out-of-step', 'the server sent what cannot be read', { cause });
    this.connection.close(1000, 'cannot go on');
  }
}
