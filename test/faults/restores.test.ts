/** Archives of locked rooms, brought back where strangers sit and wait for what is in them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveStore, type Host, createHost, generateKeys, signProof, signToken } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { memoryArchives } from '@weft/core/memory';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { type Sitter, sitIn } from './child-names.js';
import { LOCK, SECRET, answerOf, expectLocked, lockUp, tellsSecret } from './locked-rooms.js';
import { type Serving, serveHere, transports } from './serving.js';

type Transport = (typeof transports)[number];

const ADMIN = generateKeys();
const SEED = 'c0'.repeat(32);
const ARCHIVE = { archive_ref: 'file://a.weft' };
const INTO = { ...ARCHIVE, import_mode: 'full_apply' };

interface Site extends Serving {
  readonly folder: string;
  readonly ask: (room: string, command: string, payload: object) => Promise<Record<string, unknown>>;
}

/** A server over a folder of its own, with the key of one whose data is lost. */
async function siteOf(
  transport: Transport,
  archives: ArchiveStore,
  { seed = SEED, trusted = [] as string[] } = {},
): Promise<Site> {
  const folder = await tempFolder();
  await writeFile(join(folder, 'server.key'), `${seed}\n`, { mode: 0o600 });
  const options = {
    store: levelStore(folder),
    adminKey: ADMIN.publicKey,
    archives: { stores: { file: archives }, trusted },
  };
  const serving = await serveHere(transport, options);
  await serving.host.ready();
  return { ...serving, folder, ask: (room, command, payload) => answerOf(serving.host, room, command, payload) };
}

/** All that a room says of itself. */
const whatIs = (host: Host, id: string): Promise<object> =>
  host.withRoom(id, async (room) => {
    const { seq, stateHash, heads, facts, constitution, genesis } = room;
    const atFork = (await room.asOf(Math.min(seq, 4))).stateHash;
    return {
      seq,
      stateHash,
      heads,
      atFork,
      lock: facts.lock,
      lineage: constitution.lineage,
      genesis: genesis.id,
      secret: room.get('secret'),
    };
  });

/** What was archived: a locked room, `room`, or its child, `child`, and what is expected of it. */
async function archived(
  transport: Transport,
  room: 'room' | 'child',
): Promise<{ archives: ArchiveStore; was: object; serverKey: string }> {
  const archives = memoryArchives();
  const site = await siteOf(transport, archives);
  await site.host.withRoom('room', lockUp);
  if (room === 'child') {
    const parent_checkpoint = await site.host.withRoom('room', ({ stateHash, heads }) =>
      Promise.resolve({ canonical_hash: stateHash, frontier: heads.frontier }),
    );
    const wanted = { child_room_id: 'child', child_purpose: 'a test', promotion_policy_id: 'promotion-based' };
    await site.ask('room', 'CreateTopologyChild', { ...wanted, parent_checkpoint });
    await site.host.withRoom('child', (child) => child.set('own', 'of the child'));
  }
  await site.ask('room', 'ExportArchive', { archive_ref: 'file://parent.weft' });
  await site.ask(room, 'ExportArchive', ARCHIVE);
  const serverKey = await site.host.withRoom(room, ({ constitution }) => Promise.resolve(constitution.authorities[0]!));
  return { archives, was: await whatIs(site.host, room), serverKey };
}

const begun: Readonly<Record<string, (site: Site, room: string) => Promise<Sitter[]>>> = {
  'nobody was': () => Promise.resolve([]),
  'somebody sits': async ({ url }, room) => [await sitIn(url, room)],
  'two sit': async ({ url }, room) => [await sitIn(url, room), await sitIn(url, room)],
};

async function expectNothingTold(sitters: readonly Sitter[]): Promise<void> {
  for (const { peer } of sitters) expect(await peer.closed).toMatchObject({ code: 1012 });
  expect(tellsSecret(sitters.flatMap(({ heard }) => heard))).toBe(false);
}

