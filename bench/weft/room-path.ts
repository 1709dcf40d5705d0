// Messages on their way through a host: one peer pushes JSON frames into a session, another one is joined as a client
// and merges what is relayed to it. In process and with a store in memory, so neither network nor disk is measured.
import { type Host, type RoomId, connectRoom, createHost, generateKeys, toBase64 } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { inProcessSocket } from '@weft/core/testing';
import { type Contender, mustHold, perSecond, timed } from '../measuring/harness.js';
import type { Figures } from '../measuring/statistics.js';
import type { Typing } from '../text/text-edits.js';
import { newReplica } from './engine.js';
import { type Manner, TEXT_KEY, WeftReplica } from './text-replica.js';

const ROOM = 'bench';
/** Pushed and not yet answered: enough for the host to write several in one batch, as it does under load. */
const IN_FLIGHT = 256;
/** Why a host answers that it has not taken a node which it keeps until its seal comes. */
const WAITS = /"reason":"(?!unsealed"|missing-parent")([^"]*)/;
const PATIENCE_MS = 60_000;
/** One peer sends here what thousands would: the path is measured, not the rate that a server grants. */
const UNPACED = { nodesPerSecond: 1e9, nodesBurst: 1e9, bytesPerSecond: 1e12, bytesBurst: 1e12 };

export function roomContender(name: string, manner: Manner, typing: Typing, most: number): Contender {
  return {
    name: `${name} types ${typing.trace.name} through a room`,
    run: () => typeThroughRoom(manner, typing, Math.min(most, typing.edits)),
  };
}

async function typeThroughRoom(manner: Manner, { trace, textAfter }: Typing, edits: number): Promise<Figures> {
  const host = createHost({ store: memoryStore(), limits: UNPACED });
  const { genesis } = await host.room(ROOM);
  const author = await newReplica(genesis.pack);
  const messages = await new WeftReplica(genesis.pack, author, manner).typeEach(trace.edits.slice(0, edits));
  const tip = author.frontier.join();

  const subscriber = await connectRoom({ socket: inProcessSocket(host, ROOM), keys: generateKeys() });
  const pusher = new Pusher(host);
  await pusher.enter();

  const frames = messages.map((message) => JSON.stringify({ type: 'pack', nodes: toBase64(message) }));
  const { ms } = await timed(async () => {
    await pusher.push(frames);
    const end = performance.now() + PATIENCE_MS;
    while (subscriber.replica.frontier.join() !== tip) {
      mustHold(performance.now() < end, 'the subscriber did not receive everything');
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const text = subscriber.replica.text(TEXT_KEY).toString();
  subscriber.close();
  pusher.leave();
  await host.close();
  mustHold(text === textAfter(edits), 'the text of the subscriber is not that of the recording');
  const bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
  return { room_ops_s: perSecond(edits, ms), frame_bytes: bytes / frames.length };
}

/**
 * Peer that pushes, and looks at answers as text: what a client does with an answer is not what the way costs, and the text of the other one
 * says at the end whether all were taken.
 */
class Pusher {
  readonly #connection: ReturnType<Host['connect']>;
  #answered = 0;
  #hasEntered = false;
  #fault: string | undefined;
  #wake: () => void = () => undefined;

  constructor(host: Host) {
    this.#connection = host.connect(ROOM as RoomId, {
      send: (frame) => {
        this.#take(String(frame));
        this.#wake();
        return true;
      },
      close: (_code, reason) => {
        this.#fault ??= reason;
        this.#wake();
      },
    });
  }

  async enter(): Promise<void> {
    this.#connection.receive(JSON.stringify({ type: 'hello' }));
    await this.#until(() => this.#hasEntered);
  }

  /** Ends when the host has answered every frame. */
  async push(frames: readonly string[]): Promise<void> {
    for (const [index, frame] of frames.entries()) {
      await this.#until(() => index - this.#answered < IN_FLIGHT);
      this.#connection.receive(frame);
    }
    await this.#until(() => this.#answered === frames.length);
  }

  leave(): void {
    this.#connection.closed();
  }

  #take(frame: string): void {
    if (frame.startsWith('{"type":"pack-ack"')) {
      this.#answered++;
      this.#fault ??= WAITS.exec(frame)?.[1];
    } else if (frame.startsWith('{"type":"error"')) this.#fault ??= frame;
    else if (frame.includes('"final":true')) this.#hasEntered = true;
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds() && this.#fault === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
    mustHold(this.#fault === undefined, `the host refused what was pushed: ${this.#fault ?? ''}`);
  }
}
