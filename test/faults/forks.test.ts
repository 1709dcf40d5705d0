/** Children of a locked room, whatever became of their names before: nobody sits in a room that turns into another one. */
import { type Host, type Store, createHost, generateKeys, parseRoomId, signProof, signToken } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { ManualClock, altered } from '@weft/core/testing';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { CHILD, type Scene, type Sitter, childNames, sitIn } from './child-names.js';
import { LOCK, SECRET, expectLocked, lockUp, tellsSecret } from './locked-rooms.js';
import { serveHere, transports } from './serving.js';

const PARENT = 'parent';
const ADMIN = generateKeys();

interface Family extends Scene {
  readonly store: Store;
  readonly audience: string;
  readonly folder: string;
  readonly fork: (child?: string) => Promise<unknown>;
  /** What the parent is. */
  readonly checkpoint: () => Promise<object>;
}

/** A locked parent on a store in a folder, which two hosts share. */
async function family(transport: (typeof transports)[number]): Promise<Family> {
  const folder = await tempFolder();
  const store = levelStore(folder);
  const clock = new ManualClock();
  const options = { clock, adminKey: ADMIN.publicKey };
  const [opened, closed] = [{ open: () => Promise.resolve() }, { close: () => Promise.resolve() }];
  await store.open();
  const here = await serveHere(transport, { ...options, store: altered(store, opened) });
  const there = await serveHere(transport, { ...options, store: altered(store, { ...opened, ...closed }) });
  await here.host.withRoom(PARENT, lockUp);
  const checkpoint = (): Promise<object> =>
    here.host.withRoom(PARENT, ({ stateHash, heads }) =>
      Promise.resolve({ canonical_hash: stateHash, frontier: heads.frontier }),
    );
  return {
    here,
    there,
    store,
    folder,
    audience: here.audience,
    checkpoint,
    async sleep(host) {
      while (host.load(CHILD).heads !== undefined) {
        clock.advance(60_000);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
    async fork(child = CHILD) {
      const wanted = { child_room_id: child, child_purpose: 'a test', promotion_policy_id: 'promotion-based' };
      const command = { CreateTopologyChild: { ...wanted, parent_checkpoint: await checkpoint() } };
      return here.host.submit({ room_id: PARENT, command });
    },
  };
}

async function talk({ peer, pack }: Sitter): Promise<void> {
  if (peer.isOpen) peer.send(pack);
  await Promise.race([peer.closed, peer.nextOf('pack-ack')]);
}

/** The child as its parent made it, for everybody who comes, and after a restart. */
async function expectChild({ here, there, store, folder }: Family): Promise<void> {
  const childOf = (host: Host): Promise<unknown> =>
    host.withRoom(CHILD, (room) =>
      Promise.resolve([room.facts.lock, room.constitution.lineage?.parent_room_id, room.stateHash, room.get('secret')]),
    );
  const found = await childOf(here.host);
  expect(found).toMatchObject([LOCK.publicKey, PARENT, expect.any(String), SECRET]);
  expect(await childOf(there.host)).toEqual(found);
  for (const { url } of [here, there]) await expectLocked(url, CHILD);
  await here.host.close();
  await store.close();
  const again = createHost({ store: levelStore(folder) });
  expect(await childOf(again)).toEqual(found);
  await again.close();
}

describe.each(transports)('over %s', (transport) => {
  it.each(childNames)('[TP7] a locked room is forked onto a name where $state', async ({ prepare, fate }) => {
    const scene = await family(transport);
    const sitters = await prepare(scene);
    const head = await scene.store.log.head(CHILD);
    const forked = scene.fork();
    if (fate === 'refused') {
      await expect(forked).rejects.toMatchObject({ reason: 'reject.lineage_child_already_exists' });
      expect(await scene.store.log.head(CHILD)).toBe(head);
      expect(await scene.store.log.origin(CHILD)).toBeUndefined();
      for (const { peer, pack } of sitters) {
        peer.send(pack);
        expect(await peer.nextOf('pack-ack')).toMatchObject({ accepted_count: 1, rejected_count: 0 });
      }
      return;
    }
    await forked;
    for (const sitter of sitters) {
      await talk(sitter);
      expect(await sitter.peer.closed).toMatchObject({ code: 1012 });
    }
    expect(tellsSecret(sitters.flatMap(({ heard }) => heard))).toBe(false);
    await expectChild(scene);
  });

  it('[TP7] who asks for a child may sit in it himself: he comes again like all others', async () => {
    const scene = await family(transport);
    const keys = generateKeys();
    const claims = { room: CHILD, peer: keys.publicKey, expiry: 1_800_000_000, caps: ['topology.admin'] };
    const proof = await signProof({ room: CHILD, aud: scene.audience, ts: 1_700_000_000_000 }, keys);
    const hello = { pubkey: keys.publicKey, token: await signToken(claims, ADMIN.seed), proof };
    const asker = await sitIn(scene.here.url, CHILD, hello);
    asker.peer.send({
      type: 'topology.create-child',
      parent_room_id: PARENT,
      child_room_id: CHILD,
      child_purpose: 'a test',
      promotion_policy_id: 'promotion-based',
      parent_checkpoint: await scene.checkpoint(),
    });
    expect(await asker.peer.closed).toMatchObject({ code: 1012 });
    expect(tellsSecret(asker.heard)).toBe(false);
    await expectChild(scene);
  });

  it('[TP7] of a fork and a push that race for a name, one wins, and the other is told so', async () => {
    const scene = await family(transport);
    const outcomes = new Set<string>();
    for (let round = 0; round < 8; round++) {
      const room = parseRoomId(`race-${round}`)!;
      const { peer, pack, heard } = await sitIn(scene.here.url, room);
      const forked = scene.fork(room).then(
        () => 'forked',
        (error: unknown) => (error as { reason: string }).reason,
      );
      if (round === 7) await forked;
      for (let turn = 0; turn < round * 4; turn++) await new Promise((resolve) => setImmediate(resolve));
      if (peer.isOpen) peer.send(pack);
      const outcome = await forked;
      outcomes.add(outcome);
      expect(tellsSecret(heard)).toBe(false);
      const { lock, seq } = await scene.here.host.withRoom(room, ({ facts, seq }) =>
        Promise.resolve({ lock: facts.lock, seq }),
      );
      if (outcome === 'forked') {
        expect(await peer.closed).toMatchObject({ code: 1012 });
        expect(heard.filter(({ type }) => type === 'pack-ack')).toEqual([]);
        expect(lock).toBe(LOCK.publicKey);
      } else expect([outcome, lock, seq]).toEqual(['reject.lineage_child_already_exists', undefined, 2]);
    }
    expect([...outcomes].sort()).toEqual(['forked', 'reject.lineage_child_already_exists']);
  });
});
