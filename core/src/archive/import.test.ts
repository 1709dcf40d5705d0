import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { richText } from '../client/marks/rich-text.js';
import type { Replica } from '../client/replica/replica.js';
import type { RoomClient } from '../client/room-client.js';
import type { Host } from '../engine.js';
import { connectRoom, generateKeys } from '../peer.js';
import { systemClock } from '../ports/clock.js';
import { signSnapshot, snapshotBody } from '../room/keeping/snapshot.js';
import type { Room } from '../room/room.js';
import { policyFact } from '../room/state/facts.js';
import type { Rejection } from '../rejection.js';
import { altered } from '../testing/altered.js';
import {
  type Site,
  bytesOf,
  join,
  once,
  push,
  serverKeyOf,
  siteOf,
  valuesOf,
  writeRoom,
} from '../testing/archive-sites.js';
import { inProcessSocket } from '../testing/in-process-socket.js';
import { testPeer } from '../testing/test-peer.js';
import { Rebuilt } from './rebuild.js';
import { RoomSource } from './room-source.js';

/** A value of a million bytes: one in three does not deflate, so that pieces are great on the wire and few bytes take long. */
const someRandom = (i: number): Uint8Array =>
  i % 3 === 0 ? new Uint8Array(randomBytes(1_000_000)) : new Uint8Array(1_000_000);

const FILE = 'file://a.weft';
const INTO = { archive_ref: FILE, import_mode: 'full_apply' };

/** Joins as somebody who sees one key. */
const joinPart = (host: Host): Promise<RoomClient> =>
  connectRoom({ socket: inProcessSocket(host, 'target'), keys: generateKeys(), subscribe: ['k'] });

async function rebuiltOf({ store }: Site, room: Room): Promise<Rebuilt> {
  const source = await RoomSource.of({ room, blobs: store.blobs, clock: systemClock, by: 'x' });
  return Rebuilt.of(source, defaultCrypto);
}

