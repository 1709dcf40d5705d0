import { describe, expect, it } from 'vitest';
import { type Authority, certifiedAuthority } from '../access/authority.js';
import { makeMandate } from '../access/mandate.js';
import { giveWord, speaksIn } from '../access/word.js';
import { Globs } from '../access/glob.js';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { openPack } from '../codec/packs/pack.js';
import { decodePack, encodePack } from '../codec/packs/plain-pack.js';
import { type Host, createHost } from '../engine.js';
import { headersMessage } from '../graph/attested-headers.js';
import { createReplica, generateKeys, openSnapshot, openTombstone } from '../peer.js';
import type { Signer } from '../ports/crypto.js';
import type { Store } from '../ports/store.js';
import type { Room } from '../room/room.js';
import { join, pull, push } from '../testing/archive-sites.js';
import { keyOf, mandate, signerOf } from '../testing/story.js';

const ROOT = 'root';

/** What a process signs with, certified by the root, and by the store's own key for rooms that are older than the root. */
const authorityOf =
  (process: string) =>
  async (founder: Signer): Promise<Authority> =>
    certifiedAuthority({
      roots: [keyOf(ROOT)],
      founder,
      founding: await makeMandate('founder', { key: founder.publicKey }, signerOf(ROOT)),
      signer: signerOf(process),
      certificates: [
        await mandate('signer', ROOT, process),
        await makeMandate('signer', { key: keyOf(process) }, founder),
      ],
    });

const archives = memoryArchives();
const processOn = (store: Store, process: string, trusted: readonly string[] = []): Host =>
  createHost({
    store,
    archives: { stores: { file: archives }, trusted },
    authority: authorityOf(process),
    onFault: (error) => {
      throw error;
    },
  });

const revoke = async (room: Room, process: string): Promise<void> =>
  room.set(`\0signer-revoked/${keyOf(process)}`, await mandate('signer-revoked', ROOT, process));

const authorsOf = async (room: Room): Promise<string[]> => {
  const authors: string[] = [];
  for await (const { author } of room.history()) authors.push(author);
  return authors;
};

async function run(host: Host, command: string, payload: object, room_id = 'room'): Promise<Record<string, unknown>> {
  const { events } = await host.submit({ room_id, command: { [command]: payload } });
  return { ...Object.values(events[0]!)[0] };
}

