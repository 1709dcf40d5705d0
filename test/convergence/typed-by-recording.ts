/** Recorded typing, done again by replicas and brought to a room and to who joins later. */
import { type Replica, createHost, createReplica, generateKeys } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect } from 'vitest';
import { sealed, typedAgain } from './agents.js';
import { readRecording, replay, spliced } from './recording.js';

const openRoom = () => createHost({ store: memoryStore() }).room('room');
type Room = Awaited<ReturnType<typeof openRoom>>;
const join = (room: Room): Promise<Replica> => createReplica({ genesis: room.genesis.pack, keys: generateKeys() });

/** What one author typed gives the recorded text: in the editor, in the room, and for a newcomer. */
export async function typedByOne(name: string): Promise<void> {
  const { endContent, txns, startContent = '' } = readRecording(name);
  const room = await openRoom();
  const replica = await join(room);
  const editor = replica.text('text');
  if (startContent !== '') editor.insert(0, startContent);
  let model = startContent;
  for (const [index, { patches }] of txns.entries()) {
    replay(patches, editor);
    model = spliced(model, patches);
    if (index % 2000 === 0) expect(editor.toString()).toBe(model);
  }
  expect(editor.toString()).toBe(endContent);

  const pack = await sealed(replica);
  expect((await room.admit(pack, { from: 'peer' })).refused).toEqual([]);
  expect(room.text('text')).toBe(endContent);
  const newcomer = await join(room);
  for (const part of room.packs()) expect((await newcomer.receive(part)).refused).toEqual([]);
  expect(newcomer.text('text').toString()).toBe(endContent);
}

/** What several typed at once gives the recorded text everywhere, in whatever order it is heard of. */
export async function typedByMany(name: string, authors: number): Promise<void> {
  const { txns, endContent } = readRecording(name);
  const room = await openRoom();
  const replicas = await Promise.all(Array.from({ length: authors }, () => join(room)));
  const sent = await typedAgain(txns, replicas);
  // Each gets all of the others' work, what it has had already too.
  for (const [number, replica] of replicas.entries()) {
    for (const { agent, pack } of sent) if (agent !== number) expect((await replica.receive(pack)).refused).toEqual([]);
  }
  // Who only reads hears of the agents in another order: of each as much as can be had, the last one first.
  const reader = await join(room);
  const left = replicas.map((_, number) => sent.flatMap(({ agent, pack }) => (agent === number ? [pack] : [])));
  for (let before = -1, count = 0; count !== before;) {
    before = count;
    for (const packs of left.toReversed()) {
      for (; packs[0] && (await reader.receive(packs[0])).refused.length === 0; count++) packs.shift();
    }
  }
  expect(left.flat()).toEqual([]);
  replicas.push(reader);
  for (const replica of replicas) {
    expect(replica.text('text').toString()).toBe(endContent);
    expect(replica.frontier).toEqual(replicas[0]?.frontier);
  }
}
