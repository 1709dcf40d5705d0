/** A room that moves from one server to another as a file, or as an object of a bucket. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobRef, type RoomClient, connectRoom, generateKeys, keysFromSeed, signToken } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { LocalS3, s3Keys } from '../support/servers/local-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun } from '../support/programs/weft-run.js';

const URL_LINE = /^ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>$/;
const seedIn = async (folder: string, name: string) =>
  keysFromSeed((await readFile(join(folder, name), 'utf8')).trim());

const s3Env = { WEFT_ARCHIVE_ACCESS_KEY: s3Keys.accessKey, WEFT_ARCHIVE_SECRET_KEY: s3Keys.secretKey };

async function serve(store: string, ...args: string[]): Promise<string> {
  const weft = new WeftRun(['serve', '--listen', '127.0.0.1:0', '--store', store, ...args], { env: s3Env });
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

it('[AR8] a room is written to a bucket by one server and read from there by another', async () => {
  const folder = await tempFolder();
  const [one, other] = [join(folder, 'one'), join(folder, 'other')];
  const { url } = await LocalS3.start();
  const bucket = ['--archive-store', `s3://blobs/kept?endpoint=${url}`];
  const here = await enter(await serve(one, ...bucket), 'plans', one);
  here.replica.set('title', 'Road map');
  const maps = [randomBytes(5_000_000), randomBytes(5_000_000)]; // together more than a part of an upload
  for (const [number, map] of maps.entries()) here.replica.setBlob(`map ${number}`, await here.putBlob(map));
  await here.push();
  const archive_ref = 'object://blobs/kept/plans.weft';
  const about = { room: 'plans', archive_ref };
  const made = await here.request({ type: 'archive.export', source_room: 'plans', ...about });
  expect(made).toMatchObject({ type: 'archive.export.result', ...about });
  const { manifest_id, checkpoint, payload_digest_set } = made;
  expect(await here.request({ type: 'archive.describe', ...about })).toMatchObject({
    type: 'archive.describe.result',
    manifest_id,
    checkpoint,
    payload_digest_set,
  });
  expect(await here.request({ type: 'archive.validate', mode: 'full_integrity', ...about })).toMatchObject({
    type: 'archive.validate.result',
    accepted: true,
  });

  const { publicKey } = await seedIn(one, 'server.key');
  const there = await enter(await serve(other, ...bucket, '--archive-trust', publicKey), 'copy', other);
  const into = { type: 'archive.import', room: 'copy', import_mode: 'full_apply' };
  for (const [name, reason] of [
    ['blobs/kept/nothing.weft', 'checkpoint_not_found'],
    ['blobs/plans.weft', 'manifest_invalid'],
    ['elsewhere/kept/plans.weft', 'manifest_invalid'],
  ])
    expect(await there.request({ ...into, archive_ref: `object://${name}` })).toMatchObject({
      type: 'archive.import.rejected',
      reason_class: `reject.archive_${reason}`,
    });
  expect(await there.request({ ...into, archive_ref, expected_checkpoint: checkpoint })).toMatchObject({
    type: 'archive.import.completed',
    imported_blobs: 2,
    checkpoint,
  });
  await expect.poll(() => there.replica.get('title')).toBe('Road map');
  for (const [number, map] of maps.entries()) {
    const named = there.replica.get(`map ${number}`);
    const bytes = named instanceof BlobRef ? await there.getBlob(named.hash) : undefined;
    expect(map.equals(bytes ?? new Uint8Array())).toBe(true);
  }
});
