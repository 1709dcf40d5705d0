/** Peers that join a large room slowly, while others go on writing in it. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { Peer } from './peer.js';
import { residentBytes } from './resident-memory.js';
import { serveProcess, type transports } from './serving.js';
import { merge, push, replicaOf } from './writer.js';

const MIB = 1024 * 1024;

interface Slowness {
  readonly joiners: number;
  /** Size of the room. */
  readonly mebibytes: number;
  /** Mebibytes by which the server's memory may grow while the room is being sent; not weighed when absent. */
  readonly mayGrow?: number;
  /** Pause of each joiner after each frame. */
  readonly pauseMs: number;
}

export async function slowJoin(
  transport: (typeof transports)[number],
  { joiners, mebibytes, mayGrow, pauseMs }: Slowness,
): Promise<void> {
  const { weft, url } = await serveProcess('--store', 'memory', '--transport', transport);
  const writer = await Peer.dial(url);
  const { welcome } = await writer.join();
  const replica = await replicaOf(welcome);
  for (let i = 0; i < mebibytes; i++) {
    replica.set(`k${i}`, new Uint8Array(randomBytes(MIB - 1024))); // nothing that deflates
    await push(writer, replica);
  }
  const before = residentBytes(weft.pid);
  let grown = 0;
  const joining = Array.from({ length: joiners }, async (_, number) => {
    const joiner = await Peer.dial(url);
    joiner.socket.on('message', () => {
      joiner.socket.pause();
      setTimeout(() => joiner.socket.resume(), pauseMs);
    });
    const { packs } = await joiner.join();
    return { joiner, packs: number === 0 ? packs : [] };
  });
  let isDone = false;
  const joined = Promise.all(joining).finally(() => (isDone = true));
  joined.catch(() => undefined); // it is awaited below, when the writer has stopped
  let written = 0;
  for (; !isDone; written++) {
    replica.set('meanwhile', written);
    expect(await push(writer, replica)).toMatchObject({ accepted_count: 1 });
    grown = Math.max(grown, residentBytes(weft.pid) - before);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const [first] = await joined;
  expect(written).toBeGreaterThan(1);
  if (mayGrow !== undefined) expect(grown).toBeLessThan(mayGrow * MIB);

  const copy = await replicaOf(welcome);
  for (const frame of first?.packs ?? []) await merge(copy, frame);
  while (first && copy.frontier.join() !== replica.frontier.join())
    await merge(copy, await first.joiner.nextOf('pack'));
  expect(copy.stateHash).toBe(replica.stateHash);
}
