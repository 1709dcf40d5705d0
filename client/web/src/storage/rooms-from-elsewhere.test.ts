/** Rooms that are no plain ones, kept on a device: whose keys a root certifies, that came out of an archive, or that are forks of others. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Authority,
  type Host,
  certifiedAuthority,
  createHost,
  defaultCrypto,
  fromHex,
  generateKeys,
  makeMandate,
} from '@weft/core';
import { memoryArchives, memoryStore } from '@weft/core/memory';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { World } from '../testing/pages.js';
import { folder } from './folder.js';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'weft-elsewhere-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const signerOf = () => defaultCrypto.signer(fromHex(generateKeys().seed));
const root = signerOf();
const onFault = (error: unknown): never => {
  throw error;
};

/** A host that signs with a key which a root has certified, another one in each process. */
function certifiedHost(store = memoryStore()): Host {
  const signer = signerOf();
  const authority = async (founder: typeof root): Promise<Authority> =>
    certifiedAuthority({
      roots: [root.publicKey],
      founder,
      founding: await makeMandate('founder', { key: founder.publicKey }, root),
      signer,
      certificates: [await makeMandate('signer', { key: signer.publicKey }, root)],
    });
  return createHost({ store, authority, onFault });
}

async function ask(host: Host, room_id: string, command: Record<string, object>): Promise<void> {
  const { events } = await host.submit({ room_id, command });
  expect(events[0]).not.toHaveProperty(`${Object.keys(events[0]!)[0]}.reason_message`);
}

async function written(host: Host, name: string): Promise<void> {
  const room = await host.room(name);
  await room.set('title', 'from elsewhere');
  await room.edit((edits) => edits.insertText('body', 'was here; '));
}

/** Hosts of a room called `room`, as it came to be. */
const made: Readonly<Record<string, () => Promise<Host>>> = {
  'under a root that certifies keys': async () => {
    const host = certifiedHost();
    await written(host, 'room');
    return host;
  },
  'imported from an archive of another host': async () => {
    const file = memoryArchives();
    const archives = { stores: { file } };
    const other = createHost({ store: memoryStore(), archives });
    onTestFinished(() => other.close());
    await written(other, 'room');
    await ask(other, 'room', { ExportArchive: { room: 'room', archive_ref: 'file://room.weft' } });
    const trusted = (await other.room('room')).constitution.authorities;
    const host = createHost({ store: memoryStore(), archives: { ...archives, trusted }, onFault });
    await ask(host, 'room', {
      ImportArchive: { room: 'room', archive_ref: 'file://room.weft', import_mode: 'full_apply' },
    });
    return host;
  },
  'forked from another': async () => {
    const host = createHost({ store: memoryStore(), onFault });
    await written(host, 'parent');
    const { stateHash, heads } = await host.room('parent');
    await ask(host, 'parent', {
      CreateTopologyChild: {
        child_room_id: 'room',
        child_purpose: 'to be kept',
        promotion_policy_id: 'promotion-based',
        parent_checkpoint: { canonical_hash: stateHash, frontier: heads.frontier },
      },
    });
    return host;
  },
};

it.each(Object.keys(made))('a room %s is kept, written offline, and goes on where it was', async (kind) => {
  const host = await made[kind]!();
  const world = new World(host);
  onTestFinished(() => world.end());
  const warned = vi.spyOn(console, 'warn');
  onTestFinished(() => warned.mockRestore());
  const first = world.open(folder(home));
  await first.joined;
  expect([first.get('title'), first.textOf('body')]).toEqual(['from elsewhere', 'was here; ']);
  first.text('body').insert(10, 'online; ');
  await first.sent();
  const room = await host.room('room');
  await room.set('title', 'from the host'); // signed by it while the page is there
  await expect.poll(() => first.get('title')).toBe('from the host');
  world.cut();
  first.text('body').insert(18, 'offline');
  await first.close();

  const again = world.open(folder(home));
  await again.ready;
  expect([again.get('title'), again.textOf('body')]).toEqual(['from the host', 'was here; online; offline']);
  expect(again.status).toMatchObject({ storage: 'kept', refused: 0 });
  await room.set('title', 'meanwhile');
  again.set('own', 1);
  world.isOnline = true;
  await again.sent();
  await expect.poll(() => again.get('title')).toBe('meanwhile');
  expect([room.text('body'), room.get('own')]).toEqual(['was here; online; offline', 1]);
  expect(room.forks).toEqual([]);
  expect(await again.replica.hashed()).toBe(room.stateHash);
  expect(warned).not.toHaveBeenCalled();
});

it('a page that comes again takes what another process has signed, which the root has certified meanwhile', async () => {
  const store = memoryStore();
  const world = new World(certifiedHost(store));
  const first = world.open(folder(home));
  await first.joined;
  first.set('title', 'one');
  await first.sent();
  await first.close();
  await world.end();

  const next = new World(certifiedHost(store));
  onTestFinished(() => next.end());
  const room = await next.host.room('room');
  await room.set('by', 'another process');
  const again = next.open(folder(home));
  await again.ready;
  expect(again.get('title')).toBe('one');
  await again.joined;
  expect(again.get('by')).toBe('another process');
  expect(room.constitution.authorities).not.toContain(again.replica.why('by')?.author);
  again.set('title', 'two');
  await again.sent();
  expect(room.get('title')).toBe('two');
});
