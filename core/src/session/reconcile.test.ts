import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromBase64, toBase64, toHex } from '../codec/bytes/bytes.js';
import { openPack } from '../codec/packs/pack.js';
import { type Pack, decodePack } from '../codec/packs/plain-pack.js';
import { type Host, createHost } from '../engine.js';
import { Graph } from '../graph/graph.js';
import { Incoming } from '../graph/incoming.js';
import { createReplica, generateKeys } from '../peer.js';
import { HeldIds } from '../reconcile/held-ids.js';
import { Initiator } from '../reconcile/initiator.js';
import type { Room } from '../room/room.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type TestPeer, testPeer } from '../testing/test-peer.js';
import type { Frame } from '../wire/frame.js';

const BYTES = new Set(['root', 'heads', 'symbols', 'key', 'tips', 'sum', 'ids']);

/** What a peer holds who has seen these packs. */
function heldOf(packs: readonly Uint8Array[]): HeldIds {
  const graph = new Graph();
  for (const pack of packs) {
    const { table } = openPack(pack);
    const incoming = new Incoming(graph, table);
    for (let place = 0; place < table.size; place++) if (incoming.number(place) < 0) incoming.append(place);
  }
  graph.settle();
  return new HeldIds(graph);
}

const ids = (packs: readonly Pack[]): string[] => packs.flatMap(({ nodes }) => nodes.map(({ id }) => toHex(id)));

async function pushed(room: Room, authors: number): Promise<Uint8Array[]> {
  const packs: Uint8Array[] = [];
  for (let author = 0; author < authors; author++) {
    const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    for (let i = 0; i < 5; i++) replica.set(`k${author}`, i);
    const pack = (await replica.seal()) ?? new Uint8Array();
    await room.admit(pack, { from: 'peer' });
    packs.push(pack);
  }
  return packs;
}

async function join(host: Host, hello: object): Promise<{ peer: TestPeer; welcome: Frame; caughtUp: Pack[] }> {
  const peer = testPeer(host, 'room');
  peer.send({ type: 'hello', ...hello });
  const welcome = await peer.next();
  const caughtUp: Pack[] = [];
  for (;;) {
    const frame = await peer.nextOf('pack');
    caughtUp.push(decodePack(fromBase64(String(frame['nodes']))));
    if (frame['final'] === true) return { peer, welcome, caughtUp };
  }
}

const toFrame = (message: object): object =>
  Object.fromEntries(
    Object.entries(message).map(([name, value]) => [name, value instanceof Uint8Array ? toBase64(value) : value]),
  );
const fromFrame = ({ type: _, ...fields }: Frame): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, BYTES.has(name) ? fromBase64(String(value)) : value]),
  );

/** The whole dialogue; answers what the peer is to send. */
async function reconcile(peer: TestPeer, held: HeldIds): Promise<readonly number[]> {
  const initiator = new Initiator(held);
  let message: object | undefined = initiator.open();
  for (let step = 0; message && step < 50; step++) {
    peer.send({ type: 'reconcile', ...toFrame(message) });
    if (initiator.send) break;
    message = initiator.receive(fromFrame(await peer.nextOf('reconcile')));
    if (!message) break;
  }
  if (!initiator.send) throw new Error('did not end');
  return initiator.send;
}

describe('a peer that has been away', () => {
  it('[RC9] reconciles by frames: each side learns what the other lacks, and nodes follow', async () => {
    const host = createHost({ store: memoryStore() });
    const room = await host.room('room');
    const packs = await pushed(room, 8);
    const held = heldOf([room.genesis.pack, ...packs.filter((_, i) => i % 2 === 0)]);
    const { peer, caughtUp } = await join(host, { caps: { supports_reconcile: true }, mst_root: '00'.repeat(32) });
    expect(ids(caughtUp)).toEqual([]);
    expect(await reconcile(peer, held)).toEqual([]);
    const got = ids([decodePack(fromBase64(String((await peer.nextOf('pack'))['nodes'])))]);
    const lacked = ids(packs.filter((_, i) => i % 2 === 1).map((pack) => decodePack(pack)));
    expect(got.sort()).toEqual(lacked.sort());
  });

  it('[RC8] is sent what its filter lacks, and asked for what the server lacks', async () => {
    const host = createHost({ store: memoryStore() });
    const room = await host.room('room');
    const packs = await pushed(room, 4);
    const own = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    own.set('mine', 1);
    const mine = (await own.seal()) ?? new Uint8Array();
    const held = heldOf([room.genesis.pack, packs[0]!, packs[2]!, mine]);
    const { welcome, caughtUp } = await join(host, { ibf: toBase64(held.filters.encode(0)) });
    expect(welcome['missing']).toEqual(ids([decodePack(mine)]));
    expect(ids(caughtUp).sort()).toEqual(ids([packs[1]!, packs[3]!].map((pack) => decodePack(pack))).sort());
  });

  it('[RC9] may try 20 times a minute', async () => {
    const clock = new ManualClock();
    const host = createHost({ store: memoryStore(), clock });
    const room = await host.room('room');
    await pushed(room, 2);
    const held = heldOf([room.genesis.pack]);
    const { peer } = await join(host, { caps: { supports_reconcile: true } });
    const open = { type: 'reconcile', ...toFrame(new Initiator(held).open(true)) };
    for (let attempt = 0; attempt < 20; attempt++) {
      peer.send(open);
      await peer.nextOf('reconcile');
    }
    peer.send(open);
    expect(await peer.nextOf('error')).toMatchObject({ code: 'rate-limit', command: 'reconcile' });
    clock.advance(60_000);
    peer.send(open);
    expect((await peer.nextOf('reconcile'))['step']).toBeDefined();
  });
});