describe('an import', () => {
  it('[AR6] among writes is relayed so that everybody takes it as it comes', async () => {
    const site = siteOf();
    const { room } = await writeRoom(site, 'plans');
    const target = await site.host.room('target');
    const there = await join(target);
    const relayed: Uint8Array[] = [];
    target.onCommit(({ parts }) => relayed.push(...parts.map(({ pack }) => pack)));
    const rebuilt = await rebuiltOf(site, room);
    const before = [...rebuilt.geneses].map((id) => ({ key: `\0adopted/${id}`, value: 1 }));
    await Promise.all([
      target.set('before', 1),
      target.restore(rebuilt.pack, { geneses: rebuilt.geneses, isOwn: false }, () => ({ before, behind: [] })),
      target.set('after', 1),
    ]);
    for (const pack of relayed) expect((await there.receive(pack)).refused).toEqual([]);
    expect(there.stateHash).toBe(target.stateHash);
    expect([there.get('before'), there.get('after'), there.get('k')]).toEqual([1, 1, 2]);
  });

  it('[AR6] is seen by those who see a part of the room, and goes on in its children', async () => {
    const site = siteOf();
    const { room } = await writeRoom(site, 'plans');
    const elsewhere = siteOf(site.archives, undefined, [await serverKeyOf(site)]);
    await site.done('plans', 'ExportArchive', { archive_ref: FILE });
    const target = await elsewhere.host.room('target');
    const there = await joinPart(elsewhere.host);
    await elsewhere.done('target', 'ImportArchive', INTO);
    const comes = await joinPart(elsewhere.host);
    for (const client of [there, comes]) {
      await vi.waitUntil(() => client.replica.get('k') === 2);
      expect(client.replica.text('t').toString()).toBe('');
      client.close();
    }
    const parent_checkpoint = { canonical_hash: target.stateHash, frontier: target.heads.frontier };
    const wanted = { child_room_id: 'child', child_purpose: 'p', promotion_policy_id: 'promotion-based' };
    await elsewhere.done('target', 'CreateTopologyChild', { ...wanted, parent_checkpoint });
    const child = await elsewhere.host.room('child');
    expect((await join(child)).stateHash).toBe(child.stateHash);
    expect(valuesOf(child)).toEqual(valuesOf(room));
  });

  it('[AR6] brings back, under another name, a room that is shut for good', async () => {
    const site = siteOf();
    const { room } = await writeRoom(site, 'plans');
    const values = valuesOf(room);
    await site.done('plans', 'ExportArchive', { archive_ref: FILE });
    await site.host.quarantine(room.id, 'it is damaged');
    await site.done('again', 'ImportArchive', INTO);
    expect(valuesOf(await site.host.room('again'))).toEqual(values);
  });

  it('[AR6] is refused when the room gets a policy while it is read', async () => {
    const site = siteOf();
    await writeRoom(site, 'plans');
    await site.done('plans', 'ExportArchive', { archive_ref: FILE });
    const bytes = await bytesOf(site.archives, 'a.weft');
    const target = await site.host.room('target');
    const policy = policyFact({ default: 'allow', rules: [] }, 'x');
    let isSet = false;
    const file = {
      size: bytes.length,
      async *read(from: number, to: number) {
        if (from > 0 && from < 100 && !isSet) {
          isSet = true;
          await target.transact(() => ({ writes: [policy], result: undefined }));
        }
        yield bytes.subarray(from, to);
      },
      close: () => Promise.resolve(),
    };
    site.archives.open = () => Promise.resolve(file);
    expect(await site.refusal('target', 'ImportArchive', INTO)).toBe('reject.archive_policy_timeline_mismatch');
    expect([isSet, valuesOf(target)]).toEqual([true, []]);
  });

  it('[AR6] of much goes into the log, and to peers, in pieces that each fit a frame', async () => {
    const site = siteOf();
    const room = await site.host.room('plans');
    for (let i = 0; i < 12; i++) await room.set(`k${i}`, someRandom(i));
    const target = await site.host.room('target');
    await target.set('own', 1);
    const before = target.seq;
    const peer = testPeer(site.host, 'target');
    peer.send({ type: 'hello' });
    await peer.nextOf('pack');
    await site.done('target', 'ImportArchive', { ...INTO, archive_ref: 'room://plans' });
    const counts: number[] = [];
    for await (const { seq, count } of site.store.log.read(target.id, before)) if (seq >= before) counts.push(count);
    expect(counts.length).toBeGreaterThan(5);
    expect(counts.reduce((sum, count) => sum + count, before)).toBe(target.seq);
    for (let sent = 0; sent < counts.length; sent++)
      expect(String((await peer.nextOf('pack'))['nodes']).length).toBeLessThan(4_000_000);
    const replica = await join(target);
    expect(replica.stateHash).toBe(target.stateHash);
    const reopened = await siteOf(site.archives, site.store).host.room('target');
    expect([...reopened.packs()].length).toBe([...target.packs()].length);
    expect((await join(reopened)).stateHash).toBe(target.stateHash);
  });

  it.each<[string, (ann: Replica) => unknown]>([
    ['it has more values', (ann) => ann.set('z', 'more')],
    ['it has another blob under "logo"', (ann) => ann.delete('logo')],
    ['it has another register under "k"', (ann) => [ann.delete('k'), ann.set('k2', 2)]],
    ['it has another register under "k"', (ann) => ann.set('k', 'other')],
    ['it has another list under "l"', (ann) => ann.list('l').push('d')],
    ['it has another text under "t"', (ann) => ann.text('t').insert(0, 'not ')],
    ['it has another text under "t"', (ann) => ann.set('m', 'between')],
    ['it has other marks under "t"', (ann) => richText(ann, 't').mark(0, 3, 'bold')],
  ])('[AR4] does not take a snapshot that is not of the nodes: %s', async (why, write) => {
    const site = siteOf();
    const { room, ann } = await writeRoom(site, 'plans');
    const before = await rebuiltOf(site, room);
    write(ann);
    await push(ann, room);
    const { state } = await rebuiltOf(site, room);
    const lie = snapshotBody(state.graph, state.values, { ...before.survey, genesis: room.genesis.pack });
    const snapshot = await signSnapshot(lie, defaultCrypto.signer(await site.store.authoritySeed()));
    const refusal = { reason: 'reject.archive_digest_mismatch', message: expect.stringContaining(why) };
    await expect(before.checkSnapshot(snapshot, defaultCrypto)).rejects.toMatchObject(refusal);
  });

  it('[AR4] does not take a snapshot that has fewer values, other marks of a name, or is of another checkpoint', async () => {
    const site = siteOf();
    const { room, ann } = await writeRoom(site, 'plans');
    const signer = defaultCrypto.signer(await site.store.authoritySeed());
    const refusalOf = async (rebuilt: Rebuilt, of: Rebuilt, change: Partial<Rebuilt['survey']> = {}) => {
      const parts = { ...rebuilt.survey, genesis: room.genesis.pack, ...change };
      const snapshot = await signSnapshot(snapshotBody(of.state.graph, of.state.values, parts), signer);
      const checked = rebuilt.checkSnapshot(snapshot, defaultCrypto);
      return checked.then(
        () => undefined,
        ({ reason, message }: Rejection) => [reason, message],
      );
    };
    const saying = (why: string) => ['reject.archive_digest_mismatch', expect.stringContaining(why) as string];
    const markAs = async (value: unknown): Promise<Rebuilt> => {
      richText(ann, 't').mark(0, 3, 'link', value);
      await push(ann, room);
      return rebuiltOf(site, room);
    };
    const [one, two] = [await markAs('a'), await markAs('b')];
    expect(await refusalOf(one, one)).toBeUndefined();
    expect(await refusalOf(two, one)).toEqual(saying('it has other marks under "t"'));
    const { seq } = two.survey;
    for (const change of [{ stateHash: 'f'.repeat(64) }, { seq: seq - 1 }, { frontier: one.survey.frontier }])
      expect(await refusalOf(two, two, change)).toEqual(saying('it is of another checkpoint'));
    ann.set('z', 'last');
    await push(ann, room);
    const more = await rebuiltOf(site, room);
    expect(await refusalOf(more, two)).toEqual(saying('it has another register under "z"'));
  });

  it('[AR4] that fails for a fault of its host is no fault of the archive', async () => {
    const site = siteOf();
    const { room } = await writeRoom(site, 'plans');
    const source = await RoomSource.of({ room, blobs: site.store.blobs, clock: systemClock, by: 'x' });
    const fault = new Error('no verifier here');
    const verify = () => Promise.reject(fault);
    await expect(Rebuilt.of(source, { ...defaultCrypto, verify })).rejects.toBe(fault);
  });
});

