/** A host that is killed while it tells a webhook of something, or while it follows what a forge has told it. */
import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { HOOK_SECRET, startForgeServer } from '../../testing/git/forge-at-work.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type WeftProgram, startWeft } from '../../testing/models/weft-program.js';

const until = <T>(check: () => T) => vi.waitFor(check, { timeout: 60_000, interval: 50 });

interface Told {
  readonly delivery: string | undefined;
  readonly body: Record<string, unknown>;
}

/** Takes what it is told; `before` runs before it answers. */
async function receiver(before: (count: number) => Promise<void>) {
  const all: Told[] = [];
  const server = createServer((incoming, response) => {
    void textOf(incoming).then(
      async (text) => {
        all.push({
          delivery: incoming.headers['weft-delivery'] as string | undefined,
          body: JSON.parse(text) as Told['body'],
        });
        await before(all.length);
        response.end();
      },
      () => undefined,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { all, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

it.each(['attention', 'events'] as const)(
  'a webhook about %s that its host dies at is told again, as what it was told',
  async (about) => {
    const base = await tempFolder();
    let starting = startWeft(base);
    const deaths: Promise<void>[] = [];
    // It has been told, and the host hears nothing of that.
    const { all, url } = await receiver(async (count) => {
      if (count <= 2) await (deaths[count] ??= starting.then((weft) => weft.kill()));
    });
    await (await starting).post('/webhooks', { url, about });
    const ask = async (question: string): Promise<void> => {
      const weft = await starting;
      const { workUnitId } = (await weft.post('/workunits', { goal: question })).json;
      await weft.post('/clarifications/request', { workUnitId, question });
    };
    await ask('First?').catch(() => undefined);
    for (const count of [1, 2]) {
      await until(() => expect(all.length).toBeGreaterThanOrEqual(count));
      await deaths[count];
      await (starting = startWeft(base));
    }
    await ask('Second?');
    if (about === 'attention') {
      const said = () =>
        all.map(({ delivery, body }) => [delivery, (body['item'] as { sentence: string }).sentence] as const);
      await until(() => expect(JSON.stringify(said())).toContain('Second?'));
      // Told three times, it is one delivery.
      expect(new Set(said().map(([delivery]) => delivery)).size).toBe(2);
      expect(
        new Set(
          said()
            .filter(([, text]) => text.includes('First?'))
            .map(([delivery]) => delivery),
        ).size,
      ).toBe(1);
      return;
    }
    const events = () => all.flatMap(({ body }) => body['events'] as Record<string, unknown>[]);
    await until(() => expect(JSON.stringify(events())).toContain('Second?'));
    const texts = new Map<unknown, Set<string>>();
    for (const event of events()) {
      const known = texts.get(event['eventId']) ?? new Set<string>();
      texts.set(event['eventId'], known.add(JSON.stringify(event)));
    }
    expect(texts.has(undefined)).toBe(false);
    expect([...texts.values()].filter(({ size }) => size > 1)).toEqual([]);
    expect(events().length).toBeGreaterThan(texts.size);
  },
);

it('a notice of a forge whose host dies while it follows it begins one goal, sent again or not', async () => {
  const server = await startForgeServer('github');
  const { model, git } = server;
  const base = await tempFolder();
  const models = {
    model: { provider: 'scripted' },
    script: 'script.jsonl',
    keys: { github: { env: 'FORGE_TOKEN' }, hook: { env: 'HOOK_SECRET' } },
  };
  await writeFile(join(base, 'script.jsonl'), JSON.stringify({ script: 1 }));
  await writeFile(join(base, 'models.json'), JSON.stringify(models));
  const start = (): Promise<WeftProgram> =>
    startWeft(base, ['--models', join(base, 'models.json')], { FORGE_TOKEN: server.token, HOOK_SECRET });
  let starting = start();
  let weft = await starting;
  const url = git.url(server.project).replace('//', `//${git.credentials}@`);
  const { repositoryId } = (await weft.post('/repositories/clone', { url, targetPath: join(base, 'mine') })).json;
  const path = `/repositories/${String(repositoryId)}/forge`;
  await weft.ask('PUT', path, { kind: 'github', api: server.api, hookRef: 'hook', label: null });
  await weft.post(`${path}/look`);
  const issue = model.openIssue(model.user('ada'), 'Greet anew', '@weft');
  const notice = async (): Promise<number> => {
    const text = JSON.stringify({ action: 'opened', issue: { number: issue.number } });
    const headers = {
      'content-type': 'application/json',
      'x-hub-signature-256': `sha256=${createHmac('sha256', HOOK_SECRET).update(text).digest('hex')}`,
      'x-github-delivery': 'delivery-1',
    };
    return (await fetch(`${weft.url}/hooks/${String(repositoryId)}`, { method: 'POST', headers, body: text })).status;
  };
  const goals = async () => ((await weft.ask('GET', '/goals')).json as unknown as { goals: object[] }).goals;
  // The requests under way when it dies: what the notice is about, and what is said of the goal. A host that is back asks at once.
  const askedAtDeath = ['GET /issues/1', 'POST /issues/1/comments'];
  const deaths: Promise<void>[] = [];
  server.before = async (request) => {
    const line = `${request.method} ${(request.url ?? '').replace('/api/v3/repos/team/project', '')}`;
    if (line === askedAtDeath[deaths.length]) deaths.push(starting.then((dying) => dying.kill()));
    await deaths.at(-1);
    return false;
  };
  await notice().catch(() => undefined);
  for (const [death, asked] of askedAtDeath.entries()) {
    await until(() => expect(deaths[death], asked).toBeDefined());
    await deaths[death];
    weft = await (starting = start());
  }
  await until(async () => expect(await goals()).toHaveLength(1));
  await notice();
  await weft.post(`${path}/look`);
  expect(await goals()).toHaveLength(1);
  expect(issue.comments).toHaveLength(1);
}, 120_000);
