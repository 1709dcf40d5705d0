/** Clients of Yjs as they are, against a server of this process: nothing of them is changed but the address. */
import { type Host, type Token, createHost, generateKeys, signToken } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { type RunningServer, startServer } from '../server.js';
import { createYjsGateway } from './gateway.js';
import { message } from './wire.js';

const quiet = (): void => undefined;
const admin = generateKeys();

interface World {
  readonly host: Host;
  readonly server: RunningServer;
}

async function world(entry: 'open' | 'token' = 'open', store = memoryStore(), listen = '127.0.0.1:0'): Promise<World> {
  const host = createHost({ store, entry: { require: entry }, adminKey: admin.publicKey, onFault: quiet });
  const yjs = await createYjsGateway({ host });
  const server = await startServer({ host, yjs, listen, log: quiet });
  onTestFinished(async () => {
    await server.close();
    await host.close();
  });
  return { host, server };
}

const providers: WebsocketProvider[] = [];
afterEach(() => {
  for (const provider of providers.splice(0)) provider.destroy();
});

interface Client {
  readonly doc: Y.Doc;
  readonly text: Y.Text;
  readonly provider: WebsocketProvider;
}

function client({ server }: World, room = 'notes', token?: Token, doc = new Y.Doc()): Client {
  const url = server.url.replace('/ws/<room>', '/yjs');
  const provider = new WebsocketProvider(url, room, doc, {
    // Node's own is not there before 22, and its events are those of the other.
    WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
    disableBc: true,
    maxBackoffTime: 50,
    params: token === undefined ? {} : { token: Buffer.from(JSON.stringify(token)).toString('base64url') },
  });
  providers.push(provider);
  return { doc, text: doc.getText('text'), provider };
}

const synced = ({ provider }: Client): Promise<void> => expect.poll(() => provider.synced, { interval: 5 }).toBe(true);
const reads = ({ text }: Client, expected: string): Promise<void> =>
  expect.poll(() => text.toString(), { interval: 5 }).toBe(expected);
const values = async ({ host }: World, room = 'notes'): Promise<number> =>
  [...(await host.room(room)).entries('yjs/updates/')].length;

const tokenFor = (caps: readonly string[], seconds = 600, room = 'notes'): Promise<Token> =>
  signToken(
    { room, peer: generateKeys().publicKey, expiry: Math.floor(Date.now() / 1000) + seconds, caps: [...caps] },
    admin.seed,
  );

describe('clients of Yjs', () => {
  it('[YJ1] share a document, from what was there on, and each keystroke is a value of the room', async () => {
    const all = await world();
    const [one, two] = [client(all), client(all)];
    await Promise.all([synced(one), synced(two)]);
    one.text.insert(0, 'hello');
    await reads(two, 'hello');
    two.text.insert(5, ' world');
    await reads(one, 'hello world');
    two.text.delete(0, 1);
    await reads(one, 'ello world');
    expect(await values(all)).toBe(3);
    const late = client(all);
    await synced(late);
    await reads(late, 'ello world');
    expect(await values(all)).toBe(3); // whoever joins brings nothing that is there
    const native = (await all.host.room('notes')).history();
    let nodes = 0;
    for await (const { writes } of native) if (writes.some(({ key }) => key.startsWith('yjs/'))) nodes++;
    expect(nodes).toBe(3);
  });

  it('[YJ1] bring what they typed without a server, also to one that was started anew', async () => {
    const store = memoryStore();
    const first = await world('open', store);
    const one = client(first);
    await synced(one);
    one.text.insert(0, 'kept');
    await expect.poll(() => values(first)).toBe(1);
    const { port } = first.server.address;
    await first.server.close();
    await first.host.close();
    one.text.insert(4, ', offline');
    const second = await world('open', store, `127.0.0.1:${port}`);
    await expect.poll(() => one.provider.wsconnected, { timeout: 5000 }).toBe(true);
    const two = client(second);
    await reads(two, 'kept, offline');
    await expect.poll(() => values(second)).toBe(2);
  });

  it('[YJ2] see who is there, and who has gone', async () => {
    const all = await world();
    const [one, two] = [client(all), client(all)];
    await Promise.all([synced(one), synced(two)]);
    one.provider.awareness.setLocalStateField('user', { name: 'ann' });
    const seen = (): unknown => two.provider.awareness.getStates().get(one.doc.clientID);
    await expect.poll(seen).toEqual({ user: { name: 'ann' } });
    const late = client(all);
    await expect
      .poll(() => late.provider.awareness.getStates().get(one.doc.clientID))
      .toEqual({ user: { name: 'ann' } });
    one.provider.ws?.close();
    one.provider.shouldConnect = false;
    await expect.poll(seen).toBeUndefined();
  });

  it('[YJ3] merge many updates into one, and the document stays what it is', async () => {
    const all = await world();
    const one = client(all);
    await synced(one);
    for (let i = 0; i < 400; i++) one.text.insert(i, String(i % 10));
    const expected = Array.from({ length: 400 }, (_, i) => i % 10).join('');
    const two = client(all);
    await reads(two, expected);
    await expect.poll(() => values(all)).toBeLessThan(260);
    expect((await all.host.room('notes')).seq).toBeGreaterThan(400);
    const three = client(all);
    await reads(three, expected);
  });

  it('[YJ1] may send an update that is larger than a node', async () => {
    const all = await world();
    const [one, two] = [client(all), client(all)];
    await Promise.all([synced(one), synced(two)]);
    one.text.insert(0, 'x'.repeat(1_300_000));
    await expect.poll(() => two.text.length, { timeout: 5000 }).toBe(1_300_000);
    const late = client(all);
    await expect.poll(() => late.text.length, { timeout: 5000 }).toBe(1_300_000);
    expect(await values(all)).toBe(3);
  });
});

