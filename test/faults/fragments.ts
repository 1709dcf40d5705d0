/** A message in a million fragments, of one byte each. */
import { once } from 'node:events';
import { expect } from 'vitest';
import { Peer } from './peer.js';
import { residentBytes } from './resident-memory.js';
import { serveProcess, type transports } from './serving.js';
import { upgraded } from './upgraded.js';

const MIB = 1024 * 1024;

/** `mayGrow`: mebibytes by which the server's memory may grow; not weighed when absent. */
export async function fragments(transport: (typeof transports)[number], mayGrow?: number): Promise<void> {
  const { weft, url, audience } = await serveProcess('--store', 'memory', '--transport', transport);
  await Peer.enter(url);
  const before = residentBytes(weft.pid);
  const socket = await upgraded(audience);
  // The first of a message, and what goes on with it: one byte each, masked with zeros.
  const first = Buffer.from('01810000000061', 'hex');
  const more = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.from('00810000000061', 'hex')));
  socket.write(first);
  for (let i = 0; i < 100 && !socket.destroyed; i++)
    if (!socket.write(more)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  await Peer.enter(url);
  if (mayGrow !== undefined) expect(residentBytes(weft.pid) - before).toBeLessThan(mayGrow * MIB);
}
