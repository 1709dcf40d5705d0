/** Rooms that their owner moves to another server, by the words of an operator, over real sockets. */
import { cp, mkdir, readFile } from 'node:fs/promises';
import { type KeyPair, type RoomClient, generateKeys, keepRoom } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import type { WeftRun } from '../support/programs/weft-run.js';
import { Site, TAKEN, URL_LINE, certified } from './authority-site.js';

const ROOT = /^root +([0-9a-f]{64})$/m;

/** A client that goes where its application says. */
async function enter(at: { address: string }, room = 'plans', keys: KeyPair = generateKeys()): Promise<RoomClient> {
  const open = () => new WebSocket(`ws://${at.address}/ws/${room}`);
  const client = keepRoom({ open, keys, retry: { mostMs: 50 } });
  onTestFinished(() => client.close());
  await client.joined;
  return client;
}

async function serving(site: Site): Promise<{ readonly server: WeftRun; readonly address: string }> {
  const server = site.serve('--archive-root', site.at('archives'));
  const [, address] = await server.line(URL_LINE);
  return { server, address: address! };
}

async function write(client: RoomClient, key: string, value: unknown): Promise<void> {
  client.replica.set(key, value);
  await client.push();
}

/** The archive of a room, carried from one machine to the other. */
async function carry(from: Site, to: Site): Promise<void> {
  await from.room('room', 'archive', 'plans', '--archive', 'plans.weft');
  await mkdir(to.at('archives'), { recursive: true });
  await cp(from.at('archives/plans.weft'), to.at('archives/plans.weft'));
}

it('[MA6] all rooms of an owner move with what they hold: the old server says where, the new one goes on', async () => {
  const here = await certified();
  const { server, address } = await serving(here);
  const at = { address };
  const client = await enter(at);
  await write(client, 'a', 1);
  await here.room('room', 'policy', 'plans', '--policy', '{"default":"allow","rules":[]}');

  const moved = 'ws://new.example/ws/plans';
  await here.say('rotate', '--root', here.at('root.key'), '--new-root', here.at('next.key'), '--to', moved);
  server.hangUp();
  await server.line(TAKEN, server.err);
  expect(await here.room('authority', 'status', '--room', 'plans')).toMatchObject({
    speaks: false,
    why: `this room has moved to ${moved}`,
  });
  client.replica.set('late', 1);
  await expect(client.push()).rejects.toThrow(/this room has moved to ws:\/\/new.example\/ws\/plans/);

  const there = new Site(await tempFolder());
  const { founder, signer } = await there.request();
  await here.say('certify', '--root', here.at('next.key'), '--founder', founder, '--signer', signer);
  await cp(here.file, there.file);
  await carry(here, there);
  const next = await serving(there);
  const restored = await there.room('room', 'restore', 'plans', '--archive', 'plans.weft');
  expect(restored['imported_nodes']).toBe(restored['nodes']);
  const fresh = await enter(at, 'never-written');
  fresh.replica.set('k', 1);
  await expect(fresh.push()).rejects.toThrow(/this room has moved/);

  at.address = next.address;
  await server.stop();
  // What the old server did not take goes along.
  await expect.poll(() => [client.state, client.replica.unsent]).toEqual(['joined', 0]);
  const late = await enter(at);
  expect([late.replica.room, late.replica.get('a'), late.replica.get('late')]).toEqual([client.replica.room, 1, 1]);
  await there.room('room', 'policy', 'plans', '--policy', '{"default":"deny","rules":[]}');
  await expect.poll(() => client.replica.get('\0policy')).toMatchObject({ default: 'deny' });
});

