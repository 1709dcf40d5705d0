/** Archives that lie, lead outside, or come round again: refused by their class, and nothing is half done. */
import { mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Host, type Room, createHost } from '@weft/core';
import { folderArchives, levelStore } from '@weft/core/level';
import { type ArchiveChange, alteredArchive } from '@weft/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';

interface Served {
  readonly host: Host;
  readonly root: string;
  readonly room: Room;
}

async function served(): Promise<Served> {
  const folder = await tempFolder();
  const root = join(folder, 'archives');
  const host = createHost({
    store: levelStore(join(folder, 'data')),
    archives: { stores: { file: folderArchives(root) } },
  });
  onTestFinished(() => host.close());
  const room = await host.room('plans');
  await room.set('k', 1);
  return { host, root, room };
}

/** Class of a refusal, or the event of a success. */
async function told({ host }: Served, room_id: string, command: string, payload: object): Promise<unknown> {
  const { events } = await host.submit({ room_id, command: { [command]: payload } });
  const [event, body] = Object.entries(events[0]!)[0]!;
  return body['reason_class'] ?? event;
}

const exported = (all: Served, room = 'plans', name = 'a.weft') =>
  told(all, room, 'ExportArchive', { archive_ref: `file://${name}` });
const imported = (all: Served, room: string, name = 'a.weft') =>
  told(all, room, 'ImportArchive', { archive_ref: `file://${name}`, import_mode: 'full_apply' });

async function alter({ root }: Served, change: ArchiveChange): Promise<void> {
  const path = join(root, 'a.weft');
  await writeFile(path, await alteredArchive(await readFile(path), change));
}

const valuesOf = (room: Room): unknown[] => [...room.resolution()].map(({ key, bytes }) => [key, [...bytes]]);

describe('archives', () => {
  it('fault 35: that were changed are refused, and the room has not changed', async () => {
    const all = await served();
    for (const [change, refusal] of [
      [{ flip: 'nodes/000000.pack' }, 'digest_mismatch'],
      [{ flip: 'snapshot.pack' }, 'digest_mismatch'],
      [{ manifest: { policy_timeline: [], policy_timeline_hash: '0'.repeat(64) } }, 'signature_invalid'],
      [
        { manifest: { entries: [{ name: '../../evil', size: 1, crc32: 0, sha256: '0'.repeat(64) }] } },
        'signature_invalid',
      ],
      [{ cut: 30 }, 'manifest_invalid'],
    ] as const) {
      await exported(all);
      await alter(all, change);
      expect(await imported(all, 'target')).toBe(`reject.archive_${refusal}`);
      expect((await all.host.room('target')).seq).toBe(0);
      await writeFile(join(all.root, 'a.weft'), '');
      expect(await imported(all, 'target')).toBe('reject.archive_manifest_invalid');
      expect(await exported(all), 'what is no archive of the room is not replaced').toBe(
        'reject.archive_manifest_invalid',
      );
      await rm(join(all.root, 'a.weft'));
    }
  });

  it('fault 35: that lead outside of their folder are neither read nor written', async () => {
    const all = await served();
    const outside = join(all.root, '..', 'outside');
    await mkdir(outside);
    await exported(all);
    await writeFile(join(outside, 'a.weft'), await readFile(join(all.root, 'a.weft')));
    await symlink(outside, join(all.root, 'linked'));
    for (const name of ['../outside/a.weft', join(outside, 'a.weft'), 'linked/a.weft', 'x/../../outside/a.weft']) {
      expect(await imported(all, 'target', name), name).toBe('reject.archive_manifest_invalid');
      expect(await exported(all, 'plans', name), name).toBe('reject.archive_manifest_invalid');
    }
    expect(await readdir(outside)).toEqual(['a.weft']);
    expect((await all.host.room('target')).seq).toBe(0);
  });

  it('fault 35: that go round in a circle bring each node once', async () => {
    const all = await served();
    const rooms = ['plans', 'other', 'third'];
    await (await all.host.room('third')).set('own', 3);
    const goRound = async (): Promise<number[]> => {
      for (const [number, from] of rooms.entries()) {
        await exported(all, from, `${from}.weft`);
        expect(await imported(all, rooms[(number + 1) % 3]!, `${from}.weft`)).toBe('ArchiveImported');
        expect(await imported(all, from, `${from}.weft`)).toBe('ArchiveImported');
      }
      return Promise.all(rooms.map(async (name) => (await all.host.room(name)).seq));
    };
    for (let round = 0; round < 2; round++) await goRound();
    expect(await goRound(), 'nothing is new any more').toEqual(await goRound());
    const [plans, other, third] = await Promise.all(rooms.map((name) => all.host.room(name)));
    expect(valuesOf(plans!)).toEqual([
      ['k', [1]],
      ['own', [3]],
    ]);
    for (const room of [other!, third!]) expect(valuesOf(room)).toEqual(valuesOf(plans!));
  });
});
