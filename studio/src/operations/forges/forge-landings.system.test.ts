/** Landings of work that a forge shows: its checks are asked for anew, and what was merged there comes here in whatever form. */
import type { OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type ForgeAtWork, forgeAtWork } from '../../testing/git/forge-at-work.js';
import { goalsOf } from '../../testing/git/forge-flow.js';
import { git } from '../../testing/git/git-repository.js';
import { commitThere } from '../../testing/git/git-server.js';
import { ManualClock } from '../../testing/manual-clock.js';

const KINDS = ['github', 'gitlab', 'gitea'] as const;

/** Work that is offered there, whose checks this host has seen to be green. */
async function green(at: ForgeAtWork) {
  const { server, until, get, folder } = at;
  const { model } = server;
  model.openIssue(model.user('ada'), 'Greet anew', '', ['weft']);
  await until(() => model.requests.length === 1);
  const check = model.check(await model.headOf(model.requests[0]!), 'test', 'passed');
  await until(async () => (await get<{ checks: object[] }[]>('contributions'))[0]?.checks.length === 1);
  const [{ proposalId }] = (await get<{ proposalId: string }[]>('merges')) as [{ proposalId: string }];
  const main = (): Promise<string> => git(folder, 'rev-parse', 'main');
  return { check, proposalId, before: await main(), main };
}

interface Trouble {
  readonly how: string;
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly text: string;
  readonly why: string;
}

const checksRequired = { status: 409, json: { code: 'reject.checks_required' } };