it('[MA6] one room goes to a server of another owner, with what was erased and pruned still gone, and the others stay', async () => {
  const [here, there] = [await certified(), await certified()];
  const { server, address } = await serving(here);
  const client = await enter({ address });
  await write(client, 'secret', 'planted');
  await write(client, 'a', 1);
  await here.room('room', 'erase', 'plans', '--key', 'secret');
  await expect.poll(() => client.state).toBe('joined');
  await write(client, 'a', 'overwritten here');
  await write(client, 'a', 1);
  expect((await here.room('room', 'prune', 'plans'))['nodes']).toBe(2);
  const stays = await enter({ address }, 'stays');
  await write(stays, 'k', 1);

  const { room_genesis: genesis } = await here.room('authority', 'status', '--room', 'plans');
  const theirs = ROOT.exec(await there.say('show'))![1]!;
  const to = ['--new-root', theirs, '--room', String(genesis), '--to', 'ws://theirs.example/ws/plans'];
  const proposal = here.at('handover.hex');
  await here.say('rotate', '--root', here.at('root.key'), ...to, '--proposal', proposal);
  await here.say('adopt', '--proposal', proposal);
  await there.say('adopt', '--proposal', proposal);
  server.hangUp();
  await server.line(TAKEN, server.err);
  client.replica.set('late', 1);
  await expect(client.push()).rejects.toThrow(/moved to ws:\/\/theirs.example/);
  await write(stays, 'k', 2);
  await here.room('room', 'lock', 'stays');
  expect(ROOT.exec(await here.say('show'))![1]).not.toBe(theirs);

  await carry(here, there);
  const next = await serving(there);
  await there.room('room', 'restore', 'plans', '--archive', 'plans.weft');
  const late = await enter(next);
  expect([late.replica.room, late.replica.get('a'), late.replica.get('secret')]).toEqual([
    client.replica.room,
    1,
    undefined,
  ]);
  await there.room('room', 'policy', 'plans', '--policy', '{"default":"deny","rules":[]}');
  await expect.poll(() => late.replica.get('\0policy')).toMatchObject({ default: 'deny' });
  // What was given up there stays so, and more of it can go here.
  await there.room('room', 'policy', 'plans', '--policy', '{"default":"allow","rules":[]}');
  await expect.poll(() => late.replica.get('\0policy')).toMatchObject({ default: 'allow' });
  await write(late, 'a', 2);
  expect((await there.room('room', 'prune', 'plans'))['nodes']).toBe(1);
  const last = await enter(next);
  expect([last.replica.room, last.replica.get('a')]).toEqual([client.replica.room, 2]);
  await next.server.stop();
  const archive = await readFile(there.at('archives/plans.weft'));
  for (const gone of ['planted', 'overwritten here']) expect(archive.includes(gone)).toBe(false);
});

it('[MA6] a room that has moved moves once more by itself, and back to where it began', async () => {
  const [first, second, third] = [await certified(), await certified(), await certified()];
  const { server: begun, address } = await serving(first);
  const at = { address };
  const servers = new Map([[first, begun]]);
  const client = await enter(at);
  await write(client, 'a', 'first');
  await write(await enter(at, 'stays'), 'k', 1);
  const { room_genesis: genesis } = await first.room('authority', 'status', '--room', 'plans');

  for (const [from, to] of [
    [first, second],
    [second, third],
    [third, first],
  ] as const) {
    const name = `ws://${[first, second, third].indexOf(to)}.example/ws/plans`;
    const root = ROOT.exec(await to.say('show'))![1]!;
    const proposal = from.at('handover.hex');
    const where = ['--new-root', root, '--room', String(genesis), '--to', name, '--proposal', proposal];
    await from.say('rotate', '--root', from.at('root.key'), ...where);
    await from.say('adopt', '--proposal', proposal);
    await to.say('adopt', '--proposal', proposal);
    const server = servers.get(from)!;
    const before = server.err.length;
    server.hangUp();
    await expect.poll(() => server.err.slice(before).some((line) => TAKEN.test(line))).toBe(true);
    client.replica.set('late', name);
    await expect(client.push()).rejects.toThrow(`this room has moved to ${name}`);
    await carry(from, to);
    await server.stop();
    const next = await serving(to);
    servers.set(to, next.server);
    await to.room('room', 'restore', 'plans', '--archive', 'plans.weft');
    // Whoever came before the room is there would found another one of its name.
    at.address = next.address;
    await expect.poll(() => [client.state, client.replica.unsent]).toEqual(['joined', 0]);
    const late = await enter(at);
    expect([late.replica.room, late.replica.get('a'), late.replica.get('late')]).toEqual([
      client.replica.room,
      'first',
      name,
    ]);
    const policy = { default: 'allow', rules: [{ path_glob: name, can_write: [] }] };
    await to.room('room', 'policy', 'plans', '--policy', JSON.stringify(policy));
    await expect.poll(() => client.replica.get('\0policy')).toMatchObject(policy);
  }
  const stays = await enter(at, 'stays');
  await write(stays, 'k', 2);
  await first.room('room', 'lock', 'stays');
});

it('[MA6] a room that has got roots of its own gets others by those, and the rest stay with theirs', async () => {
  const site = await certified();
  const { server, address } = await serving(site);
  const client = await enter({ address });
  await write(client, 'a', 1);
  const status = () => site.room('authority', 'status', '--room', 'plans');
  const { room_genesis: genesis } = await status();
  const rotate = (from: string, to: string, ...more: string[]) =>
    site.say('rotate', '--root', site.at(from), '--new-root', site.at(to), '--room', String(genesis), ...more);
  await rotate('root.key', 'own.key');
  await expect(rotate('root.key', 'other.key')).rejects.toThrow('is no root');
  const proposal = ['--proposal', site.at('change.hex')];
  await rotate('own.key', 'next.key', ...proposal);
  await expect(site.say('sign', '--root', site.at('root.key'), ...proposal)).rejects.toThrow('is no root');
  await site.say('adopt', ...proposal);
  const first = await site.certify('own.key', true);
  const signer = await site.certify('next.key', true);
  server.hangUp();
  await expect.poll(status).toMatchObject({ speaks: true, speaker: signer });
  expect(first).not.toBe(signer);
  await site.room('room', 'policy', 'plans', '--policy', '{"default":"deny","rules":[]}');
  await expect.poll(() => client.replica.get('\0policy')).toMatchObject({ default: 'deny' });
  await write(await enter({ address }, 'stays'), 'k', 1);
  await site.room('room', 'lock', 'stays');
});

