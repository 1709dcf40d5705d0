/** Work that is meant for another branch of a forge than the one that the user's own follows. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ForgeAtWork, forgeAtWork } from '../../testing/git/forge-at-work.js';
import { goalsOf } from '../../testing/git/forge-flow.js';
import { git, shell } from '../../testing/git/git-repository.js';

const CASES = [
  ['github', 'squash'],
  ['gitlab', 'rebase'],
  ['gitea', 'squash'],
] as const;
const BESIDE =
  'git checkout --quiet -b release && echo 1.0 >version.txt && git add --all && git commit --quiet --message=release && git push --quiet "$0" release && git checkout --quiet main && echo more >other.txt && git add --all && git commit --quiet --message=more && git push --quiet "$0" main';

/** Adds a branch there that has what `main` has not, and the other way round; answers its commit. */
async function releaseThere({ server, folder }: ForgeAtWork): Promise<string> {
  await shell(join(server.git.folder, 'seed'), BESIDE, server.model.bare);
  await git(folder, 'pull', '--quiet', server.model.bare, 'main');
  return git(server.model.bare, 'rev-parse', 'release');
}

/** Has a goal done whose work leaves by settings of its own, and offers what came of it. */
async function offered(at: ForgeAtWork, settings: object): Promise<string> {
  const begun = await at.post('goals/run', { goal: 'Greet anew', shape: 'single' });
  const { goalId } = begun.json as { goalId: string };
  const place = `/studio/repositories/${at.repositoryId}/publishing`;
  expect(await at.studio.call('PUT', place, { body: { goalId, ...settings } })).toMatchObject({ status: 200 });
  const isOffered = async (): Promise<boolean> => (await at.post('contributions', { goalId })).status === 200;
  await at.until(isOffered);
  return goalId;
}

async function requestOf(at: ForgeAtWork, goalId: string) {
  const found = () => at.server.model.requests.find(({ branch }) => branch === `weft/${goalId}`);
  await at.until(found);
  return found()!;
}

const statusOf = async (at: ForgeAtWork, goalId: string): Promise<string | undefined> =>
  (await goalsOf(at)).find((goal) => goal.goalId === goalId)?.status;

describe('work whose settings name a base of its own', () => {
  it.each(CASES)(
    'at %s by %s: is requested for that, done when merged there, and moves nothing here',
    async (kind, shape) => {
      const at = await forgeAtWork(kind, {}, { publishes: false });
      const { model } = at.server;
      const ada = model.user('ada');
      const release = await releaseThere(at);
      const main = (): Promise<string> => git(at.folder, 'rev-parse', 'main');
      const before = await main();
      const goalId = await offered(at, { base: 'release', shape });
      const request = await requestOf(at, goalId);
      // Another goal of the repository goes its own way meanwhile.
      const otherId = await offered(at, {});
      const other = await requestOf(at, otherId);
      expect([request.base, other.base]).toEqual(['release', 'main']);
      const head = await model.headOf(request);
      expect(await git(model.bare, 'log', '-1', '--format=%P', head)).toBe(release);
      expect(await git(model.bare, 'diff', '--name-only', `release...${head}`)).toBe('greeting.txt');
      expect(await git(model.bare, 'log', '-1', '--format=%P', await model.headOf(other))).toBe(before);

      const merged = await model.merge(request, ada);
      await at.until(async () => (await statusOf(at, goalId)) === 'Converged');
      expect(await main()).toBe(before);
      const seen = await at.get<{ goalId: string }[]>('contributions');
      expect(seen.find((one) => one.goalId === goalId)).toMatchObject({ outcome: 'merged', mergedAs: merged });
      const proposals = await at.get<{ status: string }[]>('merges');
      expect(proposals.filter(({ status }) => status === 'Merged')).toMatchObject([
        { reviewedBy: `${kind}:ada`, resultCommit: merged, promotedToDisk: false },
      ]);

      const landed = await model.merge(other, ada);
      await at.until(async () => (await statusOf(at, otherId)) === 'Converged');
      expect(await main()).toBe(landed);
    },
  );

  it('approved here, it is merged into that base where work is merged there', async () => {
    const at = await forgeAtWork('github', {}, { publishes: false, merges: 'there' });
    const { model } = at.server;
    const release = await releaseThere(at);
    const before = await git(at.folder, 'rev-parse', 'main');
    const goalId = await offered(at, { base: 'release' });
    const request = await requestOf(at, goalId);
    // It began here: there is no issue to tell of it.
    expect((await at.look()).json).toMatchObject({ troubles: [] });
    const [{ proposalId }] = (await at.get<{ proposalId: string }[]>('merges')) as [{ proposalId: string }];
    const landed = await at.post(`merges/${proposalId}/land`);
    expect(landed).toMatchObject({ status: 200, json: { status: 'Merged', targetBranch: 'origin/release' } });
    expect(await git(model.bare, 'log', '-1', '--format=%P %H', 'release')).toBe(`${release} ${request.mergedAs}`);
    expect(await git(model.bare, 'rev-parse', 'main')).toBe(before);
    expect(await git(at.folder, 'rev-parse', 'main')).toBe(before);
    expect(await statusOf(at, goalId)).toBe('Converged');
  });

  it('is brought onto the base that people choose for its request there, and is theirs to merge', async () => {
    const at = await forgeAtWork('github', {}, { publishes: false });
    const { model } = at.server;
    const release = await releaseThere(at);
    const before = await git(at.folder, 'rev-parse', 'main');
    const goalId = await offered(at, {});
    const request = await requestOf(at, goalId);
    expect(await git(model.bare, 'log', '-1', '--format=%P', await model.headOf(request))).toBe(before);
    Object.assign(request, { base: 'release' });
    const parent = async (): Promise<string> =>
      git(model.bare, 'log', '-1', '--format=%P', await model.headOf(request));
    await at.until(async () => (await parent()) === release);
    await model.merge(request, model.user('ada'));
    await at.until(async () => (await statusOf(at, goalId)) === 'Converged');
    expect(await git(at.folder, 'rev-parse', 'main')).toBe(before);
  });

  it('is offered on neither base, and a base that is not there is named', async () => {
    const at = await forgeAtWork('github', {}, { publishes: false });
    const { model } = at.server;
    await releaseThere(at);
    const connection = { kind: 'github', api: at.server.api, base: 'release', publishes: false };
    const path = `/studio/repositories/${at.repositoryId}/forge`;
    expect(await at.studio.call('PUT', path, { body: connection })).toMatchObject({ status: 200 });
    await offered(at, { base: 'main', branch: 'release' });
    await at.until(async () => (await at.look()).text.includes('on a branch of its own, not on release'));
    await offered(at, { base: 'absent' });
    await at.until(async () => (await at.look()).text.includes('origin has no branch absent'));
    expect(model.requests).toEqual([]);
  });
});
