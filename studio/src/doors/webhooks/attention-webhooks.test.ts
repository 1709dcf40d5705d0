/** Webhooks about what needs a person: each thing once, whatever dies in between. */
import { createHmac } from 'node:crypto';
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Host, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LOCAL_ROOM } from '../../studio.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

const quick = { webhooks: { firstWaitMs: 1, mostWaitMs: 5, restMs: 1, timeoutMs: 2000 } };
const until = <T>(check: () => T) => vi.waitFor(check, { timeout: 20_000 });

interface Told {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function receiver(answer: (response: ServerResponse, count: number, told: Told) => void = (r) => r.end()) {
  const all: Told[] = [];
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('error', () => undefined);
    incoming.on('end', () => {
      const told = { headers: incoming.headers, text: Buffer.concat(pieces).toString('utf8') };
      all.push(told);
      answer(response, all.length, told);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const sentences = () => all.map(({ text }) => (JSON.parse(text) as { item: { sentence: string } }).item.sentence);
  return { all, sentences, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function ask(studio: TestStudio, question: string, more: object = {}): Promise<string> {
  const made = await studio.call('POST', '/studio/workunits', { body: { goal: 'whole' } });
  const { workUnitId } = made.json as { workUnitId: string };
  await studio.call('POST', '/studio/clarifications/request', { body: { workUnitId, question, ...more } });
  return workUnitId;
}

async function hook(studio: TestStudio, body: object) {
  const made = await studio.call('POST', '/studio/webhooks', { as: 'admin', body: { about: 'attention', ...body } });
  expect(made.status).toBe(200);
  return made.json as { webhookId: string; secret: string };
}

/** All that the record of a host's own room says. */
async function written(host: Host): Promise<string> {
  const found: unknown[] = [];
  for await (const { writes } of (await host.room(LOCAL_ROOM)).history()) found.push(writes);
  return JSON.stringify(found);
}

const stateOf = async (studio: TestStudio, webhookId: string) =>
  (await studio.call('GET', `/studio/webhooks/${webhookId}`, { as: 'admin' })).json;

describe('a webhook about attention', () => {
  it('is told of each thing once, what waits already too, signed and under an id', async () => {
    const studio = await startTestStudio(undefined, quick);
    const { url, all, sentences } = await receiver();
    await ask(studio, 'First?', { options: ['a', 'b'] });
    const { webhookId, secret } = await hook(studio, { url });
    await until(() => expect(sentences()).toEqual(['First?']));
    await ask(studio, 'Second?');
    await until(() => expect(sentences()).toEqual(['First?', 'Second?']));
    for (const { headers, text } of all) {
      const mac = createHmac('sha256', secret)
        .update(`${String(headers['weft-timestamp'])}.${text}`)
        .digest('hex');
      expect(headers['weft-signature']).toBe(`v1=${mac}`);
      expect(headers['weft-delivery']).toBe(headers['idempotency-key']);
      expect(JSON.parse(text)).toMatchObject({ webhookId, item: { kind: 'answer', blocks: 0 } });
    }
    expect(new Set(all.map(({ headers }) => headers['weft-delivery'])).size).toBe(2);
    expect(await stateOf(studio, webhookId)).toMatchObject({ about: 'attention', failures: 0 });
  });

  it('is told what it is for alone', async () => {
    const studio = await startTestStudio(undefined, quick);
    const { url, sentences } = await receiver();
    const workUnitId = await ask(studio, 'Mine?');
    await ask(studio, 'Of others?');
    await hook(studio, { url, goalId: workUnitId });
    await hook(studio, { url, workUnitId });
    await hook(studio, { url, kinds: ['review'] });
    await until(() => expect(sentences()).toEqual(['Mine?', 'Mine?']));
    await ask(studio, 'Later?');
    await hook(studio, { url, kinds: ['answer'] });
    await until(() => expect(sentences().toSorted()).toEqual(['Later?', 'Mine?', 'Mine?', 'Mine?', 'Of others?']));
  });

  it('tells nothing twice after a restart, and what has come while nobody listened', async () => {
    const folder = await tempFolder();
    const { url, sentences } = await receiver();
    const before = createHost({ store: levelStore(folder) });
    const first = await startTestStudio(before, quick);
    await hook(first, { url });
    await ask(first, 'First?');
    await until(() => expect(sentences()).toEqual(['First?']));
    // What died before that is recorded would be sent again.
    await until(async () => expect(await written(before)).toContain('WebhookTaken'));
    await first.close();
    await before.close();
    const after = createHost({ store: levelStore(folder) });
    onTestFinished(() => after.close());
    const second = await startTestStudio(after, quick);
    await ask(second, 'Second?');
    await until(() => expect(sentences()).toEqual(['First?', 'Second?']));
  });

  it('says by its id that it is sent again, after a death between what was taken and its record', async () => {
    const folder = await tempFolder();
    const { url, all, sentences } = await receiver((response, count) => {
      // Taken, and the answer never arrives.
      if (count > 1) response.end();
    });
    const before = createHost({ store: levelStore(folder) });
    const first = await startTestStudio(before, quick);
    await hook(first, { url });
    await ask(first, 'First?');
    await until(() => expect(all).toHaveLength(1));
    await first.close();
    await before.close();
    const after = createHost({ store: levelStore(folder) });
    onTestFinished(() => after.close());
    const second = await startTestStudio(after, quick);
    await ask(second, 'Second?');
    await until(() => expect(sentences()).toEqual(['First?', 'First?', 'Second?']));
    const [once, again, other] = all.map(({ headers }) => headers['weft-delivery']);
    expect([again === once, other === once]).toEqual([true, false]);
  });

  it('waits for a receiver that fails, hangs or is not there, while all else goes on', async () => {
    const studio = await startTestStudio(undefined, { webhooks: { ...quick.webhooks, timeoutMs: 50 } });
    const wrong: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(500).end(),
      (response) => response.writeHead(429, { 'retry-after': '1' }).end(),
      () => undefined,
      (response) => response.destroy(),
    ];
    const { url, all } = await receiver((response, count) => (wrong[count - 1] ?? ((one) => one.end()))(response));
    const { webhookId } = await hook(studio, { url });
    await ask(studio, 'First?');
    await until(() => expect(all).toHaveLength(wrong.length + 1));
    expect(new Set(all.map(({ headers }) => headers['weft-delivery'])).size).toBe(1);
    await until(async () => expect(await stateOf(studio, webhookId)).toMatchObject({ failures: 0 }));
  });

  it('does not tell what has been dealt with meanwhile, and tells anew what comes again', async () => {
    const studio = await startTestStudio(undefined, quick);
    let isUp = false;
    const { url, all, sentences } = await receiver((response) => response.writeHead(isUp ? 200 : 503).end());
    await hook(studio, { url });
    const workUnitId = await ask(studio, 'First?');
    await until(() => expect(all.length).toBeGreaterThan(0));
    await studio.call('POST', `/studio/clarifications/${workUnitId}/respond`, { body: { response: 'yes' } });
    await until(async () => expect((await studio.call('GET', '/studio/attention')).json).toMatchObject({ items: [] }));
    isUp = true;
    const from = all.length;
    await ask(studio, 'Second?');
    await until(() => expect(sentences().slice(from)).toContain('Second?'));
    const pause = (what: string) => studio.call('POST', `/studio/goals/${workUnitId}/${what}`, { body: {} });
    const paused = () => all.filter(({ text }) => text.includes('"kind":"paused"'));
    await pause('pause');
    await until(() => expect(paused()).toHaveLength(1));
    await pause('resume');
    await ask(studio, 'Third?');
    await until(() => expect(sentences()).toContain('Third?'));
    await pause('pause');
    await until(() => expect(paused()).toHaveLength(2));
  });

  it('speaks as Slack and mail services hear, and nobody’s title is markup or a header', async () => {
    const studio = await startTestStudio(undefined, quick);
    const slack = await receiver();
    const mail = await receiver();
    await hook(studio, { url: slack.url, shape: 'slack' });
    await hook(studio, { url: mail.url, shape: 'mail' });
    const own = await receiver();
    const template = {
      from: 'weft@example.org',
      to: ['me@example.org'],
      subject: '{{title}}',
      html: { n: 1, b: '{{ id }}' },
    };
    await hook(studio, { url: own.url, shape: 'mail', template });
    await ask(studio, '<!channel> & <http://evil|x>\r\nBcc: all\u001b[2J {{id}}', { options: ['a', 'b'] });
    await until(() => expect([slack.all.length, mail.all.length, own.all.length]).toEqual([1, 1, 1]));
    const { text } = JSON.parse(slack.all[0]?.text ?? '') as { text: string };
    expect(text).toMatch(
      /^\*A question: &lt;!channel&gt; &amp; &lt;http:\/\/evil\|x&gt; Bcc: all\ufffd\[2J \{\{id\}\}\*\n/,
    );
    expect(text).toContain('Answers: a / b\nGoal: whole\nanswer CLR-');
    expect(text).not.toMatch(/[<>]/);
    const sent = JSON.parse(mail.all[0]?.text ?? '') as { subject: string; text: string };
    expect(sent.subject).toBe('[Weft] A question: <!channel> & <http://evil|x> Bcc: all\ufffd[2J {{id}}');
    const mine = JSON.parse(own.all[0]?.text ?? '') as typeof template;
    expect(mine).toMatchObject({ from: 'weft@example.org', to: ['me@example.org'], html: { n: 1 } });
    expect(mine.html.b).not.toContain('{{');
  });

  it('sends a key by its name, and waits for one that is missing', async () => {
    const studio = await startTestStudio(undefined, quick);
    const { url, all } = await receiver();
    const { webhookId } = await hook(studio, { url, credentialRef: 'mail' });
    await ask(studio, 'First?');
    await until(async () =>
      expect(await stateOf(studio, webhookId)).toMatchObject({
        lastFailure: expect.stringContaining('the key mail is missing') as string,
      }),
    );
    expect(all).toEqual([]);
    await studio.call('POST', '/studio/credentials', { body: { credentialRef: 'mail', apiKey: 'sk-1' } });
    await until(() => expect(all[0]?.headers['authorization']).toBe('Bearer sk-1'));
  });

  it.each([
    [{ about: 'events', shape: 'slack' }, 'shape: is for a webhook about attention'],
    [{ about: 'events', template: {} }, 'template: is for a webhook about attention'],
    [{ about: 'events', credentialRef: 'x' }, 'credentialRef: is for'],
    [{ kinds: ['GoalPaused'] }, 'kinds: GoalPaused is none of answer'],
    [{ template: { a: '{{nothing}}' } }, 'template: {{nothing}} is none of title'],
    [{ template: { a: 'x'.repeat(10_000) } }, 'template: has more than'],
    [{ template: { a: [[[[[[[[1]]]]]]]] } }, 'template: is nested deeper'],
  ])('is refused where something said about it would have no effect: %j', async (wish, message) => {
    const studio = await startTestStudio();
    const body = { about: 'attention', url: 'http://127.0.0.1:1/', ...wish };
    const { status, json } = await studio.call('POST', '/studio/webhooks', { as: 'admin', body });
    expect([status, (json as { error: string }).error]).toEqual([400, expect.stringContaining(message)]);
    expect((await studio.call('GET', '/studio/webhooks', { as: 'admin' })).json).toEqual([]);
  });
});
