import { createHmac } from 'node:crypto';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ForgeAtWork, HOOK_SECRET, forgeAtWork } from '../../testing/git/forge-at-work.js';
import { goalsOf, playFlow } from '../../testing/git/forge-flow.js';
import { git } from '../../testing/git/git-repository.js';
import { ManualClock } from '../../testing/manual-clock.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type Answer, startTestStudio } from '../../testing/test-studio.js';

const HOUR_MS = 3_600_000;

/** What needs a person. */
interface Item {
  readonly kind: string;
  readonly sentence: string;
  readonly actions: readonly { readonly operation: string }[];
}

/** Sends a notice as GitHub does. */
function notice(
  { studio, repositoryId }: ForgeAtWork,
  body: object,
  { secret = HOOK_SECRET, id = 'delivery-1' } = {},
): Promise<Answer> {
  const text = JSON.stringify(body);
  const signature = createHmac('sha256', secret).update(text).digest('hex');
  const headers = { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-delivery': id };
  return studio.call('POST', `/studio/hooks/${repositoryId}`, { as: undefined, body: text, headers });
}

const KINDS = ['github', 'gitlab', 'gitea'] as const;

describe('work with a repository at GitHub', () => {
  it('goes from an issue over a request, a review and its answer to the branch of the user', () => playFlow('github'));
});

describe('a token of GitHub', () => {
  it('that an app was given, and that is no user, does all of it in the name of the app', () =>
    playFlow('github', 'app'));

  it('for few repositories, which may read no runs of checks, does all but those, and says what is to be given', async () => {
    const wish = { requiredChecks: ['test'] };
    const at = await forgeAtWork('github', {}, wish, 'person, for few repositories');
    const { model } = at.server;
    const issue = model.openIssue(model.user('ada'), 'Greet anew', '', ['weft']);
    await at.until(() => issue.comments.some(({ body }) => body.includes('A request is open')));
    model.check(await model.headOf(model.requests[0]!), 'test', 'passed');
    expect((await at.look()).json).toMatchObject({ troubles: [expect.stringContaining('give a classic token')] });
    // What cannot be seen opens nothing.
    const [{ proposalId }] = (await at.get<{ proposalId: string }[]>('merges')) as [{ proposalId: string }];
    const landed = await at.post(`merges/${proposalId}/land`);
    expect(landed).toMatchObject({ status: 409, json: { code: 'reject.checks_required' } });
    expect(landed.text).toContain('give a classic token');
    // What people say there is heard all the same.
    const [request] = model.requests;
    const first = await model.headOf(request!);
    model.review(request!, model.user('ada'), 'CHANGES_REQUESTED', 'Nearly.');
    await at.until(async () => (await model.headOf(request!)) !== first);
  });

  it('that is refused everything is no app', async () => {
    const at = await forgeAtWork('github');
    at.server.before = (_request, response) => {
      response.writeHead(403).end('{"message":"Forbidden"}');
      return true;
    };
    expect((await at.look()).text).toContain('does not let this token');
  });
});

describe('a repository at a forge', () => {
  it('is offered work as its settings say: in which form, on which branch, with which words, by whom', async () => {
    const at = await forgeAtWork('github');
    const { model } = at.server;
    const settings = {
      shape: 'merge',
      branch: 'own/{goal}',
      message: '{title}\n\n{body}\n\nGoal: {goal}',
      author: { name: 'Ada', email: 'ada@example.test' },
      coAuthors: [{ name: 'Bob', email: 'bob@example.test' }],
    };
    const place = `/studio/repositories/${at.repositoryId}/publishing`;
    expect(await at.studio.call('PUT', place, { body: settings })).toMatchObject({ status: 200 });
    model.openIssue(model.user('ada'), 'Greet anew', '', ['weft']);
    await at.until(() => model.requests.length === 1);
    const [request] = model.requests;
    const { goalId } = (await goalsOf(at))[0]!;
    expect(request).toMatchObject({ branch: `own/${goalId}`, title: 'A new greeting' });
    const head = await model.headOf(request!);
    const shown = (format: string) => git(model.bare, 'log', '-1', `--format=${format}`, head);
    expect(await shown('%an <%ae>')).toBe('Ada <ada@example.test>');
    expect((await shown('%P')).split(' ')).toHaveLength(2);
    expect((await shown('%B')).trim()).toBe(
      `A new greeting\n\nThe one before was old.\n\nGoal: ${goalId}\nCo-authored-by: Bob <bob@example.test>`,
    );
  });

  it('has failing checks done again, and passing ones as evidence', async () => {
    const at = await forgeAtWork('github');
    const { server, until, get } = at;
    const { model } = server;
    model.openIssue(model.user('ada'), 'Greet anew', '', ['weft']);
    await until(() => model.requests.length === 1);
    const [request] = model.requests;
    const first = await model.headOf(request!);
    model.check(first, 'lint', 'passed');
    model.check(first, 'test', 'failed', 'expected hello 2');
    model.check(first, 'slow', 'pending');
    await until(async () => (await model.headOf(request!)) !== first);
    expect(JSON.stringify(await get('artifacts?type=RevisionContext'))).toContain('expected hello 2');
    const [{ workUnitId }] = (await get<{ workUnitId: string }[]>('merges')) as [{ workUnitId: string }];
    const { evidence } = await get<{ evidence: { summary: string; success: boolean }[] }>(
      `evidence?workUnitId=${workUnitId}`,
    );
    expect(evidence.map(({ summary, success }) => [summary, success])).toEqual(
      expect.arrayContaining([
        ['check lint: passed', true],
        ['check test: failed', false],
      ]),
    );
  });

  it.each(KINDS)('at %s has its required checks green before work lands', async (kind) => {
    const at = await forgeAtWork(kind, {}, { requiredChecks: ['lint', 'test'] });
    const { server, folder, until, get, post } = at;
    const { model } = server;
    model.openIssue(model.user('ada'), 'Greet anew', '', ['weft']);
    await until(() => model.requests.length === 1);
    const head = await model.headOf(model.requests[0]!);
    const [{ proposalId }] = (await get<{ proposalId: string }[]>('merges')) as [{ proposalId: string }];
    const before = await git(folder, 'rev-parse', 'main');
    const refused = (checks: object[]) => ({
      status: 409,
      json: { code: 'reject.checks_required', details: { proposalId, checks } },
    });
    // A person's word is kept, and is not enough.
    expect(await post(`merges/${proposalId}/land`)).toMatchObject(
      refused([
        { name: 'lint', state: 'missing' },
        { name: 'test', state: 'missing' },
      ]),
    );
    model.check(head, 'lint', 'passed');
    const slow = model.check(head, 'test', 'pending');
    const standing = async () => {
      const [{ goalId = '' } = {}] = await goalsOf(at);
      const { waitsForChecks, pendingReviews } = await get<Record<string, unknown>>(`goals/${goalId}/status`);
      const { items: found } = await get<{ items: Item[] }>('attention');
      const items = found.map(({ kind: what, sentence, actions }) => [what, sentence, actions[0]?.operation]);
      return { waitsForChecks, pendingReviews, items };
    };
    const because = 'test is under way';
    await until(async () => JSON.stringify((await standing()).waitsForChecks).includes(because));
    expect(await standing()).toEqual({
      waitsForChecks: [`${proposalId}: ${because}`],
      pendingReviews: [],
      items: [['checks', `Draft: [WIP] A new greeting: waits for checks of its forge, ${because}`, 'forge.look']],
    });
    expect(await post(`merges/${proposalId}/apply`)).toMatchObject(refused([{ name: 'test', state: 'pending' }]));
    expect(await git(folder, 'rev-parse', 'main')).toBe(before);
    slow.state = 'passed';
    await until(async () => (await standing()).items[0]?.[0] === 'land');
    expect(await get('contributions')).toMatchObject([
      {
        checks: [
          { name: 'lint', state: 'passed' },
          { name: 'test', state: 'passed' },
        ],
      },
    ]);
    expect(await post(`merges/${proposalId}/apply`)).toMatchObject({ status: 200 });
    expect(await git(folder, 'show', 'main:greeting.txt')).toBe('hello 1');
  });

  it('lands by itself what agents may approve, once its checks are green, and does it again while one fails', async () => {
    const at = await forgeAtWork('github', {}, { requiredChecks: ['*'] });
    const { server, folder, until, post } = at;
    const { model } = server;
    await post('goals/run', { goal: 'Greet anew', shape: 'single', reviewPolicy: 'AgentApproval' });
    await until(() => model.requests.length === 1);
    const [request] = model.requests;
    const first = await model.headOf(request!);
    // Beyond the first page of a forge.
    for (let number = 0; number < 130; number++) model.check(first, `check ${number}`, 'passed');
    model.check(first, 'the last', 'failed', 'expected hello 2');
    await until(async () => (await model.headOf(request!)) !== first);
    const second = await model.headOf(request!);
    expect(await git(folder, 'show', 'main:greeting.txt')).toBe('hello');
    model.check(second, 'the last', 'passed');
    await until(async () => (await goalsOf(at))[0]?.status === 'Converged');
    expect(await git(folder, 'show', 'main:greeting.txt')).toBe('hello 2');
  });

  it('lands here what people have merged there, whatever its checks say', async () => {
    const at = await forgeAtWork('github', {}, { requiredChecks: ['test'] });
    const { server, folder, until } = at;
    const { model } = server;
    const ada = model.user('ada');
    model.openIssue(ada, 'Greet anew', '', ['weft']);
    await until(() => model.requests.length === 1);
    const merged = await model.merge(model.requests[0]!, ada);
    await until(async () => (await goalsOf(at))[0]?.status === 'Converged');
    expect(await git(folder, 'rev-parse', 'main')).toBe(merged);
  });

  it.each(KINDS)('at %s hears who speaks after a hundred others', async (kind) => {
    const at = await forgeAtWork(kind);
    const { server, until } = at;
    const { model } = server;
    const ada = model.user('ada');
    model.openIssue(ada, 'Greet anew', '', ['weft']);
    await until(() => model.requests.length === 1);
    const [request] = model.requests;
    const first = await model.headOf(request!);
    for (let number = 0; number < 120; number++) model.comment(request!, ada, `Note ${number}.`);
    model.comment(request!, ada, '@weft say hello twice');
    await until(async () => (await model.headOf(request!)) !== first);
  });

  it('is told what is asked, and its answer goes on with the work', async () => {
    const at = await forgeAtWork('github', { agents: undefined });
    const { server, post, until, get } = at;
    const { model } = server;
    const ada = model.user('ada');
    const issue = model.openIssue(ada, 'Greet anew', 'I call @weft for it.');
    const { goalId, isNew } = (await post(`repositories/${at.repositoryId}/forge/issues/${issue.number}`)).json as {
      goalId: string;
      isNew: boolean;
    };
    expect(isNew).toBe(true);
    expect((await post(`repositories/${at.repositoryId}/forge/issues/${issue.number}`)).json).toMatchObject({
      goalId,
      isNew: false,
    });
    await post('clarifications/request', { workUnitId: goalId, question: 'How loud?', options: ['low', 'high'] });
    await until(() => issue.comments[0]?.body.includes('How loud?'));
    model.comment(issue, model.user('eve', { mayWrite: false }), '@weft high');
    model.comment(issue, model.user('robot', { isBot: true }), '@weft high');
    model.comment(issue, ada, 'I wonder about this.');
    model.comment(issue, ada, '> @weft high\n\n@weft low');
    await until(() => !issue.comments[0]?.body.includes('How loud?'));
    const [{ sessionId }] = (await get<{ sessionId: string }[]>('sessions')) as [{ sessionId: string }];
    const events = await get<{ payloadJson: string }[]>(`sessions/${sessionId}/events`);
    const said = events.map(({ payloadJson }) => payloadJson).join('\n');
    expect(said).toContain('"response":"low"');
    expect(said).toContain('"respondedBy":"github:ada"');
  });

  it('takes signed notices alone, each once, and believes nothing but where to look', async () => {
    const at = await forgeAtWork('github', { agents: undefined });
    const { model } = at.server;
    const ada = model.user('ada');
    await at.look();
    const [wanted, other] = [
      model.openIssue(ada, 'One', 'please, @weft'),
      model.openIssue(model.user('eve', { mayWrite: false }), 'Two', '@weft'),
    ];
    const body = { action: 'opened', issue: { number: wanted.number, body: '@weft' }, repository: {} };
    expect(await notice(at, body, { secret: 'another' })).toMatchObject({
      status: 401,
      json: { code: 'reject.hook_signature' },
    });
    expect(await goalsOf(at)).toEqual([]);
    expect((await notice(at, body)).json).toEqual({ heard: true });
    await at.until(async () => (await goalsOf(at)).length === 1);
    expect((await notice(at, body)).json).toEqual({ heard: false });
    // Sent again under another name, and about what nobody who may write has asked for.
    for (const [number, id] of [
      [wanted.number, '2'],
      [other.number, '3'],
      [99, '4'],
    ] as const)
      expect((await notice(at, { issue: { number } }, { id })).json).toEqual({ heard: true });
    await at.look();
    await at.look();
    expect((await goalsOf(at)).length).toBe(1);
    expect((await at.studio.call('POST', '/studio/hooks/nothing', { as: undefined, body: '{}' })).status).toBe(401);
  });

  it.each(KINDS)(
    'at %s finds by itself who called it, where the notice of that was lost, and not what was said before',
    async (kind) => {
      const at = await forgeAtWork(kind, { agents: undefined });
      const { model } = at.server;
      const ada = model.user('ada');
      const [issue, old, other] = ['New', 'Old', 'Other'].map((title) => model.openIssue(ada, title, ''));
      old!.body = 'long ago, @weft';
      old!.changedAt = '2020-01-01T00:00:00.000Z';
      model.comment(other!, model.user('eve', { mayWrite: false }), '@weft please');
      model.comment(issue!, ada, '@weft please');
      await at.look();
      expect(await at.get('contributions')).toMatchObject([{ issue: { number: issue!.number, title: 'New' } }]);
      await at.look();
      expect(await goalsOf(at)).toHaveLength(1);
    },
  );

  it.each(KINDS)(
    'at %s finds at a start what was asked for within a day before it, and nothing older',
    async (kind) => {
      const host = createHost({ store: memoryStore() });
      onTestFinished(() => host.close());
      const kept = { host, folder: await tempFolder(), agents: undefined };
      const threeDaysAgo = new ManualClock(Date.now() - 72 * HOUR_MS);
      const at = await forgeAtWork(kind, { ...kept, wall: threeDaysAgo });
      await at.look();
      await at.studio.close();
      const { model, token } = at.server;
      const ada = model.user('ada');
      for (const hours of [23, 25]) {
        const issue = model.openIssue(ada, `${hours} hours ago`, '@weft please');
        issue.changedAt = new Date(Date.now() - hours * HOUR_MS).toISOString();
      }
      const keys = { [kind]: token };
      const again = await startTestStudio(undefined, {
        ...kept,
        keys,
        forges: { everyMs: HOUR_MS },
        cloneProtocols: ['http'],
      });
      const look = (): Promise<Answer> =>
        again.call('POST', `/studio/repositories/${at.repositoryId}/forge/look`, { body: {} });
      expect((await look()).json).toMatchObject({ troubles: [] });
      expect((await look()).json).toMatchObject({ troubles: [] });
      const taken = (await again.call('GET', '/studio/contributions')).json;
      expect(taken).toMatchObject([{ issue: { title: '23 hours ago' } }]);
    },
  );

  it.each(KINDS)('at %s costs time alone where it limits, is down, lies or refuses', async (kind) => {
    const at = await forgeAtWork(kind);
    const { server, look, until } = at;
    const { model } = server;
    model.openIssue(model.user('ada'), 'Greet anew', '', ['weft']);
    const said = async (): Promise<{ troubles: string[]; waitsUntil: string | null }> => (await look()).json as never;
    const answering = (status: number, headers: Record<string, string>, text: string): void => {
      server.before = (_request, response) => {
        response.writeHead(status, headers).end(text);
        return true;
      };
    };
    const later = Math.floor(Date.now() / 1000) + 3600;
    const limits = {
      github: [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(later) }],
      gitlab: [429, { 'ratelimit-remaining': '0', 'ratelimit-reset': String(later) }],
      gitea: [429, { 'retry-after': '3600' }],
    } as const;
    const [status, headers] = limits[kind];
    answering(status, headers, '{}');
    const limited = await said();
    expect(limited.troubles).toEqual(['the forge takes no more requests for a while']);
    expect(Math.abs(Date.parse(limited.waitsUntil ?? '') - later * 1000)).toBeLessThan(60_000);
    answering(503, {}, '');
    expect((await said()).troubles).toEqual([`${server.api} does not answer`]);
    answering(200, {}, '{"an": "answer"');
    expect((await said()).troubles[0]).toContain('no JSON');
    answering(200, {}, '[{"number": "one"}]');
    expect((await said()).troubles[0]).toContain('form that is not known');
    answering(302, { location: 'http://127.0.0.1:1/' }, '');
    expect((await said()).troubles[0]).toContain('does not answer');
    answering(401, {}, '{"message": "Bad credentials"}');
    expect((await said()).troubles[0]).toContain('does not let this token');
    // A limit that is short is waited for inside a call.
    let isLimited = true;
    server.before = (_request, response) => {
      if (!isLimited) return false;
      isLimited = false;
      response.writeHead(429, { 'retry-after': '0' }).end('{}');
      return true;
    };
    await until(() => model.requests.length === 1);
    expect(model.issues[0]!.comments.length).toBeLessThanOrEqual(1);
  });

  it.each(KINDS.flatMap((kind) => [[kind, 'not'] as const, [kind, 'byte by byte'] as const]))(
    'at %s keeps nobody waiting while it answers %s, and none of it when the studio ends',
    async (kind, how) => {
      const at = await forgeAtWork(kind);
      const { server, studio, get } = at;
      server.model.openIssue(server.model.user('ada'), 'Greet anew', '', ['weft']);
      const held = new Promise<void>((resolve) => {
        server.before = (_request, response) => {
          if (how !== 'not') {
            response.writeHead(200, { 'content-type': 'application/json' });
            const dripping = setInterval(() => response.write(' '), 20);
            response.on('close', () => clearInterval(dripping));
          }
          resolve();
          return true;
        };
      });
      const looking = at.look().catch(() => undefined);
      await held;
      expect(await goalsOf(at)).toEqual([]);
      expect(await get('attention')).toMatchObject({ items: [] });
      await studio.close();
      await looking;
    },
  );

  it('is left alone where others have pushed to the branch of the work', async () => {
    const at = await forgeAtWork('github');
    const { server, until, look } = at;
    const { model } = server;
    const ada = model.user('ada');
    model.openIssue(ada, 'Greet anew', '', ['weft']);
    await until(() => model.requests.length === 1);
    const [request] = model.requests;
    const head = await model.headOf(request!);
    const tree = await git(model.bare, 'rev-parse', `${head}^{tree}`);
    const theirs = await git(model.bare, 'commit-tree', tree, '-p', head, '-m', 'theirs');
    await git(model.bare, 'update-ref', `refs/heads/${request!.branch}`, theirs);
    model.review(request!, ada, 'CHANGES_REQUESTED', 'Nearly.');
    await until(async () =>
      ((await look()).json as { troubles: string[] }).troubles.some((one) => one.includes('others have pushed')),
    );
    expect(await model.headOf(request!)).toBe(theirs);
  });
});
