/** A room with very many heads: nodes without parents, each by one of a hundred authors. */
import { type Op, encodePack, fromHex } from '@weft/core';
import { expect } from 'vitest';
import { admit, join, keysOf, nodeOf, reasons, sealOf } from '../laws/support.js';
import { Peer } from './peer.js';
import { serveHere } from './serving.js';

const set = (key: string): Op => ({ kind: 'set', key, value: new Uint8Array([1]) });

export async function manyHeads(count: number): Promise<void> {
  const { host, url } = await serveHere('auto');
  const room = await host.room('room');
  const authors = Array.from({ length: 100 }, (_, number) => keysOf(1000 + number));
  const authorOf = (index: number) => authors[index % authors.length]!;
  const nodes = Array.from({ length: count }, (_, index) => {
    const author = fromHex(authorOf(index).publicKey);
    return nodeOf({ room: fromHex(room.genesis.id), author, parents: [], ops: [set(`k${index}`)] });
  });
  const seals = await Promise.all(
    nodes.map(async ({ id }, index) => ({ index, signature: await sealOf(authorOf(index), id) })),
  );
  expect(await admit(room, encodePack({ nodes, seals }))).toMatchObject({ accepted: count, refused: [] });
  const { welcome } = await (await Peer.dial(url)).join();
  expect(welcome['frontier']).toHaveLength(count + 1);

  for (let i = 0; i < 50; i++) await room.set('joined', i);
  expect(room.heads.frontier).toHaveLength(1);
  const replica = await join(room, 1);
  for (const pack of room.packs()) expect(reasons(await replica.receive(pack))).toEqual([]);
  expect([replica.stateHash, replica.frontier]).toEqual([room.stateHash, room.heads.frontier]);
}
