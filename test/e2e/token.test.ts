/** Rights as an operator gives them: the server's admin key, `weft token`, and a room that stays locked. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KeyPair, connectRoom, generateKeys, keysFromSeed, signProof, signToken } from '@weft/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { WeftRun } from '../support/programs/weft-run.js';

const URL_LINE = /^ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>$/;

async function serve(folder: string): Promise<{ weft: WeftProcess; address: string }> {
  const weft = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', folder]);
  const [, address = ''] = await weft.line(URL_LINE);
  return { weft, address };
}

async function tokenFor(peer: string, folder: string, ...args: string[]): Promise<unknown> {
  const key = join(folder, 'admin.key');
  const weft = new WeftRun(['token', '--room', 'lobby', '--peer', peer, '--admin-key', key, ...args]);
  const [line] = await weft.line(/^\{.*\}$/);
  return JSON.parse(line);
}

/** Says hello and one thing more; answers the frames up to one of that type, or to an error. */
async function say(address: string, keys: KeyPair, token: unknown, frame: object, until: string): Promise<unknown> {
  const socket = new WebSocket(`ws://${address}/ws/lobby`);
  onTestFinished(() => socket.close());
  await new Promise((resolve) => socket.once('open', resolve));
  const proof = await signProof({ room: 'lobby', aud: address }, keys);
  const answer = new Promise((resolve) => {
    socket.on('message', (data) => {
      const got: { type: string } = JSON.parse(String(data));
      if (got.type === until || got.type === 'error') resolve(got);
    });
  });
  socket.send(JSON.stringify({ type: 'hello', pubkey: keys.publicKey, token, proof }));
  socket.send(JSON.stringify(frame));
  return answer;
}

describe('weft token', () => {
  it('gives an administrator what it says, and the room stays locked whatever happens to the server', async () => {
    const folder = join(await tempFolder(), 'data');
    const first = await serve(folder);
    expect((await stat(join(folder, 'admin.key'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, 'admin.key'))).not.toEqual(await readFile(join(folder, 'server.key')));
    const [admin, room] = [generateKeys(), generateKeys()];
    const lock = { type: 'set-room-key', pubkey: room.publicKey };
    const powerless = await tokenFor(admin.publicKey, folder);
    expect(await say(first.address, admin, powerless, lock, 'room-locked')).toMatchObject({
      msg: 'reject.control_plane_forbidden: command=set-room-key requires=room.admin',
    });
    const token = await tokenFor(admin.publicKey, folder, '--caps', 'room.admin,policy.admin', '--ttl', '10m');
    expect(await say(first.address, admin, token, lock, 'room-locked')).toMatchObject({ type: 'room-locked' });
    await first.weft.kill('SIGKILL');

    const { address, weft } = await serve(folder);
    const guest = generateKeys();
    const enter = (rights: object) =>
      connectRoom({ socket: new WebSocket(`ws://${address}/ws/lobby`), keys: guest, ...rights });
    await expect(enter({})).rejects.toThrow('auth: room locked');
    const expiry = Math.floor(Date.now() / 1000) + 60;
    const invitation = await signToken({ room: 'lobby', peer: guest.publicKey, expiry, caps: [] }, room.seed);
    await expect(enter({ token: invitation })).rejects.toThrow('auth: missing proof');
    const client = await enter({ token: invitation, audience: address, room: 'lobby' });
    expect(client.replica.room).toMatch(/^[0-9a-f]{64}$/);
    client.close();
    await weft.kill('SIGTERM');
  });

  it('finds the key as the server does: by the folder of a variable, of the file of options, or by its own name', async () => {
    const folder = join(await tempFolder(), 'data');
    await (await serve(folder)).weft.kill('SIGTERM');
    const config = join(folder, 'weft.json');
    await writeFile(config, JSON.stringify({ store: folder }));
    const peer = generateKeys().publicKey;
    const args = ['token', '--room', 'lobby', '--peer', peer];
    for (const [more, env] of [
      [[], { WEFT_STORE: folder }],
      [[], { WEFT_ADMIN_KEY: join(folder, 'admin.key'), WEFT_TOKEN: 'of a studio' }],
      [[], { WEFT_CONFIG: config }],
      [['--store', folder], { WEFT_STORE: '/nowhere' }],
    ] as const) {
      const weft = new WeftRun([...args, ...more], { env });
      expect(await weft.ended, weft.err.join()).toBe(0);
    }
    const lost = new WeftRun(args, { env: { WEFT_STORE: '/nowhere' } });
    expect(await lost.ended).toBe(2);
    expect(lost.err.join()).toContain('/nowhere/admin.key');
  });

  it('says what is wrong with what it was given', async () => {
    const peer = generateKeys().publicKey;
    for (const [args, message] of [
      [['--peer', peer], '--room must be the id of a room'],
      [['--room', 'a', '--peer', 'x'], '--peer must be 64 hex characters'],
      [['--room', 'a', '--peer', peer, '--ttl', 'soon'], '--ttl takes a number with s, m, h or d: 1h'],
      [['--room', 'a', '--peer', peer, '--caps', 'a b'], '--caps: "a b" must be printable ASCII without spaces'],
      [['--room', 'a', '--peer', peer, '--admin-key', '/nowhere'], 'cannot read the key file /nowhere'],
    ] as const) {
      const weft = new WeftRun(['token', ...args]);
      expect(await weft.ended).toBe(2);
      expect(weft.err.join('\n')).toContain(message);
    }
    expect(keysFromSeed('11'.repeat(32)).publicKey).toMatch(/^[0-9a-f]{64}$/);
  });
});