describe('a host whose processes have keys of their own', () => {
  it('[MA4] begins rooms alike in every process, and writes in each with its own key behind its certificate', async () => {
    const store = memoryStore();
    const [one, two] = [processOn(store, 'one'), processOn(store, 'two')];
    const unwritten = [(await one.room('never')).genesis.id, (await two.room('never')).genesis.id];
    expect(unwritten[0]).toBe(unwritten[1]);
    const room = await one.room('room');
    await room.set('a', 1);
    await room.set('a', 2);
    const founder = defaultCrypto.signer(await store.authoritySeed()).publicKey;
    expect(room.constitution.authorities).toEqual([keyOf(ROOT)]);
    expect(await authorsOf(room)).toEqual([founder, keyOf('one'), keyOf('one'), keyOf('one')]);
    const again = await two.room('room');
    await again.set('\0policy', { default: 'deny', rules: [] });
    expect((await authorsOf(again)).slice(4)).toEqual([keyOf('two'), keyOf('two')]);
    const replica = await join(again);
    expect([replica.stateHash, replica.get('a')]).toEqual([again.stateHash, 2]);
    replica.set('b', 1);
    expect(await push(replica, again)).toMatchObject([{ reason: 'policy-denied' }]);
    expect(again.mayWrite(keyOf('one'), 'b')).toMatchObject({ allowed: true, by: 'authority' });
  });

  it('[MA4] speaks in rooms that are older than its roots by a certificate of the key that began them', async () => {
    const store = memoryStore();
    const before = createHost({ store });
    await (await before.room('room')).set('a', 1);
    const host = processOn(store, 'one');
    const room = await host.room('room');
    await room.set('a', 2);
    expect((await join(room)).get('a')).toBe(2);
    expect((await authorsOf(room)).slice(-1)).toEqual([keyOf('one')]);
  });

  it('[MA4] writes nothing where no root has certified its key, and reads and takes what it may', async () => {
    const store = memoryStore();
    const room = await processOn(store, 'one').room('room');
    await room.set('a', 1);
    const authority = async (founder: Signer): Promise<Authority> => ({
      ...(await authorityOf('two')(founder)),
      speakerIn: () => undefined,
    });
    const other = await createHost({ store, authority }).room('room');
    await expect(other.set('a', 2)).rejects.toMatchObject({ reason: 'authority-missing' });
    const replica = await join(other);
    replica.set('a', 3);
    expect(await push(replica, other)).toEqual([]);
    expect(other.get('a')).toBe(3);
  });

  it('[MA3] has no say where its key is revoked, and what it said before stays', async () => {
    const store = memoryStore();
    const room = await processOn(store, 'one').room('room');
    await room.set('\0policy', { default: 'deny', rules: [] });
    const next = await processOn(store, 'two').room('room');
    await revoke(next, 'one');
    await room.look();
    await expect(room.set('a', 1)).rejects.toMatchObject({ reason: 'authority-revoked' });
    await next.set('a', 2);
    const replica = await join(next);
    expect([replica.get('a'), replica.stateHash]).toEqual([2, next.stateHash]);
    replica.set('b', 1);
    expect(await push(replica, next)).toMatchObject([{ reason: 'policy-denied' }]);
    const opened = await processOn(store, 'three').room('room');
    expect([opened.stateHash, opened.mayWrite(keyOf('one'), 'a').allowed]).toEqual([next.stateHash, false]);
  });

  it('[MA5] [PK12] vouches for headers with its certificate, which who joins takes, and for nothing when it is revoked', async () => {
    const store = memoryStore();
    const room = await processOn(store, 'one').room('room');
    const ann = await join(room);
    ann.set('hidden', 1);
    ann.set('seen', 1);
    await push(ann, room);
    const sightOf = (of: Room) => of.packed.sight({ subscribed: new Globs(['seen']), readable: undefined })!;
    const pack = (await room.packed.read(0, room.seq, { sight: sightOf(room) }))!;
    expect(openPack(pack).attestation?.certificate).toHaveLength(176);
    const fresh = (): ReturnType<typeof join> => createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    const partial = await fresh();
    expect((await partial.receive(pack)).refused).toEqual([]);
    expect([partial.withheld, partial.get('seen')]).toEqual([1, 1]);
    const next = await processOn(store, 'two').room('room');
    await revoke(next, 'one');
    const late = await fresh();
    await pull(late, next);
    ann.set('hidden', 2);
    await push(ann, next);
    await room.look();
    const from = room.seq - 1;
    await expect(room.packed.read(from, room.seq, { sight: sightOf(room) })).rejects.toMatchObject({
      reason: 'authority-revoked',
    });
    // Whoever has stolen it signs all the same.
    const good = (await next.packed.read(from, room.seq, { sight: sightOf(next) }))!;
    const { table } = openPack(good);
    const thief = { ...signerOf('one'), certificate: await mandate('signer', ROOT, 'one') };
    const attestation = await giveWord(headersMessage(table, [...table.withheld.keys()], table.withheld), thief);
    const stolen = encodePack({ ...decodePack(good), attestation });
    expect((await late.receive(stolen)).refused).toMatchObject([{ reason: 'unattested' }]);
    expect((await late.receive(good)).refused).toEqual([]);
  });

  it('[MA3] is known by a replica that was kept, also where what comes says nothing of keys', async () => {
    const store = memoryStore();
    const room = await processOn(store, 'one').room('room');
    await room.set('a', 1);
    const keys = generateKeys();
    const kept = (await join(room, keys)).save();
    await room.set('\0policy', { default: 'deny', rules: [] });
    const pack = (await room.packed.read(room.seq - 1, room.seq, {}))!;
    const replica = await createReplica({ saved: kept, keys });
    expect((await replica.receive(pack)).refused).toEqual([]);
    expect(replica.stateHash).toBe(room.stateHash);
    replica.set('b', 1);
    expect(await push(replica, room)).toMatchObject([{ reason: 'policy-denied' }]);
  });

  it('[MA5] signs snapshots that are verified without the log, and only with the certificate of a root', async () => {
    const store = memoryStore();
    const room = await processOn(store, 'one').room('room');
    await room.set('a', 1);
    const { snapshot } = await room.compact();
    const read = await openSnapshot(snapshot);
    expect([read.authority, read.get('a'), read.stateHash]).toEqual([keyOf('one'), 1, room.stateHash]);
    for (const forged of [
      await mandate('signer', 'eve', 'one'),
      await mandate('signer', ROOT, 'two'),
      await mandate('delegate', ROOT, 'one'),
    ]) {
      const bytes = snapshot.slice();
      bytes.set(forged, 98);
      await expect(openSnapshot(bytes)).rejects.toMatchObject({ reason: 'snapshot-unsigned' });
    }
    const again = await processOn(store, 'two').room('room');
    expect([again.get('a'), again.stateHash]).toEqual([1, room.stateHash]);
  });

  it('[MA5] leaves tombstones with its certificate', async () => {
    const store = memoryStore();
    const host = processOn(store, 'one');
    const room = await host.room('gone');
    const { id, roots } = { id: room.genesis.id, roots: new Set(room.constitution.authorities) };
    const other = processOn(store, 'two');
    await (await other.room('room')).set('a', 1);
    await other.withRoom('gone', (gone) => gone.set('a', 1));
    await run(other, 'DeleteRoom', { confirm: 'gone' }, 'gone');
    const tombstone = (await openTombstone((await store.log.remains('gone' as never))!.tombstone))!;
    expect(tombstone).toMatchObject({ authority: keyOf('two'), genesis: id });
    expect([speaksIn(tombstone, roots, id), speaksIn(tombstone, new Set([keyOf('eve')]), id)]).toEqual([true, false]);
  });

  it('[MA3] gives history up, and whoever joins takes the rest on its word', async () => {
    const store = memoryStore();
    const host = processOn(store, 'one');
    await host.withRoom('room', async (room) => {
      for (let i = 0; i < 5; i++) await room.set('a', i);
    });
    await run(host, 'PruneHistory', {});
    const read = async (from: Host): Promise<unknown> =>
      from.withRoom('room', async (room) => {
        const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
        for await (const pack of room.attestedPacks()) expect((await replica.receive(pack)).refused).toEqual([]);
        expect([replica.withheld > 0, replica.stateHash]).toEqual([true, room.stateHash]);
        return replica.get('a');
      });
    expect(await read(host)).toBe(4);
    const next = processOn(store, 'two');
    await next.withRoom('room', (room) => revoke(room, 'one'));
    expect(await read(next)).toBe(4);
  });

  const hostBy = (store: Store, say: (founder: Signer) => Promise<Authority>): Host =>
    createHost({
      store,
      authority: say,
      onFault: (error) => {
        throw error;
      },
    });

  const partsFor = async (founder: Signer) => ({
    roots: [keyOf(ROOT)],
    founder,
    founding: await makeMandate('founder', { key: founder.publicKey }, signerOf(ROOT)),
    signer: [signerOf('one'), signerOf('two')],
  });

  it('[MA7] takes in what roots have said while rooms are open: another key, and that the first one is revoked', async () => {
    const revocations: Uint8Array[] = [];
    const certificates = [await mandate('signer', ROOT, 'one')];
    const host = hostBy(memoryStore(), async (founder) =>
      certifiedAuthority({
        ...(await partsFor(founder)),
        certificates: [...certificates],
        revocations: [...revocations],
      }),
    );
    const room = await host.room('room');
    await room.set('a', 1);
    certificates.push(await mandate('signer', ROOT, 'two'));
    revocations.push(await mandate('signer-revoked', ROOT, 'one'));
    await room.set('a', 2);
    expect((await authorsOf(room)).at(-1)).toBe(keyOf('one'));
    await host.renewAuthority();
    // Said at once, in rooms that are open.
    expect(room.mayWrite(keyOf('one'), 'a').by).toBe('no policy');
    await room.set('a', 3);
    await host.withRoom('later', (later) => later.set('a', 1));
    expect((await authorsOf(room)).at(-1)).toBe(keyOf('two'));
    expect([host.authority?.signers, host.authority?.roots]).toEqual([[keyOf('one'), keyOf('two')], [keyOf(ROOT)]]);
    const replica = await join(room);
    expect([replica.stateHash, replica.get('a')]).toEqual([room.stateHash, 3]);
    await host.close();
  });

  it('[MA7] stays what it was where what it is told next is refused', async () => {
    let isBroken = false;
    const host = hostBy(memoryStore(), async (founder) => {
      if (isBroken) throw new Error('the file is half written');
      return certifiedAuthority({ ...(await partsFor(founder)), certificates: [await mandate('signer', ROOT, 'one')] });
    });
    const room = await host.room('room');
    await room.set('a', 1);
    isBroken = true;
    await expect(host.renewAuthority()).rejects.toThrow('half written');
    await room.set('a', 2);
    expect((await authorsOf(room)).at(-1)).toBe(keyOf('one'));
    await host.close();
  });

  it('[MA7] says why it speaks nowhere, and what to do where its certificate has run out in a room', async () => {
    let silence: string | undefined;
    const certificates = [await makeMandate('signer', { key: keyOf('one'), until: 4 }, signerOf(ROOT))];
    const host = hostBy(memoryStore(), async (founder) =>
      certifiedAuthority({
        ...(await partsFor(founder)),
        certificates: silence === undefined ? certificates : [],
        silence,
      }),
    );
    const room = await host.room('room');
    await room.set('a', 1);
    await room.set('a', 2);
    await expect(room.set('a', 3)).rejects.toMatchObject({
      reason: 'authority-missing',
      message: expect.stringMatching(/counts up to lamport 4, and this room is at 4: certify a new key/) as string,
    });
    certificates.push(await mandate('signer', ROOT, 'two'));
    await host.renewAuthority();
    await room.set('a', 3);
    expect((await authorsOf(room)).at(-1)).toBe(keyOf('two'));
    silence = 'its certificate ended yesterday';
    await host.renewAuthority();
    await expect(room.set('a', 4)).rejects.toMatchObject({ reason: 'authority-missing', message: silence });
    silence = undefined;
    await host.renewAuthority();
    await room.set('a', 4);
    await host.close();
  });

  it('[TP3] begins children that its key speaks in, where who is revoked in the parent is so too', async () => {
    const store = memoryStore();
    const host = processOn(store, 'one');
    const parent = await host.room('room');
    await parent.set('k', 1);
    await processOn(store, 'old').withRoom('room', (room) => room.set('k', 2));
    await parent.look();
    await revoke(parent, 'old');
    const { stateHash, heads } = parent;
    await run(host, 'CreateTopologyChild', {
      child_room_id: 'child',
      child_purpose: 'a test',
      promotion_policy_id: 'promotion-based',
      parent_checkpoint: { canonical_hash: stateHash, frontier: heads.frontier },
    });
    const child = await host.room('child');
    await child.set('k', 3);
    const replica = await join(child);
    expect([replica.get('k'), replica.stateHash]).toEqual([3, child.stateHash]);
    const old = await processOn(store, 'old').room('child');
    await expect(old.set('k', 4)).rejects.toMatchObject({ reason: 'authority-revoked' });
  });

  it('[AR9] brings a room back from an archive with what was said of keys, and is taken in elsewhere for its root', async () => {
    const store = memoryStore();
    const host = processOn(store, 'one');
    await host.withRoom('room', (room) => room.set('\0policy', { default: 'allow', rules: [] }));
    await processOn(store, 'old').withRoom('room', (room) => room.set('a', 2));
    const was = await host.withRoom('room', async (room) => {
      await room.look();
      await revoke(room, 'old');
      return [room.heads, room.stateHash];
    });
    const restore = { archive_ref: 'file://certified.weft', import_mode: 'full_apply' };
    await run(host, 'ExportArchive', { archive_ref: restore.archive_ref });
    const elsewhere = processOn(memoryStore(), 'far');
    await run(elsewhere, 'ImportArchive', restore, 'copy');
    const copy = await elsewhere.room('copy');
    expect([copy.get('a'), (await join(copy)).stateHash]).toEqual([2, copy.stateHash]);
    const stranger = createHost({ store: memoryStore(), archives: { stores: { file: archives } } });
    expect(await run(stranger, 'ImportArchive', restore, 'copy')).toMatchObject({
      reason_class: 'reject.archive_signature_invalid',
    });
    await run(host, 'DeleteRoom', { confirm: 'room' });
    await store.log.unbar('room' as never);
    await run(host, 'ImportArchive', restore);
    const back = await host.room('room');
    expect([back.heads, back.stateHash]).toEqual(was);
    expect(back.mayWrite(keyOf('old'), 'a').by).toBe('default');
  });
});