describe.each(transports)('over %s', (transport) => {
  describe.each(['room', 'child'] as const)('an archive of a locked %s', (name) => {
    it.each(Object.keys(begun))('[AR9] comes back as it was where %s', async (state) => {
      const { archives, was } = await archived(transport, name);
      const site = await siteOf(transport, archives);
      const sitters = await begun[state]!(site, name);
      const done = await site.ask(name, 'ImportArchive', INTO);
      expect(done).toMatchObject({ room: name, canonical_hash: (was as { stateHash: string }).stateHash });
      await expectNothingTold(sitters);
      expect(await whatIs(site.host, name)).toEqual(was);
      expect(was).toMatchObject({ lock: LOCK.publicKey, secret: SECRET });
      await expectLocked(site.url, name);
      expect(await site.ask(name, 'ImportArchive', INTO)).toMatchObject({ imported_nodes: 0 });
      await site.host.withRoom(name, (room) => room.set('goes', 'on'));
      await site.host.close();
      const again = createHost({ store: levelStore(site.folder) });
      expect(
        await again.withRoom(name, (room) => Promise.resolve([room.facts.lock, room.get('goes'), room.get('secret')])),
      ).toEqual([LOCK.publicKey, 'on', SECRET]);
      await again.close();
    });

    it('[AR9] is brought back by who sits in the room, who is answered, and comes again', async () => {
      const { archives, was } = await archived(transport, name);
      const site = await siteOf(transport, archives);
      const keys = generateKeys();
      const now = Date.now();
      const claims = {
        room: name,
        peer: keys.publicKey,
        expiry: Math.floor(now / 1000) + 3600,
        caps: ['archive.admin'],
      };
      const proof = await signProof({ room: name, aud: site.audience, ts: now }, keys);
      const asker = await sitIn(site.url, name, {
        pubkey: keys.publicKey,
        token: await signToken(claims, ADMIN.seed),
        proof,
      });
      asker.peer.send({ type: 'archive.import', ...INTO });
      expect(await asker.peer.nextOf('archive.import.completed')).toMatchObject({
        canonical_hash: (was as { stateHash: string }).stateHash,
      });
      await expectNothingTold([asker]);
      expect(await whatIs(site.host, name)).toEqual(was);
    });

    it('[AR9] is refused where an application holds the room, and nothing is written', async () => {
      const { archives } = await archived(transport, name);
      const site = await siteOf(transport, archives);
      const [held, sitter] = [await site.host.room(name), await sitIn(site.url, name)];
      await expect(site.ask(name, 'ImportArchive', INTO)).rejects.toThrow('reject.archive_policy_timeline_mismatch');
      expect([held.seq, held.get('secret')]).toEqual([0, undefined]);
      sitter.peer.send(sitter.pack);
      expect(await sitter.peer.nextOf('pack-ack')).toMatchObject({ accepted_count: 1 });
      expect(tellsSecret(sitter.heard)).toBe(false);
    });
  });

  it('[AR9] a room that is open again is locked as it was before anybody hears what came after', async () => {
    const { archives, was } = await archived(transport, 'room');
    const site = await siteOf(transport, archives);
    await site.host.withRoom('room', (room) => room.establish());
    const sitter = await sitIn(site.url, 'room');
    await site.ask('room', 'ImportArchive', INTO);
    await expectNothingTold([sitter]);
    expect(await whatIs(site.host, 'room')).toEqual(was);
    await expectLocked(site.url, 'room');
  });

  it('[AR9] a child whose name another room has by now is not brought back there, and is elsewhere, without its rights', async () => {
    const { archives } = await archived(transport, 'child');
    const site = await siteOf(transport, archives);
    const { peer, pack } = await sitIn(site.url, 'child');
    peer.send(pack);
    await peer.nextOf('pack-ack');
    const stood = await whatIs(site.host, 'child');
    await expect(site.ask('child', 'ImportArchive', INTO)).rejects.toThrow('reject.archive_policy_timeline_mismatch');
    expect(await whatIs(site.host, 'child')).toEqual(stood);
    expect(peer.isOpen).toBe(true);
    await site.ask('elsewhere', 'ImportArchive', INTO);
    expect(await whatIs(site.host, 'elsewhere')).toMatchObject({ secret: SECRET, lock: undefined, lineage: undefined });
  });

  it('[AR9] a server of another key takes over what a child holds, and none of its rights', async () => {
    const { archives, serverKey } = await archived(transport, 'child');
    const site = await siteOf(transport, archives, { seed: 'd1'.repeat(32), trusted: [serverKey] });
    await site.ask('child', 'ImportArchive', INTO);
    expect(await whatIs(site.host, 'child')).toMatchObject({ secret: SECRET, lock: undefined, lineage: undefined });
  });

  it('[AR9] a child that was brought back is its parent’s child, and is merged into it', async () => {
    const { archives } = await archived(transport, 'child');
    const site = await siteOf(transport, archives);
    await site.ask('child', 'ImportArchive', INTO);
    const { ancestors } = await site.ask('child', 'DescribeRoomLineage', {});
    expect(ancestors).toMatchObject([{ parent_room_id: 'room' }]);
    await site.ask('room', 'ImportArchive', { ...INTO, archive_ref: 'file://parent.weft' });
    expect(await site.ask('room', 'ListTopologyChildren', {})).toMatchObject({
      children: [{ child_room_id: 'child' }],
    });
    const child_checkpoint_hash = await site.host.withRoom('child', ({ stateHash }) => Promise.resolve(stateHash));
    const wanted = { child_room_id: 'child', child_checkpoint_hash, payload_ref: 'all', on_conflict: 'merge' };
    const { proposal_id } = await site.ask('room', 'ProposeTopologyPromotion', wanted);
    await site.ask('room', 'ValidateTopologyPromotion', { proposal_id });
    await site.ask('room', 'ApplyTopologyPromotion', { proposal_id });
    expect(await site.host.withRoom('room', (room) => Promise.resolve(room.get('own')))).toBe('of the child');
  });
});