describe('required checks are asked for anew where work is to land', () => {
  it.each(KINDS)('at %s: one that has begun again since keeps it', async (kind) => {
    const at = await forgeAtWork(kind, {}, { requiredChecks: ['test'] });
    const { check, proposalId, before, main } = await green(at);
    check.state = 'pending';
    const landed = await at.post(`merges/${proposalId}/land`);
    expect(landed).toMatchObject(checksRequired);
    expect(landed.json).toMatchObject({ details: { checks: [{ name: 'test', state: 'pending' }] } });
    expect(await main()).toBe(before);
  });

  it('one that fails by now has the work done again', async () => {
    const at = await forgeAtWork('github', {}, { requiredChecks: ['test'] });
    const { check, proposalId, before, main } = await green(at);
    check.state = 'failed';
    expect(await at.post(`merges/${proposalId}/land`)).toMatchObject(checksRequired);
    expect(await main()).toBe(before);
    expect(await at.get(`merges/${proposalId}`)).toMatchObject({ status: 'Rejected', reviewedBy: 'checks' });
  });

  it('one that is green by now lands it at once', async () => {
    const at = await forgeAtWork('github', {}, { requiredChecks: ['test', 'lint'] });
    const { proposalId, before, main } = await green(at);
    const { model } = at.server;
    model.check(await model.headOf(model.requests[0]!), 'lint', 'passed');
    expect(await at.post(`merges/${proposalId}/land`)).toMatchObject({ status: 200 });
    expect(await main()).not.toBe(before);
  });

  const TROUBLES: readonly Trouble[] = [
    { how: 'is down', status: 503, text: '', why: 'does not answer' },
    { how: 'is down behind a proxy', status: 502, text: '<html>Bad Gateway</html>', why: 'does not answer' },
    { how: 'does not let the token in', status: 401, text: '{}', why: 'does not let this token' },
    { how: 'lies', status: 200, text: '{"an": "answer"', why: 'no JSON' },
    { how: 'answers in another form', status: 200, text: '{"an": "answer"}', why: 'in a form that is not known' },
  ];
  /** Limits, which each vendor says in its own way. */
  const LIMITS = {
    github: [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4102444800' }],
    gitlab: [429, { 'ratelimit-remaining': '0', 'ratelimit-reset': '4102444800' }],
    gitea: [429, { 'retry-after': '100000' }],
  } as const;
  it.each(KINDS)(
    '%s: one that is down, lies or limits opens nothing that it has opened before, and says why',
    async (kind) => {
      const [status, headers] = LIMITS[kind];
      const limits: Trouble = { how: 'limits', status, headers, text: '{}', why: 'takes no more requests' };
      const wall = new ManualClock();
      const at = await forgeAtWork(kind, { wall }, { requiredChecks: ['test'] });
      const { proposalId, before, main } = await green(at);
      for (const trouble of [...TROUBLES, limits]) {
        at.server.before = (_request, response) => {
          response.writeHead(trouble.status, trouble.headers).end(trouble.text);
          return true;
        };
        const landing = at.post(`merges/${proposalId}/land`);
        let isAnswered = false;
        void landing.finally(() => (isAnswered = true));
        // What is asked again is asked again after a while.
        await vi.waitFor(() => {
          wall.pass(500);
          expect(isAnswered).toBe(true);
        }, 30_000);
        const landed = await landing;
        expect(landed, trouble.how).toMatchObject(checksRequired);
        expect(landed.text, trouble.how).toContain(trouble.why);
        expect(await main()).toBe(before);
      }
      at.server.before = () => false;
      expect(await at.post(`merges/${proposalId}/apply`)).toMatchObject({ status: 200 });
    },
  );

  it('nothing is asked where none are required', async () => {
    const at = await forgeAtWork('github');
    const { proposalId } = await green(at);
    at.server.before = () => true;
    expect(await at.post(`merges/${proposalId}/land`)).toMatchObject({ status: 200 });
  });
});

describe('what people have merged there lands here', () => {
  const FORMS = ['merge', 'squash', 'rebase'] as const;
  it.each(KINDS.flatMap((kind) => FORMS.map((form) => [kind, form] as const)))('at %s by %s', async (kind, form) => {
    const at = await forgeAtWork(kind);
    const { model } = at.server;
    const ada = model.user('ada');
    model.openIssue(ada, 'Greet anew', '', ['weft']);
    await at.until(() => model.requests.length === 1);
    // Others were quicker, so no form of it is what was pushed.
    await commitThere(model.bare, join(at.server.git.folder, 'seed'), { 'other.txt': 'theirs\n' }, 'theirs');
    const merged = await model.merge(model.requests[0]!, ada, form);
    await at.until(async () => (await goalsOf(at))[0]?.status === 'Converged');
    expect(await git(at.folder, 'rev-parse', 'main')).toBe(merged);
    expect(await git(at.folder, 'show', 'main:greeting.txt', 'main:other.txt')).toBe('hello 1\ntheirs');
    expect(await at.get('contributions')).toMatchObject([{ outcome: 'merged', mergedAs: merged }]);
  });
});

describe('where the connection says that work is merged there', () => {
  it.each([
    ['github', 'squash', 1],
    ['github', 'rebase', 1],
    ['gitlab', 'squash', 1],
    ['gitea', 'merge', 2],
  ] as const)(
    'at %s by %s, what a person approves here is merged there, and lands here as that',
    async (kind, shape, parents) => {
      const at = await forgeAtWork(kind, {}, { merges: 'there', requiredChecks: ['test'] });
      const { model, asked } = at.server;
      await at.studio.call('PUT', `/studio/repositories/${at.repositoryId}/publishing`, { body: { shape } });
      const { proposalId, main, before } = await green(at);
      const [request] = model.requests;
      expect(await at.post(`merges/${proposalId}/land`)).toMatchObject({ status: 200, json: { status: 'Merged' } });
      expect(request).toMatchObject({ isOpen: false, mergedBy: { login: 'weft-bot' } });
      expect(await main()).toBe(request!.mergedAs);
      expect(await git(model.bare, 'rev-parse', 'main')).toBe(request!.mergedAs);
      expect((await git(at.folder, 'log', '-1', '--format=%P', 'main')).split(' ')).toHaveLength(parents);
      expect((await git(at.folder, 'log', '-1', '--format=%P', 'main')).split(' ')[0]).toBe(before);
      await at.until(async () => (await goalsOf(at))[0]?.status === 'Converged');
      expect(asked.filter((one) => /\/merge$/.test(one))).toHaveLength(1);
    },
  );

  it('what agents may approve is merged there by itself, and offered first where nothing was', async () => {
    const at = await forgeAtWork('github', {}, { merges: 'there', publishes: false });
    await at.post('goals/run', { goal: 'Greet anew', shape: 'single', reviewPolicy: 'AgentApproval' });
    await at.until(async () => (await goalsOf(at))[0]?.status === 'Converged');
    const { model } = at.server;
    expect(model.requests).toMatchObject([{ isOpen: false }]);
    expect(await git(at.folder, 'rev-parse', 'main')).toBe(model.requests[0]!.mergedAs);
  });

  it('what is refused there moves nothing here, and is merged once it may be', async () => {
    const at = await forgeAtWork('github', {}, { merges: 'there' });
    const { model } = at.server;
    const { proposalId, main, before } = await green(at);
    model.refusesMerges = 'At least 1 approving review is required';
    const refused = await at.post(`merges/${proposalId}/land`);
    expect(refused).toMatchObject({ status: 409, json: { code: 'reject.forge_refused' } });
    expect(refused.text).toContain('At least 1 approving review');
    expect([await main(), model.requests[0]!.isOpen]).toEqual([before, true]);
    model.refusesMerges = undefined;
    expect(await at.post(`merges/${proposalId}/land`)).toMatchObject({ status: 200 });
    expect(await main()).toBe(model.requests[0]!.mergedAs);
  });

  it('what is refused there is tried each minute, and told once by cause', async () => {
    const wall = new ManualClock();
    const at = await forgeAtWork('github', { wall }, { merges: 'there' });
    const { model, asked } = at.server;
    model.refusesMerges = 'At least 1 approving review is required';
    await at.post('goals/run', { goal: 'Greet anew', shape: 'single', reviewPolicy: 'AgentApproval' });
    const tried = async (times: number): Promise<void> => {
      const more = asked.filter((one) => /\/merge$/.test(one)).length + times;
      await at.until(() => {
        wall.pass(60_000);
        return asked.filter((one) => /\/merge$/.test(one)).length >= more;
      });
    };
    const [unit] = await at.get<{ workUnitId: string }[]>('workunits');
    const told = async (): Promise<(string | undefined)[]> => {
      const path = `workunits/${unit!.workUnitId}/orchestration-events`;
      const noted = await at.get<{ action: string; reason?: string }[]>(path);
      return noted.filter(({ action }) => action === 'Escalate').map(({ reason }) => reason);
    };
    await tried(4);
    expect(await told()).toEqual([expect.stringContaining('At least 1 approving review')]);
    // What changes there meanwhile is no other cause.
    model.check(await model.headOf(model.requests[0]!), 'test', 'passed');
    await tried(3);
    expect(await told()).toHaveLength(1);
    model.refusesMerges = 'The branch is protected';
    await tried(3);
    expect(await told()).toEqual([expect.anything(), expect.stringContaining('The branch is protected')]);
    at.server.before = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    // Time goes while it is asked again: no look is waited for that waits for time.
    await vi.waitFor(async () => {
      wall.pass(60_000);
      expect(await told()).toHaveLength(3);
    }, 30_000);
    at.server.before = () => false;
    model.refusesMerges = undefined;
    await vi.waitFor(async () => {
      wall.pass(60_000);
      expect((await goalsOf(at))[0]?.status).toBe('Converged');
    }, 30_000);
    // A look that was under way as it came back may have found something else to say.
    expect((await told()).length).toBeLessThanOrEqual(4);
  });

  it('one that is merged there and says nothing is found to be merged', async () => {
    const at = await forgeAtWork('github', {}, { merges: 'there' });
    const { model } = at.server;
    const { proposalId, main } = await green(at);
    at.server.before = async (request, response) => {
      if (!/\/merge$/.test(request.url ?? '')) return false;
      if (model.requests[0]!.isOpen) await model.merge(model.requests[0]!, at.server.me, 'squash');
      response.writeHead(502).end();
      return true;
    };
    expect(await at.post(`merges/${proposalId}/land`)).toMatchObject({ status: 200 });
    expect(await main()).toBe(model.requests[0]!.mergedAs);
  });
});

it('a forge that says merged, as a commit that its branch does not have, lands nothing', async () => {
  const at = await forgeAtWork('github');
  const { proposalId, main, before } = await green(at);
  const [request] = at.server.model.requests;
  const head = await at.server.model.headOf(request!);
  Object.assign(request!, { isOpen: false, mergedAs: head, mergedBy: at.server.me });
  await at.until(async () => (await at.look()).text.includes('is not on main there'));
  expect(await main()).toBe(before);
  expect(await at.get(`merges/${proposalId}`)).toMatchObject({ status: 'ReadyForReview' });
});
