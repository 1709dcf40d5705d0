/** The administration door over real HTTP, on a server with a real store. */
import { createHost, generateKeys } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Performing } from '../operator/perform.js';
import { operatorWords } from '../operator/words/table.js';
import { startServer } from '../server.js';

const TOKEN = 'a-token-of-the-operator';

async function administered() {
  const [store, admin] = [memoryStore(), generateKeys()];
  const host = createHost({ store, adminKey: admin.publicKey });
  await (await host.room('plans')).set('title', 'Road map');
  const told: unknown[] = [];
  const telemetry = { record: () => undefined, tell: (notice: unknown) => void told.push(notice) };
  const state: { unready?: string } = {};
  const server = await startServer({
    host,
    listen: '127.0.0.1:0',
    adminAddr: '127.0.0.1:0',
    admin: {
      token: TOKEN,
      performing: new Performing({ host, store, archives: {}, admin, telemetry }),
      unready: () => state.unready,
    },
  });
  onTestFinished(async () => {
    await server.close();
    await host.close();
  });
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(server.adminUrl + path, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  return { host, admin, call, state, told };
}

describe('the administration door', () => {
  it('[AM1] does what the words say, and tells the log what was changed', async () => {
    const { host, admin, call, told } = await administered();
    expect((await call('GET', '/v1/rooms')).body).toMatchObject({ rooms: [{ room: 'plans', nodes: 2 }] });
    expect((await call('POST', '/v1/rooms/plans/inspect')).body).toMatchObject({ is_locked: false });
    expect(await call('POST', '/v1/rooms/plans/lock')).toMatchObject({
      status: 200,
      body: { room: 'plans', locked_with: admin.publicKey },
    });
    expect((await host.room('plans')).facts.lock).toBe(admin.publicKey);
    const peer = generateKeys().publicKey;
    expect((await call('POST', '/v1/rooms/plans/token', { peer, caps: ['room.admin'], ttl: '2h' })).body).toMatchObject(
      {
        peer_pubkey: peer,
        caps: ['room.admin'],
        issuer: admin.publicKey,
      },
    );
    expect((await call('POST', '/v1/sessions/revoke', { subject: 'ann' })).body).toEqual({ subject: 'ann', gone: 0 });
    expect(told).toEqual(
      ['room-lock', 'room-token', 'session-revoke'].map((operation) => ({
        level: 'info',
        message: 'an operator acted',
        about: { operation, ...(operation.startsWith('room') ? { room: 'plans' } : {}) },
      })),
    );
  });

  it('[AM1] knows its operator by the bearer token alone', async () => {
    const { call, host } = await administered();
    for (const authorization of ['', 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN, 'Bearer ']) {
      const refused = await call('POST', '/v1/rooms/plans/lock', {}, { authorization });
      expect(refused, authorization).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect((await host.room('plans')).facts.lock).toBeUndefined();
  });

  it.each([
    ['POST', '/v1/rooms/plans/token', { peer: 'ann' }, 400, /^peer: must be 64 hex/],
    ['POST', '/v1/rooms/plans/token', {}, 400, /^peer: /],
    ['POST', '/v1/rooms/~host/lock', {}, 400, /belongs to the host/],
    ['POST', '/v1/rooms/%/lock', {}, 400, /is not a room id/],
    ['POST', '/v1/rooms/plans/lock', '[1]', 400, /must be a JSON object/],
    ['POST', '/v1/rooms/plans/lock', '{', 400, /must be a JSON object/],
    ['POST', '/v1/rooms/plans/lock', { room: 'other', key: 'x' }, 400, /^key: /],
    ['POST', '/v1/rooms/plans/lock', `{"key":"${'x'.repeat(70_000)}"}`, 413, /at most 65536 bytes/],
    ['POST', '/v1/rooms/nowhere/unlock', {}, 404, /there is no room nowhere/],
    ['POST', '/v1/rooms/plans/unlock', {}, 409, /not locked/],
    ['POST', '/v1/rooms/plans/dance', {}, 404, /nothing here/],
    ['GET', '/v1/rooms/plans/lock', undefined, 405, /use POST/],
    ['POST', '/v1/rooms', {}, 405, /use GET/],
    ['GET', '/', undefined, 404, /openapi\.json/],
  ])('[AM1] refuses %s %s %j with %i', async (method, path, body, status, message) => {
    const { call, told } = await administered();
    const refused = await call(method, path, body);
    expect(refused).toMatchObject({ status, body: { error: expect.stringMatching(message) } });
    expect(told).toEqual([]);
  });

  it('[AM1] takes JSON alone', async () => {
    const { call } = await administered();
    const type = { 'content-type': 'text/plain' };
    expect(await call('POST', '/v1/rooms/plans/lock', {}, type)).toMatchObject({ status: 415 });
  });

  it('[AM1] says to whoever watches over it whether it lives and whether peers should come, without a token', async () => {
    const { call, state } = await administered();
    const nobody = { authorization: '' };
    expect(await call('GET', '/healthz', undefined, nobody)).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await call('GET', '/readyz', undefined, nobody)).toMatchObject({ status: 200, body: { ready: true } });
    state.unready = 'the disk is full';
    const unready = await call('GET', '/readyz', undefined, nobody);
    expect(unready).toMatchObject({ status: 503, body: { ready: false, why: 'the disk is full' } });
    expect(unready.headers.get('retry-after')).toBe('5');
    expect(await call('POST', '/healthz', {}, nobody)).toMatchObject({ status: 405 });
  });

  it('[AM1] describes itself in OpenAPI, every word of it', async () => {
    const { call } = await administered();
    const { body } = await call('GET', '/openapi.json', undefined, { authorization: '' });
    expect(await new Validator().validate(body)).toMatchObject({ valid: true });
    const ids = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    const words = operatorWords.map(({ noun, verb }) => `${noun}-${verb}`);
    expect(ids).toEqual(['healthz', 'readyz', 'room-list', ...words]);
    const { schema } = body.paths['/v1/rooms/{room}/token'].post.requestBody.content['application/json'];
    expect(schema).toMatchObject({ required: ['peer'], properties: { ttl: { type: 'string' } } });
    expect(schema.properties).not.toHaveProperty('room');
  });

  it('[AM1] has a token worth the name, and what performs the words', async () => {
    const host = createHost({ store: memoryStore() });
    onTestFinished(() => host.close());
    const at = { host, listen: '127.0.0.1:0', adminAddr: '127.0.0.1:0' };
    await expect(startServer(at)).rejects.toThrow('adminAddr needs admin');
    const performing = new Performing({ host, store: memoryStore(), archives: {} });
    const admin = { token: 'short', performing, unready: () => undefined };
    await expect(startServer({ ...at, admin })).rejects.toThrow('at least 16 characters');
    const spaced = { ...admin, token: 'a token of many words' };
    await expect(startServer({ ...at, admin: spaced })).rejects.toThrow('none of which is a space');
  });
});
