/** A room that moves from one server to another as a file. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobRef, type RoomClient, connectRoom, generateKeys, keysFromSeed, signToken } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/weft-process.js';

const URL_LINE = /^ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>$/;
const seedIn = async (folder: string, name: string) =>
  keysFromSeed((await readFile(join(folder, name), 'utf8')).trim());

async function serve(store: string, ...args: string[]): Promise<string> {
  const weft = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', store, ...args]);
  const [, address = ''] = await weft.line(URL_LINE);
  return address;
}

async function enter(address: string, room: string, store: string): Promise<RoomClient> {
  const keys = generateKeys();
  const expiry = Math.floor(Date.now() / 1000) + 60;
  const claims = { room, peer: keys.publicKey, expiry, caps: ['archive.read', 'archive.admin'] };
  const token = await signToken(claims, (await seedIn(store, 'admin.key')).seed);
  const socket = new WebSocket(`ws://${address}/ws/${room}`);
  const client = await connectRoom({ socket, keys, token, room, audience: address });
  onTestFinished(() => client.close());
  return client;
}

it('[AR6] a room is written by one server and read by another that trusts it', async () => {
  const folder = await tempFolder();
  const [one, other, root] = ['one', 'other', 'archives'].map((name) => join(folder, name)) as [string, string, string];
  const here = await enter(await serve(one, '--archive-root', root), 'plans', one);
  here.replica.text('body').insert(0, 'First, a road map');
  here.replica.setBlob('logo', await here.putBlob(Buffer.from('a logo')));
  await here.push();
  const archive_ref = `file://${join(root, 'plans.weft')}`;
  const made = await here.request({ type: 'archive.export', room: 'plans', source_room: 'plans', archive_ref });
  expect(made).toMatchObject({ type: 'archive.export.result', source_room: 'plans' });

  const into = { type: 'archive.import', room: 'copy', archive_ref: 'file://plans.weft', import_mode: 'full_apply' };
  const stranger = await enter(
    await serve(join(folder, 'third'), '--archive-root', root),
    'copy',
    join(folder, 'third'),
  );
  expect(await stranger.request(into)).toMatchObject({ reason_class: 'reject.archive_signature_invalid' });

  const { publicKey } = await seedIn(one, 'server.key');
  const there = await enter(await serve(other, '--archive-root', root, '--archive-trust', publicKey), 'copy', other);
  expect(await there.request(into)).toMatchObject({ type: 'archive.import.completed', imported_blobs: 1 });
  await expect.poll(() => there.replica.text('body').toString()).toBe('First, a road map');
  const logo = there.replica.get('logo');
  const bytes = logo instanceof BlobRef ? await there.getBlob(logo.hash) : undefined;
  expect(Buffer.from(bytes ?? []).toString()).toBe('a logo');
});
