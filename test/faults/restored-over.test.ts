/**
 * Archives that were made while a room was open, taken into it after something has changed who may know what: by the operator, and by a
 * peer that may. Strangers look on over sockets, and are told no more than before.
 */
import { type Host, createHost, generateKeys, signProof, signToken } from '@weft/core';
import { memoryArchives, memoryStore } from '@weft/core/memory';
import { describe, expect, it } from 'vitest';
import { LOCK, SECRET, answerOf, expectLocked, lockUp, tellsSecret } from './locked-rooms.js';
import { Peer } from './peer.js';
import { serveHere, transports } from './serving.js';

const ADMIN = generateKeys();
const ARCHIVE = { archive_ref: 'file://a.weft' };
const INTO = { ...ARCHIVE, import_mode: 'full_apply' };
const transport = transports[0]!;

interface Site {
  readonly host: Host;
  readonly url: string;
  readonly audience: string;
  readonly ask: (command: string, payload: object) => Promise<Record<string, unknown>>;
}

/** A room with a secret that everybody might know, and its archive. */
async function opened(): Promise<Site> {
  const archives = { stores: { file: memoryArchives() } };
  const serving = await serveHere(transport, { store: memoryStore(), adminKey: ADMIN.publicKey, archives });
  const ask = (command: string, payload: object) => answerOf(serving.host, 'room', command, payload);
  await serving.host.withRoom('room', (room) => room.set('secret', SECRET));
  await ask('ExportArchive', ARCHIVE);
  return { ...serving, ask };
}

const doors: Readonly<Record<string, (site: Site) => Promise<unknown>>> = {
  'the operator': ({ ask }) => ask('ImportArchive', INTO),
  async 'a peer that may'({ url, audience }) {
    const keys = generateKeys();
    const claims = { room: 'room', peer: keys.publicKey, expiry: Math.floor(Date.now() / 1000) + 3600 };
    const token = await signToken({ ...claims, caps: ['archive.admin'] }, ADMIN.seed);
    const peer = await Peer.dial(url, 'room');
    await peer.join({ pubkey: keys.publicKey, token, proof: await signProof({ room: 'room', aud: audience }, keys) });
    peer.send({ type: 'archive.import', ...INTO });
    let answer = await peer.next();
    while (!/^archive\.import\.|^error$/.test(answer.type)) answer = await peer.next();
    peer.socket.close();
    return answer;
  },
};

/** Whether somebody who enters the room is told the secret. */
async function isTold({ url }: Pick<Site, 'url'>): Promise<boolean> {
  const stranger = await Peer.dial(url, 'room');
  const { welcome, packs } = await stranger.join();
  stranger.socket.close();
  return tellsSecret([welcome, ...packs]);
}

describe.each(Object.keys(doors))('an archive that %s takes in', (door) => {
  const restore = (site: Site) => doors[door]!(site).catch((error: unknown) => error);

  it('[AR6] [AR9] leaves a room locked that was open when it was made', async () => {
    const site = await opened();
    expect(await isTold(site)).toBe(true);
    await site.host.withRoom('room', lockUp);
    await restore(site);
    expect(await site.host.withRoom('room', async (room) => room.facts.lock)).toBe(LOCK.publicKey);
    await expectLocked(site.url, 'room');
  });

  it('[VE2] [AR6] brings nothing back that was erased since, register or text', async () => {
    const site = await opened();
    await site.host.withRoom('room', (room) => room.edit((edits) => edits.insertText('t', SECRET)));
    await site.ask('ExportArchive', ARCHIVE);
    await site.ask('EraseValue', { key: 'secret' });
    await site.ask('EraseValue', { key: 't' });
    const before = await site.host.withRoom('room', async (room) => room.stateHash);
    await restore(site);
    const after = await site.host.withRoom('room', async (room) => [
      room.get('secret'),
      room.text('t'),
      room.stateHash,
    ]);
    expect(after).toEqual([undefined, '', before]);
    expect(await isTold(site)).toBe(false);
  });

  it('[PN4] [AR6] brings nothing back that was given up', async () => {
    const site = await opened();
    await site.host.withRoom('room', (room) => room.set('secret', 'another'));
    await site.ask('PruneHistory', {});
    await restore(site);
    expect(await isTold(site)).toBe(false);
    expect(await site.host.withRoom('room', async (room) => room.get('secret'))).toBe('another');
  });

  it('[AR9] changes nothing of a room that has a child, nor of the child', async () => {
    const site = await opened();
    const parent_checkpoint = await site.host.withRoom('room', async ({ stateHash, heads }) => ({
      canonical_hash: stateHash,
      frontier: heads.frontier,
    }));
    const about = { child_room_id: 'child', child_purpose: 'p', promotion_policy_id: 'promotion-based' };
    await site.ask('CreateTopologyChild', { ...about, parent_checkpoint, lock: LOCK.publicKey });
    await restore(site);
    await expectLocked(site.url, 'child');
  });
});

describe('an archive that the operator takes in', () => {
  it('[DE1] [AR9] is refused while the name is kept for a room that was deleted', async () => {
    const site = await opened();
    await site.host.withRoom('room', lockUp);
    await site.ask('ExportArchive', ARCHIVE);
    await site.ask('DeleteRoom', { confirm: 'room' });
    await expect(site.ask('ImportArchive', INTO)).rejects.toThrow();
    const stranger = await Peer.dial(site.url, 'room');
    stranger.send({ type: 'hello' });
    expect((await stranger.closed).code).toBe(1008);
    expect(tellsSecret(stranger.frames)).toBe(false);
  });

  it('[QU1] [AR9] is refused where the room is shut, and it stays so', async () => {
    const site = await opened();
    await site.host.quarantine('room', 'a test');
    await expect(site.ask('ImportArchive', INTO)).rejects.toThrow();
    const stranger = await Peer.dial(site.url, 'room');
    stranger.send({ type: 'hello' });
    expect((await stranger.closed).code).toBe(1011);
    expect(tellsSecret(stranger.frames)).toBe(false);
  });

  it('[LM8] [AR6] is refused where it has no space, and a lock that came meanwhile holds', async () => {
    const archives = { stores: { file: memoryArchives() } };
    const first = createHost({ store: memoryStore(), archives });
    await first.withRoom('big', (room) => room.set('secret', SECRET + 'x'.repeat(200_000)));
    await answerOf(first, 'big', 'ExportArchive', ARCHIVE);
    const trusted = [await first.withRoom('big', async ({ constitution }) => constitution.authorities[0]!)];
    const limits = { roomBytes: 100_000 };
    const full = await serveHere(transport, { store: memoryStore(), archives: { ...archives, trusted }, limits });
    await full.host.withRoom('room', (room) => room.set('own', 1));
    await full.host.withRoom('room', lockUp);
    const { seq } = await full.host.room('room');
    await expect(answerOf(full.host, 'room', 'ImportArchive', INTO)).rejects.toThrow();
    expect((await full.host.room('room')).seq).toBe(seq);
    await expectLocked(full.url, 'room');
    await first.close();
  });
});
