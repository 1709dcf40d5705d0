import { describe, expect, it } from 'vitest';
import { type Authority, certifiedAuthority } from '../access/authority.js';
import { makeMandate } from '../access/mandate.js';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { Globs } from '../access/glob.js';
import { type Host, createHost } from '../engine.js';
import { createReplica, generateKeys, openSnapshot } from '../peer.js';
import type { Signer } from '../ports/crypto.js';
import type { Store } from '../ports/store.js';
import { join, pull, push } from '../testing/archive-sites.js';
import { keyOf, mandate, signerOf, succession } from '../testing/story.js';

const archives = memoryArchives();

interface Process {
  readonly root: string;
  readonly signers: readonly (readonly [key: string, root: string])[];
  readonly successions?: readonly Uint8Array[];
  readonly revocations?: readonly Uint8Array[];
  readonly recovery?: string;
}

const authorityOf =
  ({ root, signers, ...rest }: Process) =>
  async (founder: Signer): Promise<Authority> =>
    certifiedAuthority({
      roots: [keyOf(root)],
      founder,
      founding: await makeMandate('founder', { key: founder.publicKey }, signerOf(root)),
      signer: signers.map(([key]) => signerOf(key)),
      certificates: await Promise.all(signers.map(([key, by]) => mandate('signer', by, key))),
      ...rest,
    });

const processOn = (store: Store, process: Process): Host =>
  createHost({
    store,
    archives: { stores: { file: archives }, trusted: [keyOf('root')] },
    authority: authorityOf(process),
    onFault: (error) => {
      throw error;
    },
  });

const OLD: Process = { root: 'root', signers: [['one', 'root']] };
const rotation = await succession(['next'], ['root']);
const ROTATED: Process = {
  root: 'next',
  signers: [
    ['one', 'root'],
    ['two', 'next'],
  ],
  successions: [rotation],
};

async function run(host: Host, command: string, payload: object, room_id = 'room'): Promise<Record<string, unknown>> {
  const { events } = await host.submit({ room_id, command: { [command]: payload } });
  return { ...Object.values(events[0]!)[0] };
}

