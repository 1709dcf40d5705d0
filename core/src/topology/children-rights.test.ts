/** What a child takes over of what is said of keys in its parent, and who may take it over when its roots are lost. [TP3] [MA6] */
import { describe, expect, it } from 'vitest';
import { type Authority, certifiedAuthority } from '../access/authority.js';
import { makeMandate } from '../access/mandate.js';
import { recoveryOf } from '../access/succession.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { type Host, createHost } from '../engine.js';
import type { Signer } from '../ports/crypto.js';
import type { Store } from '../ports/store.js';
import { SIGNER_REVOKED } from '../room/state/key-facts.js';
import type { Room } from '../room/room.js';
import { join } from '../testing/archive-sites.js';
import { keyOf, mandate, signerOf, succession } from '../testing/story.js';

interface Process {
  readonly root?: string;
  readonly signer?: string;
  readonly recovery?: string;
  readonly successions?: readonly Uint8Array[];
}

const processOn = (store: Store, { root = 'root', signer = 'one', ...rest }: Process = {}): Host =>
  createHost({
    store,
    authority: async (founder: Signer): Promise<Authority> =>
      certifiedAuthority({
        roots: [keyOf(root)],
        founder,
        founding: await makeMandate('founder', { key: founder.publicKey }, signerOf(root)),
        signer: signerOf(signer),
        certificates: [await mandate('signer', root, signer)],
        ...rest,
      }),
    onFault: (error) => {
      throw error;
    },
  });

async function childOf(host: Host, parent: Room): Promise<Room> {
  const { stateHash, heads } = parent;
  const wanted = { child_room_id: 'child', child_purpose: 'a test', promotion_policy_id: 'promotion-based' };
  const parent_checkpoint = { canonical_hash: stateHash, frontier: heads.frontier };
  const command = { CreateTopologyChild: { ...wanted, parent_checkpoint } };
  expect(await host.submit({ room_id: parent.id, command })).toMatchObject({ events: [{ ChildRoomCreated: {} }] });
  return host.room('child');
}

describe('what is said of keys in a parent', () => {
  it('[TP3] is said in its child too where it counts in all rooms, and not where it counts in the parent alone', async () => {
    const store = memoryStore();
    const host = processOn(store);
    const parent = await host.room('room');
    for (const signer of ['stolen', 'sent-away'])
      await processOn(store, { signer }).withRoom('room', (room) => room.set('k', signer));
    await parent.look();
    const here = { scope: parent.genesis.id };
    await parent.set(SIGNER_REVOKED + keyOf('stolen'), await mandate('signer-revoked', 'root', 'stolen'));
    await parent.set(SIGNER_REVOKED + keyOf('sent-away'), await mandate('signer-revoked', 'root', 'sent-away', here));
    const child = await childOf(host, parent);
    expect([...child.entries(SIGNER_REVOKED)].map(([key]) => key)).toEqual([SIGNER_REVOKED + keyOf('stolen')]);
    // Who joins takes it: a word for another room would be refused.
    expect((await join(child)).stateHash).toBe(child.stateHash);
    const setBy = async (signer: string, room: string): Promise<unknown> =>
      (await processOn(store, { signer }).room(room)).set('k', 2).catch((error: unknown) => error);
    const revoked = { reason: 'authority-revoked' };
    for (const room of ['room', 'child']) expect(await setBy('stolen', room)).toMatchObject(revoked);
    expect(await setBy('sent-away', 'room')).toMatchObject(revoked);
    expect(await setBy('sent-away', 'child')).toBeUndefined();
  });

  it('[TP3] is not said in its child where those who have said it are no roots any more', async () => {
    const store = memoryStore();
    const before = processOn(store, { recovery: recoveryOf(keyOf('heir')) });
    await before.withRoom('room', (room) => room.set('k', 1));
    await processOn(store, { signer: 'stolen' }).withRoom('room', (room) => room.set('k', 'stolen'));
    await before.withRoom('room', async (room) => {
      await room.set(SIGNER_REVOKED + keyOf('stolen'), await mandate('signer-revoked', 'root', 'stolen'));
    });
    const after = processOn(store, {
      root: 'next',
      signer: 'two',
      successions: [await succession(['next'], ['heir'])],
    });
    const parent = await after.room('room');
    await parent.set('k', 2);
    const child = await childOf(after, parent);
    expect([...child.entries(SIGNER_REVOKED)]).toEqual([]);
    expect((await join(child)).stateHash).toBe(child.stateHash);
  });

  it('[TP3] [MA6] its recovery key is its child’s, whichever the host would give a new room', async () => {
    const store = memoryStore();
    await processOn(store, { recovery: recoveryOf(keyOf('heir')) }).withRoom('room', (room) => room.set('k', 1));
    const host = processOn(store, { recovery: recoveryOf(keyOf('eve')) });
    await childOf(host, await host.room('room'));
    const lost = async (by: string): Promise<Process> => ({
      root: 'next',
      signer: 'two',
      successions: [await succession(['next'], [by])],
    });
    const taken = async (by: string): Promise<unknown> =>
      (await processOn(store, await lost(by)).room('child')).set('k', by).catch((error: unknown) => error);
    expect(await taken('eve')).toMatchObject({ reason: 'authority-missing' });
    expect(await taken('heir')).toBeUndefined();
  });

  it('[TP3] [MA6] a child of a room without a recovery key has the one that the host gives to new rooms', async () => {
    const store = memoryStore();
    await processOn(store).withRoom('room', (room) => room.set('k', 1));
    const host = processOn(store, { recovery: recoveryOf(keyOf('heir')) });
    await childOf(host, await host.room('room'));
    const successions = [await succession(['next'], ['heir'])];
    const after = processOn(store, { root: 'next', signer: 'two', successions });
    await (await after.room('child')).set('k', 2);
    await expect((await after.room('room')).set('k', 2)).rejects.toMatchObject({ reason: 'authority-missing' });
  });
});
