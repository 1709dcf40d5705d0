/** Words that look into a room, over real HTTP: what it holds and held, why, who may, how its nodes hang together; and the page. */
import { createHost, createReplica, generateKeys } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Performing } from '../operator/perform.js';
import { startServer } from '../server.js';
import { wordsDoor } from './words-door.js';

const TOKEN = 'a-token-of-the-operator';

async function served(page?: (request: Request) => Promise<Response | undefined>) {
  const [store, admin, ann] = [memoryStore(), generateKeys(), generateKeys()];
  const host = createHost({ store, adminKey: admin.publicKey });
  const performing = new Performing({ host, store, archives: {}, admin });
  const server = await startServer({
    host,
    listen: '127.0.0.1:0',
    adminAddr: '127.0.0.1:0',
    admin: { token: TOKEN, performing, unready: () => undefined, ...(page ? { page } : {}) },
  });
  onTestFinished(async () => {
    await server.close();
    await host.close();
  });
  const room = await host.room('plans');
  const say = async (verb: string, fields: object = {}) => {
    const response = await fetch(`${server.adminUrl}/v1/rooms/plans/${verb}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { room, host, ann, say, performing, origin: server.adminUrl ?? '' };
}

describe('keys', () => {
  it('are listed in their order, by prefix and word, page by page, and as they were', async () => {
    const { room, say } = await served();
    await room.set('b/two', 2);
    await room.set('a/One', { long: 'x'.repeat(500) });
    const then = room.seq;
    await room.set('a/three', new Uint8Array(3));
    expect((await say('keys')).body).toMatchObject({
      seq: room.seq,
      count: 3,
      more: false,
      keys: [
        { key: 'a/One', kind: 'register', is_cut: true },
        { key: 'a/three', value: '{"bytes":"AAAA"}' },
        { key: 'b/two', value: '2' },
      ],
    });
    expect((await say('keys', { most: 1, after: 'a/One' })).body).toMatchObject({
      more: true,
      keys: [{ key: 'a/three' }],
    });
    expect((await say('keys', { search: 'ONE' })).body).toMatchObject({ count: 1, keys: [{ key: 'a/One' }] });
    expect((await say('keys', { prefix: 'b/' })).body).toMatchObject({ count: 1 });
    expect((await say('keys', { at: then })).body).toMatchObject({ seq: then, count: 2 });
    expect(await say('keys', { at: then + 100 })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('the log has') },
    });
    expect(await say('keys', { most: 0 })).toMatchObject({ status: 400 });
  });
});

describe('why', () => {
  it('names who wrote a value, and over whom it won', async () => {
    const { room, ann, say } = await served();
    const replica = await createReplica({ genesis: room.genesis.pack, keys: ann });
    await room.set('title', 'of the host');
    replica.set('title', 'of ann');
    const pack = await replica.seal();
    expect((await room.admit(pack ?? new Uint8Array(), { from: 'ann' })).refused).toEqual([]);
    const { body } = await say('why', { key: 'title' });
    const { node, author, beat } = body['origin'] as { node: string; author: string; beat: string[] };
    const writes = body['writes'] as { node: string; author: string }[];
    expect(writes.map((write) => write.author)).toContain(ann.publicKey);
    expect([node, ...beat].sort()).toEqual(writes.map((write) => write.node).sort());
    expect(JSON.parse(String(body['value']))).toBe(author === ann.publicKey ? 'of ann' : 'of the host');
    const nothing = (await say('why', { key: 'nothing' })).body;
    expect(nothing).toMatchObject({ writes: [] });
    expect(nothing['origin']).toBeUndefined();
  });
});

describe('text', () => {
  it('is told in runs of one author each, at each of its moments', async () => {
    const { room, say } = await served();
    await room.edit((edits) => edits.insertText('body', 'hello', undefined));
    await room.set('other', 1);
    const before = room.seq;
    await room.edit((edits) => edits.insertText('body', 'oh ', undefined));
    const { body } = await say('text', { key: 'body' });
    const [{ author } = { author: '' }] = body['runs'] as { author: string }[];
    expect(body).toMatchObject({ runs: [{ text: 'oh hello' }], is_cut: false, moments: [before - 1, room.seq] });
    expect(author).toMatch(/^[0-9a-f]{64}$/);
    expect((await say('text', { key: 'body', at: before })).body).toMatchObject({ runs: [{ text: 'hello' }] });
    expect((await say('text', { key: 'none' })).body).toMatchObject({ runs: [], moments: [] });
  });
});

describe('the graph', () => {
  it('comes in columns, page by page, and says what stands on what', async () => {
    const { room, say } = await served();
    for (const at of [1, 2, 3]) await room.set('count', at);
    const { body } = await say('graph', { from: 1, most: 2 });
    expect(body).toMatchObject({ from: 1, nodes: room.seq, author: [0, 0], forks: [] });
    expect(body['parents']).toEqual([[0], [1]]);
    expect(body['ids']).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/), expect.stringMatching(/^[0-9a-f]{12}$/)]);
    expect((await say('graph', { from: 99 })).body).toMatchObject({ author: [] });
    expect(await say('graph', { most: 1_000_000 })).toMatchObject({ status: 400 });
  });
});

describe('may', () => {
  it('says what decides: no policy, a rule, the default, or that it administers the room', async () => {
    const { ann, say, room } = await served();
    await room.set('a', 1);
    const may = async (key: string, peer = ann.publicKey) => (await say('may', { peer, key })).body;
    expect(await may('docs/a')).toEqual({ room: 'plans', allowed: true, by: 'no policy' });
    const rules = [
      { path_glob: 'docs/secret', can_write: [] },
      { path_glob: 'docs/**', can_write: [ann.publicKey] },
    ];
    await say('policy', { policy: { default: 'deny', rules } });
    expect(await may('docs/a')).toEqual({ room: 'plans', allowed: true, by: 'rule', rule: 1 });
    expect(await may('docs/secret')).toEqual({ room: 'plans', allowed: false, by: 'rule', rule: 0 });
    expect(await may('other')).toEqual({ room: 'plans', allowed: false, by: 'default' });
    const [authority = ''] = room.constitution.authorities;
    expect(await may('other', authority)).toEqual({ room: 'plans', allowed: true, by: 'authority' });
    expect(await say('may', { peer: 'ann', key: 'a' })).toMatchObject({ status: 400 });
    expect((await say('inspect')).body).toMatchObject({ policy: { default: 'deny', rules } });
  });
});

it('a room tells its peers, its family, what was revoked and what is given up', async () => {
  const { room, host, ann, say } = await served();
  await room.set('a', 1);
  await room.set('a', 2);
  expect((await say('peers')).body).toMatchObject({ peers: [], presence: [], nodes: room.seq });
  await say('fork', { child: 'draft', merges: true });
  expect((await say('lineage')).body).toMatchObject({ ancestors: [], children: [{ room: 'draft', merges: true }] });
  await say('revoke', { peer: ann.publicKey });
  expect((await say('inspect')).body).toMatchObject({ revoked: [{ peer: ann.publicKey, before: expect.any(Number) }] });
  expect(await say('prune', { before: 1_000_000 })).toMatchObject({ status: 409 });
  expect(host.load(room.id).heads).toBeDefined();
});

it('files of a page are served without a token, and are no way to a word', async () => {
  const { origin, performing } = await served(async (request) => {
    const { pathname } = new URL(request.url);
    return pathname === '/rooms' ? new Response('<p>', { headers: { 'content-type': 'text/html' } }) : undefined;
  });
  const page = await fetch(`${origin}/rooms`);
  expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([200, 'text/html', '<p>']);
  expect((await fetch(`${origin}/rooms`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${origin}/other`)).status).toBe(404);
  expect((await fetch(`${origin}/v1/rooms`)).status).toBe(401);
  const say = wordsDoor(performing);
  const asked = { fields: {}, signal: new AbortController().signal };
  expect(await say({ method: 'GET', path: '/v1/rooms', ...asked })).toMatchObject({ status: 200 });
  expect(await say({ method: 'POST', path: '/v1/rooms', ...asked })).toMatchObject({ status: 405 });
  expect(await say({ method: 'POST', path: '/v1/rooms/none/lineage', ...asked })).toMatchObject({ status: 404 });
  expect(await say({ method: 'POST', path: '/elsewhere', ...asked })).toMatchObject({ status: 404 });
});
