// Messages on their way through a host: one peer pushes JSON frames into a session, another one is joined as a client
// and merges what is relayed to it. In process and with a store in memory, so neither network nor disk is measured.
import { connectRoom, createHost, generateKeys, toBase64 } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { type TestPeer, inProcessSocket, testPeer } from '@weft/core/testing';
import { type Contender, mustHold, perSecond, timed } from '../harness.js';
import type { Figures } from '../statistics.js';
import type { Typing } from '../text-edits.js';
import { newReplica } from './engine.js';
import { type Manner, TEXT_KEY, WeftReplica } from './text-replica.js';

const ROOM = 'bench';
/** Pushed and not yet answered: enough for the host to write several in one batch, as it does under load. */
const IN_FLIGHT = 256;
/** Why a host answers that it has not taken a node which it keeps until its seal comes. */
const waits = ['unsealed', 'missing-parent'];
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
  const pusher = testPeer(host, ROOM);
  pusher.send({ type: 'hello' });
  while ((await pusher.nextOf('pack'))['final'] !== true);

  const frames = messages.map((message) => JSON.stringify({ type: 'pack', nodes: toBase64(message) }));
  const { ms } = await timed(async () => {
    await push(pusher, frames);
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

/** Ends when the host has answered every frame. */
async function push(peer: TestPeer, frames: readonly string[]): Promise<void> {
  let answered = 0;
  for (const [index, frame] of frames.entries()) {
    if (index - answered >= IN_FLIGHT) answered += await answer(peer);
    peer.sendText(frame);
  }
  while (answered < frames.length) answered += await answer(peer);
}

async function answer(peer: TestPeer): Promise<number> {
  const { rejected } = await peer.nextOf('pack-ack');
  const [wrong] = (rejected as readonly { readonly reason: string }[]).filter(({ reason }) => !waits.includes(reason));
  mustHold(wrong === undefined, `the host refused a node: ${wrong?.reason ?? ''}`);
  return 1;
}
