import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { createHost } from '../../engine.js';
import { join, push } from '../../testing/archive-sites.js';

const NODES = 2500;

it('[AR4] the digest of nodes is of their ids by lamport, author and id, however many there are', async () => {
  const room = await createHost({ store: memoryStore() }).room('room');
  // Both begin on the same node, so each lamport is one of either.
  const authors = [await join(room), await join(room)];
  for (const replica of authors) {
    for (let i = 0; i < NODES; i++) replica.set(`k${i}`, i);
    expect(await push(replica, room)).toEqual([]);
  }
  const nodes = Array.from({ length: room.seq }, (_, seq) => room.nodes.describe(seq));
  const names = nodes.map(({ lamport, author, nodeId }) =>
    [String(lamport).padStart(9, '0'), author, nodeId].join(' '),
  );
  const hash = createHash('sha256');
  for (const name of names.sort()) hash.update(Buffer.from(name.split(' ')[2]!, 'hex'));
  const { seq, nodesDigest } = await room.surveys.now();
  expect([seq, nodesDigest]).toEqual([2 * NODES + 1, hash.digest('hex')]);
});