describe('an export', () => {
  it('[AR4] has the same digest of the same nodes, in whatever order they came', async () => {
    const site = siteOf();
    const room = await site.host.room('plans');
    const [ann, bob] = [await join(room), await join(room)];
    ann.set('a', 1);
    bob.set('b', 1);
    const packs = [await ann.seal(), await bob.seal()];
    const again = siteOf(undefined, { ...siteOf().store, authoritySeed: () => site.store.authoritySeed() });
    const other = await again.host.room('plans');
    for (const pack of packs) await room.admit(pack!, { from: 'peer' });
    for (const pack of packs.reverse()) await other.admit(pack!, { from: 'peer' });
    const [one, two] = [await room.surveys.now(), await other.surveys.now()];
    expect(two.nodesDigest).toBe(one.nodesDigest);
    ann.set('c', 1);
    await push(ann, other);
    expect((await other.surveys.now()).nodesDigest).not.toBe(one.nodesDigest);
  });

  it('[AR1] is refused where a blob is gone or cut while it is written, and leaves nothing', async () => {
    for (const change of [undefined, new Uint8Array(3)]) {
      const given = siteOf();
      const get = () => Promise.resolve(change && { size: change.length, bytes: once(change) });
      const blobs = altered(given.store.blobs, { get });
      const site = siteOf(given.archives, { ...given.store, blobs });
      await writeRoom(site, 'plans');
      expect(await site.refusal('plans', 'ExportArchive', { archive_ref: FILE })).toBe(
        'reject.archive_checkpoint_not_found',
      );
      expect(await site.archives.open('a.weft')).toBeUndefined();
    }
  });

  it('[AR1] goes on while the room is written to, and is of the moment at which it began', async () => {
    const site = siteOf();
    const { room } = await writeRoom(site, 'plans');
    const seq = room.seq;
    const source = await RoomSource.of({ room, blobs: site.store.blobs, clock: systemClock, by: 'x' });
    await room.set('meanwhile', 1);
    expect((await Rebuilt.of(source, defaultCrypto)).survey.seq).toBe(seq);
  });
});