/** A client by hand: what others of the wild may send. */
async function byHand({ server }: World, room = 'notes'): Promise<WebSocket & { closing: Promise<string> }> {
  const socket = new WebSocket(server.url.replace('/ws/<room>', `/yjs/${room}`));
  const closing = new Promise<string>((resolve) => {
    socket.on('close', (code, reason) => resolve(`${code} ${reason.toString()}`));
  });
  await new Promise((resolve) => socket.once('open', resolve));
  return Object.assign(socket, { closing });
}

describe('messages that no Yjs client sends', () => {
  it.each([
    ['nothing', [], '1007 the message is cut'],
    ['a cut message', [0, 2, 200], '1007 the message is cut'],
    ['a step that is none', [0, 7, 0], '1007 there is no step 7'],
    ['an endless number', [255, 255, 255, 255, 255, 255, 255, 255, 255], '1007 the number is too large'],
    ['an update that is none', [0, 2, 3, 9, 9, 9], '1007 this is no update of a Yjs document'],
    ['a state vector that is none', [0, 0, 2, 200, 200], '1007 this is no state vector of a Yjs document'],
    ['awareness of many, of whom none follows', [1, 3, 255, 255, 3], '1007 the message is cut'],
  ])('[YJ1] end the connection: %s', async (_name, bytes, closing) => {
    const all = await world();
    const socket = await byHand(all);
    socket.send(Uint8Array.from(bytes));
    expect(await socket.closing).toBe(closing);
    expect(await values(all)).toBe(0);
  });

  it('[YJ1] are text, or too many of them', async () => {
    const all = await world();
    const [texts, many] = [await byHand(all), await byHand(all)];
    texts.send('hello');
    expect(await texts.closing).toBe('1003 Yjs clients send bytes');
    for (let i = 0; i < 2500; i++) many.send(Uint8Array.of(3));
    expect(await many.closing).toMatch('4008 more was sent');
  });

  it('[YJ2] cannot speak for another client', async () => {
    const all = await world();
    const [one, two] = [client(all), client(all)];
    await Promise.all([synced(one), synced(two)]);
    one.provider.awareness.setLocalStateField('user', 'ann');
    const seen = (): unknown => two.provider.awareness.getStates().get(one.doc.clientID);
    await expect.poll(seen).toEqual({ user: 'ann' });
    const thief = await byHand(all);
    thief.send(message(1, message(1, one.doc.clientID, 99, '{"user":"thief"}')));
    one.provider.awareness.setLocalStateField('user', 'ann again');
    await expect.poll(seen).toEqual({ user: 'ann again' });
    thief.close();
    await thief.closing;
    expect(seen()).toEqual({ user: 'ann again' });
  });

  it('[YJ1] are kept although their sender has gone at once', async () => {
    const all = await world();
    const doc = new Y.Doc();
    doc.getText('text').insert(0, 'bye');
    const socket = await byHand(all);
    socket.send(message(0, 2, Y.encodeStateAsUpdate(doc)));
    socket.close();
    await expect.poll(() => values(all)).toBe(1);
    const late = client(all);
    await reads(late, 'bye');
  });

  it('[YJ1] are for the route alone that is switched on', async () => {
    const host = createHost({ store: memoryStore() });
    const server = await startServer({ host, listen: '127.0.0.1:0', log: quiet });
    onTestFinished(() => server.close());
    const response = await fetch(server.url.replace('ws:', 'http:').replace('/ws/<room>', '/yjs/notes'));
    expect(response.status).toBe(404);
  });
});