describe('a host whose roots have changed', () => {
  it('[MA6] says so in each room when it is opened, and goes on with a key that the new roots have certified', async () => {
    const store = memoryStore();
    const old = await processOn(store, OLD).room('room');
    await old.set('a', 1);
    const client = await join(old);
    const room = await processOn(store, ROTATED).room('room');
    expect([...room.reign.roots]).toEqual([keyOf('next')]);
    await room.set('\0policy', { default: 'deny', rules: [] });
    await pull(client, room);
    expect([client.stateHash, client.get('a')]).toEqual([room.stateHash, 1]);
    client.set('b', 1);
    expect(await push(client, room)).toMatchObject([{ reason: 'policy-denied' }]);
    await old.look();
    await expect(old.set('a', 2)).rejects.toMatchObject({ reason: 'authority-superseded' });
    const again = await processOn(store, ROTATED).room('room');
    expect([again.seq, again.stateHash]).toEqual([room.seq, room.stateHash]);
    expect(again.mayWrite(keyOf('one'), 'a').allowed).toBe(false);
  });

  it('[MA6] says all that has happened since a room was open last, however many roots have followed', async () => {
    const store = memoryStore();
    await processOn(store, { root: 'root', signers: [['stolen', 'root']] }).withRoom('room', (room) =>
      room.set('a', 1),
    );
    const late: Process = {
      root: 'third',
      signers: [
        ['one', 'root'],
        ['two', 'next'],
        ['three', 'third'],
      ],
      successions: [rotation, await succession(['third'], ['next'])],
      revocations: [await mandate('signer-revoked', 'root', 'stolen')],
    };
    const room = await processOn(store, late).room('room');
    expect([...room.reign.roots]).toEqual([keyOf('third')]);
    expect(room.speaker.publicKey).toBe(keyOf('three'));
    const again = await processOn(store, late).room('room');
    expect([again.seq, again.stateHash]).toEqual([room.seq, room.stateHash]);
  });

  it('[MA6] is silent where a room is two changes behind and the last roots alone have certified it, and says whose key it needs', async () => {
    const store = memoryStore();
    await processOn(store, OLD).withRoom('room', (room) => room.set('a', 1));
    const successions = [rotation, await succession(['third'], ['next'])];
    const late: Process = { root: 'third', signers: [['three', 'third']], successions };
    const room = await processOn(store, late).room('room');
    await expect(room.set('a', 2)).rejects.toMatchObject({
      reason: 'authority-missing',
      message: expect.stringContaining(`a key that ${keyOf('next')} has certified has to say so first`) as string,
    });
    expect((await join(room)).get('a')).toBe(1);
    const both: Process = { ...late, signers: [['two', 'next'], ...late.signers] };
    const brought = await processOn(store, both).room('room');
    expect([...brought.reign.roots]).toEqual([keyOf('third')]);
    await room.look();
    await room.set('a', 2);
    expect(room.get('a')).toBe(2);
  });

  it('[MA6] goes on in a process that signs by old roots and new ones, in the middle of its work', async () => {
    const store = memoryStore();
    const [mine, other] = [processOn(store, ROTATED), processOn(store, { ...ROTATED, signers: [['three', 'next']] })];
    await processOn(store, OLD).withRoom('room', (room) => room.set('a', 1));
    const room = await mine.room('room');
    await (await other.room('room')).set('a', 2);
    await room.look();
    await room.set('a', 3);
    expect((await join(room)).get('a')).toBe(3);
  });

  it('[MA5] [PK13] shows how roots have changed beside headers and snapshots, for who has the genesis alone', async () => {
    const store = memoryStore();
    await processOn(store, OLD).withRoom('room', (room) => room.set('hidden', 1));
    const room = await processOn(store, ROTATED).room('room');
    await room.set('seen', 1);
    const partial = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    const sight = room.packed.sight({ subscribed: new Globs(['seen']), readable: undefined })!;
    const pack = (await room.packed.read(0, room.seq, { sight }))!;
    expect((await partial.receive(pack)).refused).toEqual([]);
    expect([partial.withheld, partial.get('seen')]).toEqual([1, 1]);
    const { snapshot } = await room.compact();
    expect((await openSnapshot(snapshot)).authority).toBe(keyOf('two'));
  });

  it('[MA3] [MA6] has the new roots and that they have revoked its key for its last word, in rooms that have not heard of them', async () => {
    const store = memoryStore();
    await processOn(store, OLD).withRoom('room', (room) => room.set('a', 1));
    const revocations = [await mandate('signer-revoked', 'next', 'two')];
    const signers = [['two', 'next']] as const;
    const room = await processOn(store, { ...ROTATED, signers, revocations }).room('room');
    expect([...room.reign.roots]).toEqual([keyOf('next')]);
    await expect(room.set('a', 2)).rejects.toMatchObject({ reason: 'authority-revoked' });
    const again = await processOn(store, { ...ROTATED, signers: [['three', 'next']] }).room('room');
    await again.set('a', 3);
    const client = await join(again);
    expect([client.get('a'), client.stateHash]).toEqual([3, again.stateHash]);
  });

  it('[MA3] says in each room whom its roots have revoked, before anybody enters', async () => {
    const store = memoryStore();
    const stolen = await processOn(store, { root: 'root', signers: [['stolen', 'root']] }).room('room');
    await stolen.set('a', 1);
    const revocations = [await mandate('signer-revoked', 'root', 'stolen')];
    const room = await processOn(store, { ...OLD, revocations }).room('room');
    expect(room.mayWrite(keyOf('stolen'), 'a').by).toBe('no policy');
    await stolen.look();
    await expect(stolen.set('a', 2)).rejects.toMatchObject({ reason: 'authority-revoked' });
    const restarted = await processOn(store, { ...OLD, revocations }).room('room');
    expect(restarted.seq).toBe(room.seq);
  });

  it('[MA3] revokes a key in the one room that the revocation names, and in no other', async () => {
    const store = memoryStore();
    const stolen = processOn(store, { root: 'root', signers: [['stolen', 'root']] });
    await stolen.withRoom('room', (room) => room.set('a', 1));
    const scope = await stolen.withRoom('other', async (room) => {
      await room.set('a', 1);
      return room.genesis.id;
    });
    const process = { ...OLD, revocations: [await mandate('signer-revoked', 'root', 'stolen', { scope })] };
    const [room, other] = [await stolen.room('room'), await stolen.room('other')];
    const host = processOn(store, process);
    for (const name of ['room', 'other']) await host.withRoom(name, (opened) => opened.set('b', 1));
    await Promise.all([room.look(), other.look()]);
    await room.set('a', 2);
    expect([room.get('a'), room.get(`\0signer-revoked/${keyOf('stolen')}`)]).toEqual([2, undefined]);
    await expect(other.set('a', 2)).rejects.toMatchObject({ reason: 'authority-revoked' });
  });

  it('[MA6] takes a room over by its recovery key when the root is lost', async () => {
    const store = memoryStore();
    const { recoveryOf } = await import('../access/succession.js');
    await processOn(store, { ...OLD, recovery: recoveryOf(keyOf('heir')) }).withRoom('room', (room) =>
      room.set('a', 1),
    );
    const successions = [await succession(['next'], ['heir'])];
    const room = await processOn(store, { root: 'next', signers: [['two', 'next']], successions }).room('room');
    await room.set('a', 2);
    expect((await join(room)).get('a')).toBe(2);
  });

  it('[MA6] moves to another server by its owner: the old one says where, and clients of before follow', async () => {
    const [here, there] = [memoryStore(), memoryStore()];
    const address = 'wss://new.example/ws/room';
    const moving = [await succession(['next'], ['root'], { address })];
    const before = processOn(here, OLD);
    await before.withRoom('room', (room) => room.set('a', 1));
    const client = await before.withRoom('room', (room) => join(room));
    const restore = { archive_ref: 'file://moving.weft', import_mode: 'full_apply' };
    await run(before, 'ExportArchive', { archive_ref: restore.archive_ref });
    const after = processOn(there, { root: 'next', signers: [['two', 'next']], successions: moving });
    expect(await run(after, 'ImportArchive', restore)).toMatchObject({ imported_nodes: expect.any(Number) as number });
    const room = await after.room('room');
    expect(room.genesis.id).toBe(client.room);
    await room.set('a', 2);
    client.set('mine', 1);
    expect(await push(client, room)).toEqual([]);
    await pull(client, room);
    expect([client.get('a'), client.stateHash]).toEqual([2, room.stateHash]);

    const left = await processOn(here, { ...OLD, successions: moving }).room('room');
    await expect(left.set('a', 3)).rejects.toMatchObject({ reason: 'room-moved', data: address });
    const late = await join(left);
    late.set('b', 1);
    await expect(push(late, left)).rejects.toMatchObject({ reason: 'room-moved' });
  });

  it('[TP3] begins children of a rotated room under the roots of now', async () => {
    const store = memoryStore();
    await processOn(store, OLD).withRoom('room', (room) => room.set('k', 1));
    const host = processOn(store, ROTATED);
    const { stateHash, heads } = await host.room('room');
    await run(host, 'CreateTopologyChild', {
      child_room_id: 'child',
      child_purpose: 'a test',
      promotion_policy_id: 'promotion-based',
      parent_checkpoint: { canonical_hash: stateHash, frontier: heads.frontier },
    });
    const child = await host.room('child');
    await child.set('k', 2);
    expect([child.constitution.authorities, (await join(child)).get('k')]).toEqual([[keyOf('next')], 2]);
    await expect((await processOn(store, OLD).room('child')).set('k', 3)).rejects.toMatchObject({
      reason: 'authority-missing',
    });
  });

  it('[TP3] [VE2] [PN1] [AD5] promotes, erases, prunes and locks by a key of the new roots, in rooms of the old ones', async () => {
    const store = memoryStore();
    const old = processOn(store, OLD);
    const { stateHash, heads } = await old.withRoom('room', async (room) => {
      await room.set('secret', 'canary');
      await room.set('k', 1);
      return { stateHash: room.stateHash, heads: room.heads };
    });
    await run(old, 'CreateTopologyChild', {
      child_room_id: 'child',
      child_purpose: 'a test',
      promotion_policy_id: 'promotion-based',
      parent_checkpoint: { canonical_hash: stateHash, frontier: heads.frontier },
    });
    const host = processOn(store, ROTATED);
    const child_checkpoint_hash = await host.withRoom('child', async (child) => {
      await child.set('k', 2);
      return child.stateHash;
    });
    const wanted = { parent_room_id: 'room', child_room_id: 'child', child_checkpoint_hash, payload_ref: 'state' };
    const { proposal_id } = await run(host, 'ProposeTopologyPromotion', wanted);
    await run(host, 'ValidateTopologyPromotion', { proposal_id });
    expect(await run(host, 'ApplyTopologyPromotion', { proposal_id })).toMatchObject({ parent_room_id: 'room' });
    await host.withRoom('room', (room) => room.set('secret', 'other'));
    expect(await run(host, 'EraseValue', { key: 'secret', confirm: 'secret' })).toMatchObject({ key: 'secret' });
    await run(host, 'PruneHistory', {});
    await run(host, 'SetRoomKey', { pubkey_hex: generateKeys().publicKey });
    const room = await processOn(store, ROTATED).room('room');
    expect([room.get('k'), room.get('\0lock')]).toEqual([2, expect.objectContaining({})]);
    const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    for await (const pack of room.attestedPacks()) expect((await replica.receive(pack)).refused).toEqual([]);
    expect([replica.get('k'), replica.stateHash]).toEqual([2, room.stateHash]);
  });
});
