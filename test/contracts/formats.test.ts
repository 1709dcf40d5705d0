/**
 * What was stored by the first version of each format opens in this one, and answers what it answered then. Written by
 * `make-format.mjs`, once, and never again.
 */
import { chmod, copyFile, cp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHost, openSnapshot } from '@weft/core';
import { folderArchives, levelStore } from '@weft/core/level';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { told } from './told-rooms.mjs';

const FORMATS = fileURLToPath(new URL('formats/', import.meta.url));
type Told = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const toldBy = async (format: string): Promise<Told> =>
  JSON.parse(await readFile(join(FORMATS, format, 'told.json'), 'utf8')) as Told;

/** A copy of a store, which opening it may change. */
async function copyOf(format: string): Promise<string> {
  const folder = await tempFolder();
  await cp(join(FORMATS, format, 'store'), folder, { recursive: true });
  for (const name of ['server.key', 'format']) await chmod(join(folder, name), 0o600);
  return folder;
}

async function answersIn(folder: string): Promise<Told> {
  const host = createHost({ store: levelStore(folder) });
  const answers = await told(host);
  await host.close();
  return answers;
}

describe.each(['1'])('what format %s has stored', (format) => {
  it('[ST13] opens as it was, twice', async () => {
    const folder = await copyOf(format);
    const answers = await toldBy(format);
    expect(Object.keys(answers)).toEqual(['plans', 'child']);
    expect(await answersIn(folder)).toEqual(answers);
    expect(await answersIn(folder)).toEqual(answers);
  });

  it('[ST13] opens from its log where there is no image, or a damaged one', async () => {
    const folder = await copyOf(format);
    const images = join(folder, 'images');
    const kept = (await readdir(images)).filter((name) => name.endsWith('.image'));
    expect(kept.length).toBeGreaterThan(0);
    for (const name of kept) {
      const bytes = await readFile(join(images, name));
      await writeFile(join(images, name), Buffer.concat([bytes.subarray(0, -1), Buffer.of(bytes.at(-1)! ^ 1)]));
    }
    expect(await answersIn(folder)).toEqual(await toldBy(format));
    await rm(images, { recursive: true });
    expect(await answersIn(folder)).toEqual(await toldBy(format));
  });

  it('[ST13] is restored from its archives', async () => {
    const folder = await tempFolder();
    await copyFile(join(FORMATS, format, 'store', 'server.key'), join(folder, 'server.key'));
    await chmod(join(folder, 'server.key'), 0o600);
    const archives = { stores: { file: folderArchives(join(FORMATS, format)) } };
    const host = createHost({ store: levelStore(folder), archives });
    for (const room_id of ['plans', 'child']) {
      const command = { ImportArchive: { archive_ref: `file://${room_id}.weft`, import_mode: 'full_apply' } };
      const { events } = await host.submit({ room_id, command });
      expect(Object.keys(events[0]!)).toEqual(['ArchiveImported']);
    }
    expect(await told(host)).toEqual(await toldBy(format));
    await host.close();
  });

  it('[ST13] has snapshots that are read', async () => {
    const bytes = await readFile(join(FORMATS, format, 'child.snapshot'));
    const snapshot = await openSnapshot(bytes);
    const { child } = await toldBy(format);
    expect([snapshot.stateHash, snapshot.seq]).toEqual([child!['stateHash'], child!['seq']]);
    bytes[1] = 99;
    await expect(openSnapshot(bytes)).rejects.toThrow('version');
  });

  it('[ST13] is refused by an older version by name, and left as it is', async () => {
    const folder = await copyOf(format);
    await writeFile(join(folder, 'format'), `${Number(format) + 1}\n`);
    const before = (await readdir(join(folder, 'log'))).sort();
    await expect(levelStore(folder).open()).rejects.toMatchObject({
      fault: 'newer-format',
      message: `${folder} was written by a newer Weft (format ${Number(format) + 1}); use that version`,
    });
    expect((await readdir(join(folder, 'log'))).sort()).toEqual(before);
  });
});
