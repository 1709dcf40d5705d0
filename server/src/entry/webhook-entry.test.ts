/** The authentication webhook, against a real HTTP server. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EntryAnswer, EntryHello } from '@weft/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { webhookEntry, type WebhookEntryOptions } from './webhook-entry.js';

const SECRET = 'a shared secret of the operator';

interface Question {
  readonly body: Record<string, unknown>;
  readonly isSigned: boolean;
}

type Answering = (question: Question, response: ServerResponse) => void;

const says =
  (answer: unknown, status = 200): Answering =>
  (_question, response) =>
    void response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer));

/** A webhook that answers as the test says, and what it was asked. */
async function webhook(first: Answering, options: Partial<WebhookEntryOptions> = {}) {
  const questions: Question[] = [];
  const state = { answering: first };
  const http = createServer((request, response) => {
    void read(request).then((text) => {
      const mac = createHmac('sha256', SECRET).update(`${String(request.headers['weft-timestamp'])}.${text}`);
      const isSigned = request.headers['weft-signature'] === `v1=${mac.digest('hex')}`;
      const question = { body: JSON.parse(text) as Record<string, unknown>, isSigned };
      questions.push(question);
      state.answering(question, response);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/who`;
  const hook = webhookEntry({ url, secret: SECRET, ...options });
  const ask = async (hello: Partial<EntryHello> = {}, signal = new AbortController().signal): Promise<EntryAnswer> =>
    hook(
      { room: 'plans', address: '10.1.2.3', headers: { cookie: 'sid=1', 'user-agent': 'x', origin: 'https://app' } },
      { ...ANN, ...hello },
      signal,
    );
  return { ask, questions, state };
}

const ANN: EntryHello = {
  pubkey: 'ab'.repeat(32),
  proven: true,
  isRecheck: false,
  peerId: undefined,
  peerType: 'ui',
  token: 'badge',
};

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}

describe('the authentication webhook', () => {
  it('[AU10] is asked what a hello says, signed, with the headers that were named', async () => {
    const { ask, questions } = await webhook(
      says({ allow: true, caps: ['query.read'], expires_at: 2_000_000_000, subject: 'ann', recheck_after: 60 }),
    );
    expect(await ask()).toEqual({
      grant: { caps: ['query.read'], expiry: 2_000_000_000, subject: 'ann', recheckAfter: 60 },
    });
    expect(questions).toEqual([
      {
        isSigned: true,
        body: {
          room: 'plans',
          pubkey: ANN.pubkey,
          proven: true,
          peer_id: null,
          peer_type: 'ui',
          token: 'badge',
          address: '10.1.2.3',
          headers: { cookie: 'sid=1', origin: 'https://app' },
          recheck: false,
        },
      },
    ]);
    const guide = readFileSync(new URL('../../../docs/guide/entry.md', import.meta.url), 'utf8');
    const [, shown = ''] = /^```json\n(.*?)^```$/ms.exec(guide) ?? [];
    expect(Object.keys(JSON.parse(shown) as object)).toEqual(Object.keys(questions[0]!.body));
  });

  it.each([
    [says({ allow: false, reason: 'your trial is over' }), 'your trial is over'],
    [says({ allow: false }), 'refused'],
    [says('', 403), 'refused'],
    [says('', 401), 'refused'],
  ])('[AU10] denies with its reason, %#', async (answering, deny) => {
    expect(await (await webhook(answering)).ask()).toEqual({ deny });
  });

  it.each([
    ['fails', says('', 500), 'answered 500'],
    ['leads elsewhere', says('', 302), 'answered 302'],
    ['answers no JSON', says('yes'), 'no answer'],
    ['forgets what it grants', says({ allow: true }), 'no answer'],
    ['allows something like true', says({ allow: 'true', caps: [] }), 'no answer'],
    ['answers too much', says('x'.repeat(70_000)), 'more than 65536 bytes'],
    ['hangs up', ((_question, response) => response.destroy()) as Answering, 'fetch failed'],
  ])('[AU10] is an error where it %s, and asked anew by the next', async (_what, answering, message) => {
    const { ask, questions, state } = await webhook(answering);
    await expect(ask()).rejects.toThrow(message);
    state.answering = says({ allow: true, caps: [] });
    expect(await ask()).toEqual({ grant: { caps: [] } });
    expect(questions).toHaveLength(2);
  });

  it('[AU10] that does not answer in time is given up', async () => {
    const { ask } = await webhook(() => undefined);
    await expect(ask({}, AbortSignal.timeout(20))).rejects.toThrow(/timeout/);
  });

  it('[AU10] is asked the same once at a time, and again for another token, another key, or by a recheck', async () => {
    const waiting: ServerResponse[] = [];
    const { ask, questions, state } = await webhook((_question, response) => void waiting.push(response));
    const both = [ask(), ask()];
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    waiting[0]!.end(JSON.stringify({ allow: true, caps: ['room.admin'] }));
    expect(await Promise.all(both)).toEqual([{ grant: { caps: ['room.admin'] } }, { grant: { caps: ['room.admin'] } }]);
    await ask();
    expect(questions).toHaveLength(1);
    state.answering = says({ allow: false });
    expect(await ask({ token: 'other' })).toEqual({ deny: 'refused' });
    expect(await ask({ proven: false })).toEqual({ deny: 'refused' });
    expect(await ask({ isRecheck: true })).toEqual({ deny: 'refused' });
    expect(questions.map(({ body }) => body['recheck'])).toEqual([false, false, false, true]);
  });

  it.each([
    ['the operator keeps nothing', { allow: true, caps: [] }, { cacheMs: 0 }],
    ['it says so', { allow: true, caps: [], cache_for: 0 }, {}],
    ['it wants to be asked again at once', { allow: true, caps: [], recheck_after: 0 }, {}],
  ])('[AU10] keeps no answer where %s', async (_what, answer, options) => {
    const { ask, questions } = await webhook(says(answer), options);
    await ask();
    await ask();
    expect(questions).toHaveLength(2);
  });

  it('[AU10] has so many questions at a time, and refuses those that could only wait', async () => {
    const waiting: ServerResponse[] = [];
    let most = 0;
    const { ask } = await webhook((_question, response) => {
      waiting.push(response);
      most = Math.max(most, waiting.length);
    });
    const asked = Array.from({ length: 32 + 1024 + 1 }, (_, number) =>
      ask({ token: number }).then(
        () => 'answered',
        (error: unknown) => (error instanceof Error ? error.message : ''),
      ),
    );
    expect(await asked.at(-1)).toBe('too many wait for the authentication webhook');
    let answered = 0;
    while (answered < 32 + 1024) {
      const response = waiting.shift();
      if (response) {
        answered++;
        response.end(JSON.stringify({ allow: true, caps: [] }));
      } else await new Promise((resolve) => setImmediate(resolve));
    }
    expect(new Set(await Promise.all(asked.slice(0, -1)))).toEqual(new Set(['answered']));
    expect(most).toBeLessThanOrEqual(32);
  });

  it('[AU10] is reached in the open on this machine alone, and has a secret worth the name', () => {
    const url = 'https://auth.example/who';
    expect(() => webhookEntry({ url, secret: 'short' })).toThrow('auth-webhook-secret: must have at least 16');
    expect(() => webhookEntry({ url: 'http://auth.example/who', secret: SECRET })).toThrow('must be https');
    expect(() => webhookEntry({ url: 'https://a:b@auth.example', secret: SECRET })).toThrow('password');
    expect(() => webhookEntry({ url: 'auth.example', secret: SECRET })).toThrow('no http address');
    expect(webhookEntry({ url, secret: SECRET })).toBeTypeOf('function');
  });
});
