/** Readers that stop while much is written: they are not held in memory, and go on where they were. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { Peer } from './peer.js';
import { residentBytes } from './resident-memory.js';
import { serveProcess, type transports } from './serving.js';
import { merge, push, replicaOf } from './writer.js';

const MIB = 1024 * 1024;
const SLOW = 12;
/** A reader that was stopped is not given up while a busy machine writes. */
const PATIENT = ['--limit-stalled-ms', '120000'];

/**
 * What the kernel does not take of twelve copies would be several hundred MiB. `mayGrow`: mebibytes by which the server's memory
 * may grow; not weighed when absent.
 */
export async function stoppedReaders(transport: (typeof transports)[number], mayGrow?: number): Promise<void> {
  const { weft, url } = await serveProcess('--store', 'memory', '--transport', transport, ...PATIENT);
  const writer = await Peer.dial(url);
  const { welcome } = await writer.join();
  const replica = await replicaOf(welcome);
  const readers = await Promise.all(Array.from({ length: SLOW }, () => Peer.enter(url)));
  replica.set('first', 1);
  await push(writer, replica);
  for (const { socket } of readers) socket.pause();

  const before = residentBytes(weft.pid);
  for (let i = 0; i < 20; i++) {
    replica.set(`k${i}`, new Uint8Array(randomBytes(MIB - 1024))); // nothing that deflates
    expect(await push(writer, replica)).toMatchObject({ accepted_count: 1 });
  }
  if (mayGrow !== undefined) expect(residentBytes(weft.pid) - before).toBeLessThan(mayGrow * MIB);

  const [one, ...others] = readers;
  for (const { socket } of others) socket.terminate();
  one?.socket.resume();
  const copy = await replicaOf(welcome);
  while (one && copy.frontier.join() !== replica.frontier.join()) await merge(copy, await one.nextOf('pack'));
}
