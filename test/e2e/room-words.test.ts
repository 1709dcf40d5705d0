/** What an operator says about a room, to the server that runs on a folder and to the folder alone. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Credential, type RoomClient, createHost, generateKeys, keepRoom } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { cliTable } from '@weft/cli';
import { operatorWords } from '@weft/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun, weft, weftJson } from '../support/programs/weft-run.js';

const ann = generateKeys();
const bob = generateKeys();

const SERVE = ['serve', '--listen', '127.0.0.1:0'];
const archivesOf = (folder: string): string => join(folder, '..', 'archives');

async function folderWith(isServed: boolean) {
  const folder = join(await tempFolder(), 'data');
  const host = createHost({ store: levelStore(folder) });
  await (await host.room('plans')).set('title', 'Road map');
  await host.close();
  const serving = isServed
    ? new WeftRun([...SERVE, '--store', folder, '--archive-root', archivesOf(folder)])
    : undefined;
  const [, address = ''] = serving ? await serving.line(/^(ws:\S+\/)<room>$/) : [];
  const dial = (keys: typeof ann, token?: Credential, room = 'plans'): RoomClient => {
    const client = keepRoom({
      open: () => new WebSocket(address + room),
      keys,
      room,
      audience: new URL(address).host,
      ...(token === undefined ? {} : { token }),
    });
    onTestFinished(() => client.close());
    return client;
  };
  const write = async (room: string, key: string, value: string): Promise<void> => {
    if (isServed) {
      const client = dial(ann, undefined, room);
      await client.joined;
      client.replica.set(key, value);
      return client.push();
    }
    const alone = createHost({ store: levelStore(folder) });
    await (await alone.room(room)).set(key, value);
    await alone.close();
  };
  const say = (...words: readonly string[]) => weftJson(...words, '--store', folder);
  return { folder, say, dial, write };
}

describe.each([
  ['beside a server', true],
  ['without a server', false],
])('%s', (_, isServed) => {
  it('a room is locked in three lines, and opened again', async () => {
    const { folder, say, dial } = await folderWith(isServed);
    const stranger = isServed ? dial(bob) : undefined;
    await stranger?.joined;
    expect(await say('room', 'lock', 'plans')).toMatchObject({
      room: 'plans',
      locked_with: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    if (stranger) await expect.poll(() => stranger.state).toBe('ended');
    const { out } = await weft('room', 'token', 'plans', '--peer', ann.publicKey, '--ttl', '2h', '--store', folder);
    const token = JSON.parse(out) as Credential & { readonly expiry: number };
    expect(token).toMatchObject({ peer_pubkey: ann.publicKey, caps: [] });
    expect(Math.abs(token.expiry - Date.now() / 1000 - 7200)).toBeLessThan(600);
    if (isServed) await dial(ann, token).joined;

    expect(await weft('room', 'lock', 'plans', '--store', folder)).toMatchObject({
      code: 1,
      err: expect.stringContaining('already locked'),
    });
    expect(await say('room', 'lock', 'plans', '--key', bob.publicKey, '--rotate')).toMatchObject({
      locked_with: bob.publicKey,
    });
    expect(await say('room', 'inspect', 'plans')).toMatchObject({ is_locked: true });
    await say('room', 'unlock', 'plans');
    expect(await say('room', 'inspect', 'plans')).toMatchObject({ is_locked: false });
  });

  it('who may write is said and shown, and a peer that has lost its right has to go', async () => {
    const { folder, say, dial } = await folderWith(isServed);
    expect(await say('room', 'policy', 'plans')).toEqual({ room: 'plans', policy: null });
    const policy = { default: 'deny', rules: [{ path_glob: 'docs/**', can_write: [ann.publicKey] }] };
    const file = join(folder, 'policy.json');
    await writeFile(file, JSON.stringify(policy));
    expect(await say('room', 'policy', 'plans', '--policy', `@${file}`)).toEqual({ room: 'plans', policy });
    expect(await say('room', 'policy', 'plans')).toEqual({ room: 'plans', policy });
    const token = (await say('room', 'token', 'plans', '--peer', ann.publicKey, '--caps', 'room.admin')) as Credential;
    const client = isServed ? dial(ann, token) : undefined;
    await client?.joined;
    expect(await say('room', 'revoke', 'plans', '--peer', ann.publicKey)).toMatchObject({ peer: ann.publicKey });
    if (client) await expect.poll(() => client.state).toBe('ended');
  });

  it('it is forked, and what its child changes is looked at and promoted', async () => {
    const { folder, say, write } = await folderWith(isServed);
    expect(await say('room', 'fork', 'plans', '--child', 'draft', '--merges')).toMatchObject({ child: 'draft' });
    expect(await say('room', 'inspect', 'draft')).toMatchObject({ parent: 'plans', is_locked: false });
    await write('draft', 'title', 'Plan of the year');
    await write('draft', 'note', 'new');
    const changes = [
      { key: 'note', is_conflict: false, stands: 'child' },
      { key: 'title', is_conflict: false, stands: 'child' },
    ];
    const promote = ['room', 'promote', 'plans', '--child', 'draft'];
    const before = await say('room', 'inspect', 'plans');
    expect(await say(...promote, '--preview')).toEqual({ room: 'plans', child: 'draft', changes, more: 0 });
    expect(await say('room', 'inspect', 'plans')).toMatchObject({ state_hash: expect.any(String) });
    expect(await say(...promote)).toMatchObject({ changes, canonical_hash: expect.any(String) });
    const after = await say('room', 'inspect', 'plans');
    expect(after).not.toEqual(before);
    await write('draft', 'title', 'Plan of the child');
    await write('plans', 'title', 'Plan of the parent');
    expect(await weft(...promote, '--store', folder)).toMatchObject({ code: 1, err: expect.stringContaining('title') });
    expect(await say(...promote, '--merge')).toMatchObject({ changes: [{ key: 'title', is_conflict: true }] });
    expect(await say('room', 'tick', 'draft', '--interval-ms', '20')).toEqual({
      room: 'draft',
      runs: true,
      interval_ms: 20,
      intent_prefix: 'intent/',
    });
    expect(await say('room', 'tick', 'draft', '--stop')).toEqual({ room: 'draft', runs: false });
    expect(await weft('room', 'fork', 'plans', '--child', 'draft', '--store', folder)).toMatchObject({ code: 1 });
  });

  it('a value is erased from it and from its children', async () => {
    const { say, write } = await folderWith(isServed);
    await say('room', 'fork', 'plans', '--child', 'draft');
    await write('plans', 'name', 'not to be kept');
    await say('room', 'fork', 'plans', '--child', 'later');
    const erased = await say('room', 'erase', 'plans', '--key', 'name');
    expect(erased).toEqual({ room: 'plans', key: 'name', nodes: 1, children: ['draft', 'later'], left: [] });
    for (const room of ['plans', 'later'])
      expect(await say('room', 'why', room, '--key', 'name')).not.toHaveProperty('value');
  });

  it('what was overwritten in it is given up, and it is compacted', async () => {
    const { say, write } = await folderWith(isServed);
    for (let turn = 0; turn < 3; turn++) await write('plans', 'name', `${'.'.repeat(1000)}${turn}`);
    const written = (await say('room', 'inspect', 'plans')) as { readonly nodes: number };
    const pruned = (await say('room', 'prune', 'plans')) as { bytes_before: number; bytes_after: number };
    expect(pruned).toMatchObject({ room: 'plans', before: written.nodes, nodes: 2 });
    expect(pruned.bytes_after).toBeLessThan(pruned.bytes_before);
    expect(await say('room', 'why', 'plans', '--key', 'name')).toMatchObject({
      value: JSON.stringify(`${'.'.repeat(1000)}2`),
    });
    const { nodes } = (await say('room', 'inspect', 'plans')) as { readonly nodes: number };
    expect(await say('room', 'compact', 'plans')).toMatchObject({ room: 'plans', nodes });
  });

  it('what cannot be is refused with what to do', async () => {
    const { folder } = await folderWith(isServed);
    for (const [words, code, message] of [
      [['room', 'token', 'plans'], 2, '--peer must be given'],
      [['room', 'token', 'plans', '--peer', 'ann'], 1, 'peer: must be 64 hex characters'],
      [['room', 'token', 'plans', '--peer', ann.publicKey, '--caps', 'all'], 1, 'caps.0: is no right; there are'],
      [
        ['room', 'token', 'plans', '--peer', ann.publicKey, '--ttl', 'soon'],
        1,
        'ttl: takes a number with s, m, h or d',
      ],
      [['room', 'tick', 'plans', '--interval-ms', 'fast'], 2, '--interval-ms takes a number'],
      [['room', 'policy', 'plans', '--policy', '{'], 2, '--policy takes JSON'],
      [['room', 'policy', 'plans', '--policy', '{"default":"maybe","rules":[]}'], 1, 'policy.default'],
      [['room', 'unlock', 'nowhere'], 1, 'there is no room nowhere'],
      [['room', 'unlock', '~host'], 1, 'belongs to the host'],
      [['room', 'unlock', 'plans'], 1, 'not locked'],
      [['session', 'revoke'], 2, '--subject must be given'],
    ] as const)
      expect(await weft(...words, '--store', folder), words.join(' ')).toMatchObject({
        code,
        err: expect.stringContaining(message),
      });
  });

  it('it is deleted for good by who says its name again', async () => {
    const { folder, say } = await folderWith(isServed);
    expect(await weft('room', 'delete', 'plans', '--confirm', 'plan', '--store', folder)).toMatchObject({
      code: 1,
      err: expect.stringContaining('confirm: must be plans'),
    });
    expect(await say('room', 'delete', 'plans', '--confirm', 'plans')).toMatchObject({ room: 'plans', nodes: 2 });
    expect(await say('room', 'list')).toEqual([]);
  });

  it('it is written as an archive, and restored under another name after a look', async () => {
    const { folder, say } = await folderWith(isServed);
    const place = isServed ? [] : ['--archive-root', archivesOf(folder)];
    const archive = 'file://plans.weft';
    expect(await say('room', 'archive', 'plans', '--archive', 'plans.weft', ...place)).toEqual({
      room: 'plans',
      archive,
      nodes: 2,
      manifest_id: expect.stringMatching(/^m\.plans\./),
    });
    const restored = { room: 'copy', archive, nodes: 2, imported_blobs: 0, state_hash: expect.any(String) };
    const restore = (...flags: string[]) => say('room', 'restore', 'copy', '--archive', archive, ...place, ...flags);
    expect(await restore('--trial')).toEqual({ ...restored, imported_nodes: 0 });
    expect(await restore()).toEqual({ ...restored, imported_nodes: 2 });
    expect(await restore()).toEqual({ ...restored, imported_nodes: 0 });
    expect(await say('room', 'keys', 'copy')).toMatchObject({ keys: [{ key: 'title' }] });
  });

  it('blobs are listed, and sessions revoked', async () => {
    const { say } = await folderWith(isServed);
    expect(await say('room', 'blobs', 'plans')).toEqual({ room: 'plans', blobs: [], count: 0, bytes: 0 });
    expect(await say('session', 'revoke', '--subject', 'ann')).toEqual({ subject: 'ann', gone: 0 });
    expect(await say('session', 'recheck')).toEqual({});
  });

  it('a webhook is added, listed and removed', async () => {
    const { say } = await folderWith(isServed);
    const { id, secret } = (await say('webhook', 'add', '--url', 'http://127.0.0.1:1/', '--rooms', 'x-*')) as Record<
      string,
      string
    >;
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await say('webhook', 'list')).toEqual({
      webhooks: [{ id, url: 'http://127.0.0.1:1/', rooms: 'x-*', waiting: 0, failures: 0 }],
    });
    expect(await say('webhook', 'remove', '--id', id!)).toEqual({ id });
    expect(await say('webhook', 'list')).toEqual({ webhooks: [] });
  });
});

it('an archive needs a place, and a server has its own', async () => {
  const { folder } = await folderWith(false);
  const archive = ['room', 'archive', 'plans', '--archive', 'plans.weft', '--store', folder];
  expect(await weft(...archive)).toMatchObject({ code: 1, err: expect.stringContaining('--archive-root <folder>') });
  const served = await folderWith(true);
  const there = ['room', 'archive', 'plans', '--archive', 'plans.weft', '--store', served.folder];
  expect(await weft(...there, '--archive-root', 'elsewhere')).toMatchObject({
    code: 0,
    err: expect.stringContaining('a server runs, which has its own: --archive-root was not used'),
  });
});

it('every word has a summary, and says of each field what it is', () => {
  for (const { noun, verb, summary, in: input } of operatorWords) {
    expect(summary, `${noun} ${verb}`).toMatch(/\.$/);
    for (const [name, field] of Object.entries(input.shape))
      expect((field as { description?: string }).description, `${noun} ${verb} ${name}`).toBeTypeOf('string');
  }
});

it('the command line lists the words that the server has, in its words', () => {
  const isWord = (name: string): boolean =>
    name === 'authority status' ||
    (/^(room|session|webhook) /.test(name) && !['room list', 'room watch'].includes(name));
  const rows = cliTable.filter(({ name }) => isWord(name));
  const listed = rows.map(({ name, summary }) => `${name}: ${summary}`);
  expect(listed.sort()).toEqual(operatorWords.map(({ noun, verb, summary }) => `${noun} ${verb}: ${summary}`).sort());
});
