/** The Python client against real servers, beside peers of the TypeScript client. */
import { type KeyPair, type RoomId, createHost, generateKeys, keepRoom, richText, signToken } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { startServer } from '@weft/server';
import { cp, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import WebSocket, { WebSocketServer } from 'ws';
import { CutLink } from '../support/servers/cut-link.js';
import { tempFolder } from '../support/temp-folder.js';
import { PythonPeer } from './python-peer.js';

async function serve(folder: string, listen = '127.0.0.1:0', adminKey?: string, publicHosts = ['127.0.0.1']) {
  const options = adminKey === undefined ? {} : { adminKey };
  const host = createHost({ onFault: () => undefined, store: levelStore(folder), ...options });
  const server = await startServer({ host, listen, publicHosts });
  let isOpen = true;
  const stop = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await server.close();
    await host.close();
  };
  onTestFinished(stop);
  const address = `127.0.0.1:${server.address.port}`;
  return { host, stop, address, url: `ws://${address}/ws/room` };
}

function keep(url: string, keys: KeyPair = generateKeys()) {
  const client = keepRoom({ open: () => new WebSocket(url), keys, retry: { firstMs: 20, mostMs: 100 } });
  onTestFinished(() => client.close());
  return client;
}

const state = (peer: PythonPeer) => peer.state();