describe('a token', () => {
  const refusal = async (all: World, token?: Token): Promise<string> => {
    const { provider } = client(all, 'notes', token);
    return new Promise((resolve) => {
      provider.on('connection-close', (event) => {
        provider.shouldConnect = false;
        resolve(`${event?.code} ${event?.reason}`);
      });
    });
  };

  it('[YJ4] is asked for where the server asks for one, and must be one that can be borne', async () => {
    const all = await world('token');
    expect(await refusal(all)).toBe('1008 auth: missing token');
    expect(await refusal(all, await tokenFor([]))).toMatch('1008 auth: the token needs the capability bearer');
    expect(await refusal(all, await tokenFor(['bearer'], -1))).toMatch('auth: token has expired');
    expect(await refusal(all, await tokenFor(['bearer'], 600, 'other'))).toBe(
      '1008 auth: signature verification failed',
    );
    expect(await refusal(all, await tokenFor(['bearer', 'read:other/**']))).toMatch('does not let its peer read');
    const one = client(all, 'notes', await tokenFor(['bearer']));
    await synced(one);
    one.text.insert(0, 'in');
    await expect.poll(() => values(all)).toBe(1);
  });

  it('[YJ4] names who wrote, and a reader writes nothing', async () => {
    const all = await world('token');
    const writing = await tokenFor(['bearer', 'read:yjs/**', 'write:yjs/**']);
    const writer = client(all, 'notes', writing);
    const reader = client(all, 'notes', await tokenFor(['bearer', 'read-only']));
    await Promise.all([synced(writer), synced(reader)]);
    reader.text.insert(0, 'not for others');
    writer.text.insert(0, 'for all');
    await expect.poll(() => reader.text.toString()).toContain('for all');
    expect(writer.text.toString()).toBe('for all');
    const [[, value] = []] = (await all.host.room('notes')).entries('yjs/updates/');
    expect(value).toMatchObject({ by: writing.peer_pubkey });
  });

  it('[YJ4] holds until the room’s policy, its lock or a revocation says otherwise', async () => {
    const all = await world('token');
    const token = await tokenFor(['bearer']);
    const one = client(all, 'notes', token);
    await synced(one);
    one.text.insert(0, 'a');
    await expect.poll(() => values(all)).toBe(1);
    const rules = [{ path_glob: 'yjs/**', can_write: [] }];
    await all.host.submit({ room_id: 'notes', command: { SetPolicy: { default: 'allow', rules } } });
    one.text.insert(1, 'b');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await values(all)).toBe(1);
    await all.host.submit({ room_id: 'notes', command: { SetPolicy: { default: 'allow', rules: [] } } });
    const gone = new Promise((resolve) => one.provider.on('connection-close', (event) => resolve(event?.reason)));
    await all.host.submit({
      room_id: 'notes',
      command: { RevokeToken: { peer_pubkey: token.peer_pubkey, before: token.expiry + 1 } },
    });
    one.text.insert(2, 'c');
    expect(await gone).toBe('auth: token revoked');
    expect(await values(all)).toBe(1);
  });
});