it('[AR3] archives of roots that have agreed to others are taken, and of those that a recovery has put aside where they are named', async () => {
  const site = new Site(await tempFolder());
  await site.say('init', '--root', site.at('root.key'), '--recovery', site.at('heir.key'));
  const first = await site.certify('root.key');
  const { server, address } = await serving(site);
  await write(await enter({ address }), 'a', 1);
  const archive = (name: string) => site.room('room', 'archive', 'plans', '--archive', name);
  const restore = (room: string, name: string) => site.room('room', 'restore', room, '--archive', name);
  const heard = async (): Promise<void> => {
    const before = server.err.length;
    server.hangUp();
    await expect.poll(() => server.err.slice(before).some((line) => TAKEN.test(line))).toBe(true);
  };
  await archive('first.weft');
  await site.say('rotate', '--root', site.at('root.key'), '--new-root', site.at('next.key'));
  await site.certify('next.key', true);
  await heard();
  expect(await restore('one', 'first.weft')).toMatchObject({ room: 'one' });
  await archive('second.weft');
  const [, stolen] = [first, (await site.room('authority', 'status', '--room', 'plans'))['speaker'] as string];
  await site.say('revoke', '--root', site.at('next.key'), '--signer', stolen);
  await site.certify('next.key', true);
  await heard();
  await expect(restore('two', 'second.weft')).rejects.toThrow(
    new RegExp(`signed by ${stolen}, whose key is revoked: .*--archive-trust`),
  );
  await archive('third.weft');
  await site.say('rotate', '--recovery', site.at('heir.key'), '--new-root', site.at('last.key'));
  await site.certify('last.key', true);
  await heard();
  const next = JSON.parse(await site.say('show', '--json')).successions[0].roots[0] as string;
  await expect(restore('three', 'third.weft')).rejects.toThrow(
    new RegExp(`signed by ${next}, who is not trusted here: .*--archive-trust`),
  );
  await server.stop();
  const named = site.serve('--archive-root', site.at('archives'), '--archive-trust', `${next},${stolen}`);
  await named.line(URL_LINE);
  expect(await restore('two', 'second.weft')).toMatchObject({ room: 'two' });
  expect(await restore('three', 'third.weft')).toMatchObject({ room: 'three' });
});

it('[MA6] [AR3] a room whose last archive was signed by a key that is revoked by now moves where that key is named, and goes on by another one', async () => {
  const here = await certified();
  const { server, address } = await serving(here);
  const at = { address };
  const client = await enter(at);
  await write(client, 'a', 1);
  await here.room('room', 'policy', 'plans', '--policy', '{"default":"allow","rules":[]}');
  const { speaker: stolen } = await here.room('authority', 'status', '--room', 'plans');
  const moved = 'ws://new.example/ws/plans';
  await here.say('rotate', '--root', here.at('root.key'), '--new-root', here.at('next.key'), '--to', moved);
  server.hangUp();
  await server.line(TAKEN, server.err);
  client.replica.set('late', 1);
  await expect(client.push()).rejects.toThrow(/this room has moved/);

  const there = new Site(await tempFolder());
  const { founder, signer } = await there.request();
  await here.say('certify', '--root', here.at('next.key'), '--founder', founder, '--signer', signer);
  await carry(here, there);
  await here.say('revoke', '--root', here.at('next.key'), '--signer', String(stolen));
  await cp(here.file, there.file);
  const restore = () => there.room('room', 'restore', 'plans', '--archive', 'plans.weft');
  const careful = await serving(there);
  await expect(restore()).rejects.toThrow(
    new RegExp(`signed by ${String(stolen)}, whose key is revoked: .*--archive-trust`),
  );
  expect(await there.room('room', 'list')).toEqual([]);
  await careful.server.stop();

  const next = there.serve('--archive-root', there.at('archives'), '--archive-trust', String(stolen));
  at.address = (await next.line(URL_LINE))[1]!;
  const restored = await restore();
  expect(restored['imported_nodes']).toBe(restored['nodes']);
  await server.stop();
  await expect.poll(() => [client.state, client.replica.unsent]).toEqual(['joined', 0]);
  expect(await there.room('authority', 'status', '--room', 'plans')).toMatchObject({ speaks: true, speaker: signer });
  const late = await enter(at);
  expect([late.replica.room, late.replica.get('a'), late.replica.get('late')]).toEqual([client.replica.room, 1, 1]);
  await there.room('room', 'policy', 'plans', '--policy', '{"default":"deny","rules":[]}');
  for (const each of [client, late])
    await expect.poll(() => each.replica.get('\0policy')).toMatchObject({ default: 'deny' });
});
