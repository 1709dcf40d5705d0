import { createHmac } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';
import { WEBHOOK_DEFAULTS, WebhookSender } from './webhook-sender.js';

const HOOKS = '/studio/webhooks';
const quick = { webhooks: { firstWaitMs: 1, mostWaitMs: 5, timeoutMs: 2000 } };

const until = <T>(check: () => T) => vi.waitFor(check, { timeout: 20_000 });

interface Told {
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly numbers: number[];
}

/** A server that is told of events, and answers as the test wants. */
async function listener(answer: (told: Told, response: ServerResponse, count: number) => void = (_, r) => r.end()) {
  const all: Told[] = [];
  const taken: number[] = [];
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('error', () => undefined);
    incoming.on('end', () => {
      const text = Buffer.concat(pieces).toString('utf8');
      const { events } = JSON.parse(text) as { events: { eventId: string }[] };
      const told = { headers: incoming.headers, text, numbers: events.map(({ eventId }) => Number(eventId.slice(3))) };
      all.push(told);
      response.on('finish', () => {
        if (response.statusCode < 300) taken.push(...told.numbers);
      });
      answer(told, response, all.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { all, taken, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function hook(studio: TestStudio, body: object): Promise<{ webhookId: string; secret: string }> {
  const { status, json } = await studio.call('POST', HOOKS, { as: 'admin', body });
  expect(status).toBe(200);
  return json as { webhookId: string; secret: string };
}

async function unit(studio: TestStudio): Promise<void> {
  expect((await studio.call('POST', '/studio/workunits', { body: { goal: 'x' } })).status).toBe(200);
}

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

describe('a webhook', () => {
  it('is told of events in order, signed with its key', async () => {
    const begun = Math.floor(Date.now() / 1000);
    const studio = await startTestStudio(undefined, quick);
    const { url, all, taken } = await listener();
    await unit(studio);
    const { webhookId, secret } = await hook(studio, { url, after: 0 });
    for (let n = 0; n < 5; n++) await unit(studio);
    await until(() => expect(taken).toEqual(upTo(12)));
    for (const { headers, text } of all) {
      const timestamp = String(headers['weft-timestamp']);
      const mac = createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex');
      expect(headers['weft-signature']).toBe(`v1=${mac}`);
      expect(JSON.parse(text)).toMatchObject({ webhookId });
      expect(Number(timestamp)).toBeGreaterThanOrEqual(begun);
      expect(Number(timestamp)).toBeLessThanOrEqual(Date.now() / 1000);
    }
    const told = await studio.call('GET', `${HOOKS}/${webhookId}`, { as: 'admin' });
    expect(told.json).toMatchObject({ webhookId, url, failures: 0 });
    expect(JSON.stringify((await studio.call('GET', HOOKS, { as: 'admin' })).json)).not.toContain(secret);
    for (const room of ['~studio.workgroup', '~studio.local'] as const)
      for await (const { writes } of (await studio.host.room(room)).history())
        expect(JSON.stringify(writes)).not.toContain(secret);
  });

  it('is told again what it did not take: refusals, hangs, cut connections, redirects', async () => {
    const studio = await startTestStudio(undefined, { webhooks: { ...quick.webhooks, timeoutMs: 50 } });
    const elsewhere = await listener();
    const wrong: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(500).end(),
      (response) => response.destroy(),
      (response) => response.writeHead(307, { location: elsewhere.url }).end(),
      (response) => response.writeHead(404).end('no'),
      () => undefined, // it never answers
      (response) => response.socket?.end('nonsense\r\n\r\n'),
    ];
    const { url, taken, all } = await listener((_, response, count) => {
      const fault = wrong[count - 1];
      if (fault) fault(response);
      else response.end();
    });
    const { webhookId } = await hook(studio, { url });
    await unit(studio);
    await until(() => expect(taken).toEqual(upTo(2)));
    expect(all.length).toBeGreaterThan(wrong.length);
    expect(elsewhere.all).toEqual([]);
    await until(async () => {
      const { json } = await studio.call('GET', `${HOOKS}/${webhookId}`, { as: 'admin' });
      expect(json).toMatchObject({ failures: 0, toldUpTo: 2 });
    });
  });

  it('shows why it fails, and a change of it is tried at once', async () => {
    const studio = await startTestStudio(undefined, { webhooks: { firstWaitMs: 600_000, mostWaitMs: 600_000 } });
    const { url, taken } = await listener();
    const { webhookId } = await hook(studio, { url: 'http://127.0.0.1:1/' });
    await unit(studio);
    const path = `${HOOKS}/${webhookId}`;
    await until(async () => {
      const { json } = await studio.call('GET', path, { as: 'admin' });
      expect(json).toMatchObject({ failures: 1, lastFailure: expect.any(String) as string, toldUpTo: 0 });
    });
    const changed = await studio.call('PUT', path, { as: 'admin', body: { url } });
    expect(changed).toMatchObject({ status: 200, json: { url, toldUpTo: 0 } });
    await until(() => expect(taken).toEqual(upTo(2)));
  });

  it('goes on after a restart where it was, with the same key', async () => {
    const folder = await tempFolder();
    const { url, taken, all } = await listener();
    const before = createHost({ store: levelStore(folder) });
    const first = await startTestStudio(before, quick);
    const { webhookId, secret } = await hook(first, { url });
    await unit(first);
    await until(async () => {
      expect((await first.call('GET', `${HOOKS}/${webhookId}`, { as: 'admin' })).json).toMatchObject({ toldUpTo: 2 });
    });
    await first.close();
    await before.close();
    const after = createHost({ store: levelStore(folder) });
    const second = await startTestStudio(after, quick);
    await unit(second);
    await until(() => expect(taken).toEqual(upTo(4)));
    const { headers, text } = all.at(-1)!;
    const mac = createHmac('sha256', secret)
      .update(`${String(headers['weft-timestamp'])}.${text}`)
      .digest('hex');
    expect(headers['weft-signature']).toBe(`v1=${mac}`);
    await second.close();
    await after.close();
  });

  it('has a key that follows from the token of its host, another one for each, and another one with a new token', () => {
    const [before, again, after] = ['one', 'one', 'two'].map((token) => new WebhookSender(token, WEBHOOK_DEFAULTS));
    expect(again!.secretOf('hook-1')).toBe(before!.secretOf('hook-1'));
    const keys = [before!.secretOf('hook-1'), before!.secretOf('hook-2'), after!.secretOf('hook-1')];
    expect(new Set(keys).size).toBe(3);
  });

  it('is told only what it asks for, and nothing after it was removed', async () => {
    const studio = await startTestStudio(undefined, quick);
    const { url, taken } = await listener();
    const { webhookId } = await hook(studio, { url, kinds: ['WorkUnitCreated'] });
    await unit(studio);
    await unit(studio);
    await until(() => expect(taken).toEqual([1, 3]));
    const path = `${HOOKS}/${webhookId}`;
    expect((await studio.call('DELETE', path, { as: 'admin' })).json).toEqual({ webhookId });
    await unit(studio);
    const other = await listener();
    await hook(studio, { url: other.url, after: 0 });
    await until(() => expect(other.taken).toHaveLength(6));
    expect(taken).toEqual([1, 3]);
    for (const [method, body] of [
      ['GET', undefined],
      ['DELETE', undefined],
      ['PUT', { url }],
    ] as const)
      expect(await studio.call(method, path, { as: 'admin', body })).toMatchObject({
        status: 404,
        json: { code: 'reject.webhook_not_found' },
      });
  });

  it('that hangs holds up neither the others nor the end of the studio', async () => {
    const studio = await startTestStudio(undefined, { webhooks: { timeoutMs: 600_000 } });
    const stuck = await listener(() => undefined);
    const { url, taken } = await listener();
    await hook(studio, { url: stuck.url });
    await hook(studio, { url });
    for (let n = 0; n < 3; n++) await unit(studio);
    await until(() => expect(taken).toEqual(upTo(6)));
    expect(stuck.all).toHaveLength(1);
    await studio.close();
  });

  it('is told of many events in requests of at most 50', async () => {
    const studio = await startTestStudio(undefined, quick);
    for (let n = 0; n < 60; n++) await unit(studio);
    const { url, taken, all } = await listener();
    await hook(studio, { url, after: 0 });
    await until(() => expect(taken).toEqual(upTo(120)));
    expect(all.map(({ numbers }) => numbers.length)).toEqual([50, 50, 20]);
  });

  it('is for people with the admin scope', async () => {
    const studio = await startTestStudio();
    for (const as of ['read', 'operate'] as const)
      expect((await studio.call('POST', HOOKS, { as, body: { url: 'http://127.0.0.1/' } })).status).toBe(403);
  });
});

describe('an address', () => {
  const sender = new WebhookSender('', { ...WEBHOOK_DEFAULTS, hosts: ['hooks.example.org'] });

  it.each([
    'http://127.0.0.1:80/x',
    'http://localhost/',
    'https://[::1]:1/',
    'http://127.1/',
    'https://hooks.example.org/x',
  ])('may be %s', (url) => expect(sender.faultOf(url)).toBeUndefined());

  it.each([
    ...[
      '',
      'x',
      'ftp://127.0.0.1/',
      'file:///etc/passwd',
      'http://169.254.169.254/',
      'http://10.0.0.1/',
      'http://0.0.0.0/',
    ],
    ...[
      'http://hooks.example.org/',
      'https://example.org/',
      'http://localhost.example.org/',
      'http://127.0.0.1.nip.io/',
    ],
    ...[
      'https://hooks.example.org@evil.example/',
      'http://a:b@127.0.0.1/',
      'http://[::ffff:10.0.0.1]/',
      'http://167772161/',
    ],
  ])('may not be %s', (url) => expect(sender.faultOf(url)).toBeDefined());

  it('is refused before anything is recorded', async () => {
    const studio = await startTestStudio();
    const answer = await studio.call('POST', HOOKS, { as: 'admin', body: { url: 'http://169.254.169.254/' } });
    expect(answer).toMatchObject({ status: 400, json: { code: 'reject.webhook_url_not_allowed' } });
    expect((await studio.call('GET', HOOKS, { as: 'admin' })).json).toEqual([]);
  });
});