describe('the Python client', () => {
  it('[SH1] and a TypeScript peer edit registers, texts and lists at once, through a restart of the server', async () => {
    const folder = await tempFolder();
    let server = await serve(folder);
    const typescript = keep(server.url);
    await typescript.joined;
    const python = new PythonPeer();
    await python.do('open', server.url, generateKeys().seed, {});
    const { replica } = typescript;
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 10; i++) {
        replica.set(`shared`, `ts ${round}.${i}`);
        replica.text('t').insert(0, `<${round}${i}𝄞`);
        replica.list('l').insert(0, { ts: i });
        await Promise.all([
          python.do('set', 'shared', [round, i, 1.5, null]),
          python.do('text', 't', 'append', `é${i}😀>`),
          python.do('list', 'l', 'append', round * 10 + i, 'x'),
          python.do('map', 'm', `k${i}`, round),
        ]);
        if (i % 3 === 2) {
          await python.do('text', 't', 'delete', i, 2);
          await python.do('text', 't', 'mark', i, 4, 'bold', `py ${i}`, ['before', 'both', 'none'][round]);
          await python.do('text', 't', 'unmark', i + 1, 1, 'bold');
          await python.do('list', 'l', 'move', 0, 2);
          replica.text('t').delete(1, 1);
          const marked = richText(replica, 't');
          marked.mark(0, marked.length, 'bold', round, { expand: i % 2 === 0 ? 'after' : 'none' });
          marked.unmark(marked.toString().indexOf('<'), 1, 'bold');
          replica.list('l').move(1, 0);
        }
      }
      if (round < 2) {
        await server.stop();
        await python.do('text', 't', 'insert', 1, 'offline');
        await python.do('list', 'l', 'delete', 1, 2);
        replica.text('t').insert(2, 'OFFLINE');
        server = await serve(folder, server.address);
      }
    }
    await Promise.all([typescript.push(), python.do('push')]);
    const room = await server.host.room('room');
    await expect.poll(() => replica.stateHash, { timeout: 60_000 }).toBe(room.stateHash);
    await expect.poll(async () => (await state(python)).hash, { timeout: 60_000 }).toBe(room.stateHash);
    expect(await python.do('text', 't', 'read')).toBe(replica.text('t').toString());
    const spans = richText(replica, 't').spans();
    expect(spans.length).toBeGreaterThan(1);
    expect(await python.do('text', 't', 'spans')).toEqual(spans.map(({ text, marks }) => [text, marks]));
    expect(await python.do('list', 'l', 'read')).toEqual(replica.list('l').toArray());
    expect((await state(python)).registers).toMatchObject({ 'm/k9': 2, shared: replica.get('shared') });
  });

  it('[HS10] comes back over as long as a server that many are at has said when it came, and over its own wait otherwise', async () => {
    const link = await CutLink.before(1);
    onTestFinished(() => link.close());
    const { host, address } = await serve(await tempFolder(), '127.0.0.1:0', undefined, [`127.0.0.1:${link.port}`]);
    link.aim(Number(address.split(':')[1]));
    const silent = { send: () => true, close: () => undefined };
    const crowd = Array.from({ length: 2999 }, () => host.connect('room' as RoomId, silent));
    const python = new PythonPeer();
    await python.do('waits');
    await python.do('open', `ws://127.0.0.1:${link.port}/ws/room`, generateKeys().seed, {});
    const comesBack = async (): Promise<unknown> => {
      await python.do('joined');
      const before = (await python.do('waits')) as number[];
      link.cut();
      await expect.poll(async () => ((await python.do('waits')) as number[]).length).toBe(before.length + 1);
      return ((await python.do('waits')) as number[]).at(-1);
    };
    expect([await comesBack(), await comesBack()]).toEqual([1.5, 1.5]);
    await python.do('joined');
    for (const one of crowd) one.closed();
    await comesBack();
    expect(await comesBack()).not.toBe(1.5); // half a second, one, two or four
  });

  it('[MK6] a text whose ranges would say too much is shown without marks here as there', async () => {
    const server = await serve(await tempFolder());
    const typescript = keep(server.url);
    await typescript.joined;
    const python = new PythonPeer();
    await python.do('open', server.url, generateKeys().seed, {});
    const { replica } = typescript;
    const text = richText(replica, 't');
    replica.text('t').insert(0, 'x'.repeat(2200));
    for (let i = 0; i < 1100; i++) text.mark(i, 2 * (1100 - i), `comment/${i}`, true, { expand: 'none' });
    for (const deleted of [0, 700]) {
      replica.text('t').delete(0, deleted);
      await typescript.push();
      await expect.poll(async () => (await state(python)).hash, { timeout: 60_000 }).toBe(replica.stateHash);
      const spans = text.spans().map(({ text: part, marks }) => [part, marks]);
      expect(spans.length > 1).toBe(deleted > 0);
      expect(await python.do('text', 't', 'spans')).toEqual(spans);
    }
  });

  it('[RE2] what was written without a network survives a killed process, and is sent by the next one', async () => {
    const folder = await tempFolder();
    const kept = await tempFolder();
    const { seed } = generateKeys();
    const server = await serve(folder);
    const first = new PythonPeer();
    await first.do('open', server.url, seed, { folder: kept });
    await first.do('set', 'before', 1);
    await first.do('push');
    await server.stop();
    await first.do('text', 't', 'insert', 0, 'written offline');
    await first.do('map', 'm', 'k', 'v');
    await first.kill();

    const second = new PythonPeer();
    await second.do('open', server.url, seed, { folder: kept }); // there is no server: it opens all the same
    expect(await second.do('text', 't', 'read')).toBe('written offline');
    expect(await state(second)).toMatchObject({ connected: false, registers: { before: 1, 'm/k': 'v' } });
    await expect(new PythonPeer().do('open', server.url, seed, { folder: kept })).rejects.toThrow('in use by another');
    await second.do('text', 't', 'append', ', and on');
    const again = await serve(folder, server.address);
    await second.do('push');
    const room = await again.host.room('room');
    expect(room.text('t')).toBe('written offline, and on');
    expect(await state(second)).toMatchObject({ hash: room.stateHash, unsent: 0 });
  });

  it('[RE2] a log that was torn while it was written opens without its last record, and goes on', async () => {
    const kept = await tempFolder();
    const { seed } = generateKeys();
    const server = await serve(await tempFolder());
    const first = new PythonPeer();
    await first.do('open', server.url, seed, { folder: kept });
    await first.do('set', 'a', 1);
    await first.do('push');
    await server.stop();
    await first.do('set', 'b', 2);
    await first.kill();
    const log = await readFile(`${kept}/log`);
    await writeFile(`${kept}/log`, log.subarray(0, -3));
    const second = new PythonPeer();
    await second.do('open', server.url, seed, { folder: kept });
    expect((await state(second)).registers).toEqual({ a: 1 });
    await second.do('set', 'c', 3);
    await second.leave();
    const third = new PythonPeer();
    await third.do('open', server.url, seed, { folder: kept });
    expect((await state(third)).registers).toEqual({ a: 1, c: 3 });
    await third.leave();
    await writeFile(
      `${kept}/log`,
      log.map((byte, at) => (at === 30 ? byte ^ 1 : byte)),
    );
    await expect(new PythonPeer().do('open', server.url, seed, { folder: kept })).rejects.toThrow('is damaged at byte');
  });

  // Without further symbols it goes on under a key, and where these do not decode either, by a walk.
  it.each([
    ['by symbols', 3, 0, 200],
    ['by symbols under a key', 0, 0, 60],
    ['by a walk', 0, 1000, 300],
  ])('[CL3] it finds out %s what a server has lost, and sends its part again', async (_way, asks, walked, count) => {
    const folder = await tempFolder();
    const server = await serve(folder);
    const [typescript, python] = [keep(server.url), new PythonPeer()];
    await typescript.joined;
    await python.do('ways', asks, walked);
    await python.do('open', server.url, generateKeys().seed, {});
    for (let i = 0; i < 5; i++) {
      typescript.replica.set(`ts ${i}`, i);
      await python.do('set', `py ${i}`, i);
    }
    await Promise.all([typescript.push(), python.do('push')]);
    // More heads than are told at the beginning: nobody knows of the others.
    const others = Array.from({ length: 5 }, () => keep(server.url));
    await Promise.all(others.map(({ joined }) => joined));
    await server.host.quarantine('room' as RoomId, 'for a moment');
    for (const [at, { replica }] of others.entries()) replica.set(`other ${at}`, at);
    await server.host.resume('room' as RoomId);
    await Promise.all(others.map((other) => other.push()));
    expect((await server.host.room('room')).heads.frontier).toHaveLength(5);
    for (const other of others) other.close();
    const old = await tempFolder();
    await server.stop();
    await cp(folder, old, { recursive: true });
    const later = await serve(folder, server.address);
    await Promise.all([typescript.joined, python.do('joined')]);
    for (let i = 0; i < count; i++) await python.do('list', 'l', 'append', i);
    typescript.replica.set('late', true);
    await Promise.all([typescript.push(), python.do('push')]);
    await expect.poll(async () => (await state(python)).registers).toMatchObject({ late: true });
    await later.stop();
    const restored = await serve(old, server.address); // as it was: without what came late
    const room = await restored.host.room('room');
    await expect.poll(() => room.list('l').length, { timeout: 60_000 }).toBe(count);
    await expect.poll(() => room.get('late'), { timeout: 60_000 }).toBe(true);
    await expect.poll(() => typescript.replica.stateHash).toBe(room.stateHash);
    await expect.poll(async () => (await state(python)).hash).toBe(room.stateHash);
  });

  it('[RE3] what the policy refuses is given up and told, and what does not stand on it stays', async () => {
    const server = await serve(await tempFolder());
    const python = new PythonPeer();
    await python.do('open', server.url, generateKeys().seed, {});
    await python.do('set', 'before', 1);
    await python.do('push');
    const policy = { default: 'allow', rules: [{ path_glob: 'closed/**', can_write: [] }] };
    await server.host.submit({ room_id: 'room', command: { SetPolicy: { ...policy } } });
    await server.host.quarantine('room' as RoomId, 'for a moment');
    await python.do('text', 't', 'insert', 0, 'kept');
    await python.do('set', 'closed/door', 1);
    await python.do('text', 't', 'append', ' too');
    await python.do('text', 't', 'mark', 2, 4, 'link', 'a', 'none');
    await python.do('set', 'after', 2);
    await server.host.resume('room' as RoomId);
    await expect(python.do('push')).rejects.toThrow('closed/door');
    await python.do('push');
    const found = await server.host.room('room');
    expect([found.text('t'), found.get('after'), found.get('closed/door')]).toEqual(['kept too', 2, undefined]);
    expect(found.spans('t').slice(0, 2)).toEqual([
      { text: 'ke', marks: {} },
      { text: 'pt t', marks: { link: 'a' } },
    ]);
    expect((await state(python)).hash).toBe(found.stateHash);
  });

  it('[SH3] it reads chains that have forked as everybody else does', async () => {
    const server = await serve(await tempFolder());
    const keys = generateKeys();
    const python = new PythonPeer();
    await python.do('open', server.url, generateKeys().seed, {});
    const first = keep(server.url, keys);
    await first.joined;
    first.replica.text('t').insert(0, 'one stem of many letters');
    first.replica.list('l').insert(0, 1, 2, 3, 4);
    await first.push();
    const second = keep(server.url, keys); // a second device with one key
    await second.joined;
    const third = keep(server.url, keys);
    await third.joined;
    for (const [at, { replica }] of [first, second, third].entries()) {
      replica.text('t').insert(4, `<${at} inserts>`);
      replica.text('t').delete(0, at + 1);
      replica.list('l').move(at, 3 - at);
      replica.list('l').insert(at, `of ${at}`);
      replica.text('t').insert(2, 'more');
    }
    await Promise.all([first.push(), second.push(), third.push()]);
    await python.do('text', 't', 'insert', 3, 'P');
    await python.do('list', 'l', 'delete', 0, 2);
    await python.do('push');
    const room = await server.host.room('room');
    await expect.poll(() => first.replica.stateHash).toBe(room.stateHash);
    expect(first.replica.forks.length).toBeGreaterThan(0);
    await expect.poll(async () => (await state(python)).hash).toBe(room.stateHash);
    expect(await python.do('text', 't', 'read')).toBe(room.text('t'));
    expect(await python.do('list', 'l', 'read')).toEqual(room.list('l'));
  });

  it('[CL5] what a server says that cannot be understood ends the connection, and the next one may be better', async () => {
    const welcomes = [
      '{',
      '[]',
      '{"type":"welcome"}',
      '{"type":"welcome","missing":["x"]}',
      '{"type":"welcome","missing":[],"caps":{},"genesis":"!"}',
    ];
    const confused = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(confused, 'listening');
    const { port } = confused.address() as AddressInfo;
    const said = new Promise<void>((resolve) => {
      confused.on('connection', (socket) => {
        const welcome = welcomes.shift() ?? '{}';
        socket.once('message', () => socket.send(welcome));
        if (welcomes.length === 0) socket.once('close', () => resolve());
      });
    });
    const python = new PythonPeer();
    const opened = python.do('open', `ws://127.0.0.1:${port}/ws/room`, generateKeys().seed, {});
    await said;
    for (const socket of confused.clients) socket.terminate();
    await new Promise((resolve) => confused.close(resolve));
    const { host } = await serve(await tempFolder(), `127.0.0.1:${port}`);
    await opened;
    await python.do('set', 'a', 1);
    await python.do('push');
    expect((await host.room('room')).get('a')).toBe(1);
  });

  it('[RE1] a disk that takes nothing more makes a write fail, and nobody who wrote on top of it forks or loses a thing', async () => {
    const kept = await tempFolder();
    const { seed } = generateKeys();
    const folder = await tempFolder();
    const server = await serve(folder);
    const typescript = keep(server.url);
    await typescript.joined;
    const first = new PythonPeer();
    await first.do('open', server.url, seed, { folder: kept });
    await first.do('set', 'a', 1);
    await first.do('push');
    const { size } = await stat(`${kept}/log`);
    await first.do('largest file', size + 50);
    await expect(first.do('set', 'large', 'x'.repeat(20_000))).rejects.toThrow('OSError');
    expect(await state(first)).toMatchObject({ unsent: 0, registers: { a: 1 } });
    typescript.replica.set('other', 'y'.repeat(20_000));
    await expect.poll(async () => Object.keys((await state(first)).registers)).toEqual(['a', 'other']);
    await expect(first.do('set', 'small', 1)).rejects.toThrow('OSError');
    await first.do('largest file', null);
    await first.do('set', 'b', 2);
    await first.do('push');
    const room = await server.host.room('room');
    const all = { a: 1, b: 2, other: 'y'.repeat(20_000) };
    expect(await state(first)).toMatchObject({ hash: room.stateHash, registers: all });
    await server.stop();
    await first.kill();
    const second = new PythonPeer();
    await second.do('open', server.url, seed, { folder: kept });
    expect((await state(second)).registers).toEqual(all);
    await second.do('set', 'c', 3);
    const { host } = await serve(folder, server.address);
    await second.do('push');
    expect((await host.room('room')).forks).toEqual([]);
  });

  it('[RE3] a disk that does not take what replaces a refused edit has it before anything is sent', async () => {
    const kept = await tempFolder();
    const { seed } = generateKeys();
    const folder = await tempFolder();
    const server = await serve(folder);
    const first = new PythonPeer();
    await first.do('waits');
    await first.do('open', server.url, seed, { folder: kept });
    await first.do('set', 'a', 'x'.repeat(1000));
    await first.do('push');
    const rules = [{ path_glob: 'no/**', can_write: [] }];
    await server.host.submit({ room_id: 'room', command: { SetPolicy: { default: 'allow', rules } } });
    await server.host.quarantine('room' as RoomId, 'for a moment');
    await first.do('set', 'no/way', 1);
    await first.do('largest file', 500); // it cannot even be written anew
    await server.host.resume('room' as RoomId);
    await expect(first.do('push')).rejects.toThrow('RefusedEdits');
    await expect(first.do('set', 'b', 1)).rejects.toThrow('OSError');
    await first.do('largest file', null);
    await first.do('set', 'b', 2);
    await first.do('push');
    await server.stop();
    await first.kill();
    const second = new PythonPeer();
    await second.do('open', server.url, seed, { folder: kept });
    expect((await state(second)).registers).toEqual({ a: 'x'.repeat(1000), b: 2 });
    await second.do('set', 'c', 3);
    const { host } = await serve(folder, server.address);
    await second.do('push');
    const room = await host.room('room');
    expect([room.get('b'), room.get('c'), room.forks]).toEqual([2, 3, []]);
  });

  it('[CL10] a reader finds out that its server has gone silent, and comes back', async () => {
    const link = await CutLink.before(1);
    onTestFinished(() => link.close());
    const server = await serve(await tempFolder(), '127.0.0.1:0', undefined, ['127.0.0.1', `127.0.0.1:${link.port}`]);
    link.aim(Number(server.address.split(':')[1]));
    const reader = new PythonPeer();
    await reader.do('silence', 0.2, 2);
    await reader.do('open', `ws://127.0.0.1:${link.port}/ws/room`, generateKeys().seed, {});
    link.become('deaf');
    const typescript = keep(server.url);
    await typescript.joined;
    typescript.replica.set('k', 1);
    await typescript.push();
    await expect
      .poll(async () => (await state(reader)).trouble, { timeout: 60_000 })
      .toBe('the server has gone silent');
    link.become('pass');
    await expect.poll(async () => (await state(reader)).registers, { timeout: 60_000 }).toEqual({ k: 1 });
  });

  it('[CL5] neither a token that cannot be had nor a listener that raises ends a room', async () => {
    const admin = generateKeys();
    const { url, host } = await serve(await tempFolder(), undefined, admin.publicKey);
    await host.submit({ room_id: 'room', command: { SetRoomKey: { pubkey_hex: admin.publicKey } } });
    const keys = generateKeys();
    const expiry = Math.floor(Date.now() / 1000) + 3600;
    const caps = ['read:**', 'write:**'];
    const token = await signToken({ room: 'room', peer: keys.publicKey, expiry, caps }, admin.seed);
    const python = new PythonPeer();
    await python.do('open', url, keys.seed, { tokens: [null, token] });
    await python.do('listen badly');
    const room = await host.room('room');
    await room.set('k', 1);
    await expect.poll(async () => (await state(python)).registers).toEqual({ k: 1 });
    await python.do('set', 'a', 1);
    await python.do('push');
    expect(room.get('a')).toBe(1);
  });

  it('tells who follows its changes of what came while they were at something else', async () => {
    const server = await serve(await tempFolder());
    const typescript = keep(server.url);
    await typescript.joined;
    const python = new PythonPeer();
    await python.do('open', server.url, generateKeys().seed, {});
    await python.do('follow');
    for (const k of [1, 2]) {
      typescript.replica.set('k', k);
      await expect.poll(async () => (await state(python)).registers).toEqual({ k });
      expect(await python.do('changed')).toBe(null);
    }
  });

  it('[PR1] it shows what is of the moment, and hears it', async () => {
    const { url } = await serve(await tempFolder());
    const [one, other] = [new PythonPeer(), new PythonPeer()];
    await one.do('open', url, generateKeys().seed, {});
    await one.do('show', { cursor: 4 });
    await other.do('open', url, generateKeys().seed, {});
    await expect.poll(async () => Object.values((await state(other)).presence)).toEqual([{ cursor: 4 }]);
    expect((await state(other)).peers).toBe(1);
    await one.kill();
    await expect.poll(async () => (await state(other)).presence).toEqual({});
  });

  it('[AU1] a locked room lets it in with a token, and says why without', async () => {
    const admin = generateKeys();
    const { host, url } = await serve(await tempFolder(), undefined, admin.publicKey);
    await host.submit({ room_id: 'room', command: { SetRoomKey: { pubkey_hex: admin.publicKey } } });
    const keys = generateKeys();
    await expect(new PythonPeer().do('open', url, keys.seed, {})).rejects.toThrow('JoinRefused: "auth: room locked"');
    const expiry = Math.floor(Date.now() / 1000) + 60;
    const token = await signToken(
      { room: 'room', peer: keys.publicKey, expiry, caps: ['read:open/**', 'write:open/**'] },
      admin.seed,
    );
    const room = await host.room('room');
    await room.set('hidden', 'secret');
    await room.set('open/a', 'seen');
    const python = new PythonPeer();
    await python.do('open', url, keys.seed, { token });
    expect((await state(python)).registers).toEqual({ 'open/a': 'seen' }); // the other one is a header
    await python.do('set', 'open/b', 2);
    await python.do('push');
    expect(room.get('open/b')).toBe(2);
    await python.do('set', 'hidden', 'mine');
    await expect(python.do('push')).rejects.toThrow('path-forbidden');
  });

  it('[VE2] it gives up what was erased, on the disk too', async () => {
    const kept = await tempFolder();
    const server = await serve(await tempFolder());
    const python = new PythonPeer();
    await python.do('open', server.url, generateKeys().seed, { folder: kept });
    await python.do('set', 'name', 'canary of somebody');
    await python.do('set', 'other', 1);
    await python.do('push');
    expect(await readFile(`${kept}/log`, 'latin1')).toContain('canary');
    await server.host.submit({ room_id: 'room', command: { EraseValue: { key: 'name' } } });
    await expect.poll(async () => (await state(python)).registers, { timeout: 60_000 }).toEqual({ other: 1 });
    await expect.poll(() => readFile(`${kept}/log`, 'latin1')).not.toContain('canary');
    await python.do('set', 'other', 2);
    await python.do('push');
    expect((await state(python)).hash).toBe((await server.host.room('room')).stateHash);
  });
});
