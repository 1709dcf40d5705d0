import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { branch } from '../../record/aggregates/branch/branch.js';
import { git } from '../../testing/git/git-repository.js';
import { OPTIONS_ID, options } from '../../record/aggregates/options/options.js';
import { approve } from './review.js';
import { KeyedLane } from '../../operations/kernel/keyed-lane.js';
import { type TestBranches, branchesOf } from '../../testing/git/test-branches.js';
import { apply } from './apply.js';
import { MAIN, headOf, storedBranch } from '../branches/stored-branch.js';
import type { Gate } from '../branches/branch-context.js';
import { promote } from './promote.js';
import { propose } from './propose.js';
import { editBranch } from '../branches/save.js';

const yes = { by: 'ann', automated: false, consideredArtifactIds: [] };
const green: Gate = () => Promise.resolve(true);

/** Lands a file on the candidate branch, and answers the proposal. */
async function landed(context: TestBranches, name: string): Promise<string> {
  const { repositoryId } = context;
  const seedSnapshotId = await headOf(context, await storedBranch(context, MAIN, repositoryId));
  await context.change((change) =>
    change.run(branch, name, 'create', { branchId: name, repositoryId, seedSnapshotId }),
  );
  await editBranch(context, await storedBranch(context, name), [{ path: name, content: 'x' }], name);
  const said = { sourceBranch: name, targetBranch: 'candidate', goal: name, summary: name, changeDescription: name };
  const { proposalId } = await context.change(await propose(context, said));
  await context.change((change) => approve(change, proposalId, yes));
  await apply(context, proposalId, (record) => context.change(record));
  return proposalId;
}

const filesOf = async ({ folder }: TestBranches) => (await git(folder, 'ls-files')).split('\n');
const logOf = async ({ folder }: TestBranches) =>
  (await git(folder, 'log', '--format=%s', '--first-parent')).split('\n');

/** Proposals that a promotion has promoted, as a call of the operation answers them. */
const promoted = (context: TestBranches, gate = green): Promise<readonly string[]> =>
  promote(context, context.repositoryId, gate, async (ids, record) => {
    await context.change(record);
    return ids;
  });

describe('the candidate branch', () => {
  it('waits for the user, and reaches the folder whole and once', async () => {
    const context = await branchesOf({ a: '1' });
    const ids = [await landed(context, 'one'), await landed(context, 'two')];
    expect(await filesOf(context)).toEqual(['a']);
    const crash = () => Promise.reject(new Error('the host has ended'));
    await expect(promote(context, context.repositoryId, green, crash)).rejects.toThrow('has ended');
    expect(await filesOf(context)).toEqual(['a', 'one', 'two']);
    // It has happened, and is not written down. It is not done again.
    expect(await promoted(context, () => Promise.reject(new Error('asked again')))).toEqual(ids);
    expect(await promoted(context)).toEqual([]);
  });

  it('fault 21: goes with what the user has committed, and stays while the folder has changes', async () => {
    const context = await branchesOf({ a: '1' });
    await landed(context, 'one');
    await writeFile(join(context.folder, 'mine'), '1');
    await git(context.folder, 'add', '.');
    await expect(promoted(context)).rejects.toMatchObject({ reason: 'reject.folder_dirty' });
    await git(context.folder, 'commit', '--quiet', '-m', 'mine');
    await promoted(context);
    expect(await filesOf(context)).toEqual(['a', 'mine', 'one']);
    expect((await logOf(context))[0]).toContain('what the user has done');
  });

  it('fault 20: of many promotions at once one promotes each proposal, and moves the branch', async () => {
    const context = await branchesOf({ a: '1' });
    const ids = [await landed(context, 'one'), await landed(context, 'two')];
    let asked = 0;
    const gate: Gate = () => {
      asked += 1;
      return Promise.resolve(true);
    };
    const all = await Promise.all(Array.from({ length: 4 }, () => promoted(context, gate)));
    expect(all).toEqual([ids, [], [], []]);
    expect(asked).toBe(1);
    expect(await logOf(context)).toEqual(['two', 'one', 'first']);
  });

  it('fault 20: of two hosts that promote at once one moves the branch, and the other is told', async () => {
    const context = await branchesOf({ a: '1' });
    const id = await landed(context, 'one');
    // Its checks run while the user commits, and the other host promotes with that.
    const gate: Gate = async () => {
      await git(context.folder, 'commit', '--quiet', '--allow-empty', '-m', 'mine');
      expect(await promoted({ ...context, lane: new KeyedLane() })).toEqual([id]);
      return true;
    };
    await expect(promoted(context, gate)).rejects.toMatchObject({ reason: 'reject.branch_moved' });
    const told = ['Take over what the user has done', 'one', 'first'];
    expect(await logOf(context)).toEqual(told);
    expect([await promoted(context), await logOf(context)]).toEqual([[], told]);
  });

  it('fault 20: stays when the user moves on while its checks run, and goes with that the next time', async () => {
    const context = await branchesOf({ a: '1' });
    const id = await landed(context, 'one');
    const meanwhile: Gate = async () => {
      await writeFile(join(context.folder, 'mine'), '1');
      await git(context.folder, 'add', '.');
      await git(context.folder, 'commit', '--quiet', '-m', 'mine');
      return true;
    };
    await expect(promoted(context, meanwhile)).rejects.toMatchObject({ reason: 'reject.branch_moved' });
    expect([await filesOf(context), await logOf(context)]).toEqual([
      ['a', 'mine'],
      ['mine', 'first'],
    ]);
    expect(await promoted(context)).toEqual([id]);
    expect(await filesOf(context)).toEqual(['a', 'mine', 'one']);
  });

  it('fault 21: stays when the user goes back while its checks run, and does not bring back what went', async () => {
    const context = await branchesOf({ a: '1' });
    await writeFile(join(context.folder, 'a'), '2');
    await git(context.folder, 'commit', '--quiet', '--all', '-m', 'second');
    const id = await landed(context, 'one');
    const back: Gate = async () => {
      await git(context.folder, 'reset', '--quiet', '--hard', 'HEAD~1');
      return true;
    };
    await expect(promoted(context, back)).rejects.toMatchObject({ reason: 'reject.branch_moved' });
    expect([await filesOf(context), await logOf(context)]).toEqual([['a'], ['first']]);
    await git(context.folder, 'reset', '--quiet', '--hard', 'HEAD@{1}');
    expect(await promoted(context)).toEqual([id]);
    expect(await logOf(context)).toEqual(['one', 'second', 'first']);
  });

  it('fault 20: takes with it what lands while its checks run the next time, and not before it was checked', async () => {
    const context = await branchesOf({ a: '1' });
    const first = await landed(context, 'one');
    let landing: Promise<string> | undefined;
    const meanwhile: Gate = () => {
      landing ??= landed(context, 'two');
      return Promise.resolve(true);
    };
    expect(await promoted(context, meanwhile)).toEqual([first]);
    const second = await landing!;
    expect(await filesOf(context)).toEqual(['a', 'one']);
    expect(await promoted(context)).toEqual([second]);
    expect(await filesOf(context)).toEqual(['a', 'one', 'two']);
  });

  it('fault 20: waits until it is known whether what has landed stays', async () => {
    const plain = await branchesOf({ a: '1' });
    const mode = { postMergeExecutionMode: 'Blocking' } as const;
    await plain.change((change) => change.run(options, OPTIONS_ID, 'change', mode));
    let begin = (): void => undefined;
    let say = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const verdict = new Promise<void>((resolve) => (say = resolve));
    const ofLanding = async () => {
      begin();
      await verdict;
      return { reason: 'it breaks', resultId: 'r' };
    };
    const context = { ...plain, trials: { ...plain.trials, ofLanding } };
    const landing = landed(context, 'one');
    await begun;
    const promoting = promoted(context);
    // Time enough to promote, for what does not wait.
    for (let n = 0; n < 20; n++) expect(await filesOf(context)).toEqual(['a']);
    say();
    await expect(landing).rejects.toMatchObject({ reason: 'reject.merge_taken_back' });
    expect([await promoting, await filesOf(context)]).toEqual([[], ['a']]);
  });

  it('E2: names the proposal that breaks it, asking at most log2 N + 1 times', async () => {
    const context = await branchesOf({ a: '1' });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await landed(context, `p${n}`));
    for (const bad of ids.keys()) {
      let asked = 0;
      const gate: Gate = async (store, commit) => {
        asked += 1;
        return (await store.entry(commit, `p${bad}`)) === undefined;
      };
      await expect(promoted(context, gate)).rejects.toMatchObject({
        reason: 'reject.gate_failed',
        data: { proposalId: ids[bad], passed: ids.slice(0, bad) },
      });
      expect(asked).toBeLessThanOrEqual(Math.ceil(Math.log2(ids.length)) + 1);
    }
    expect(await filesOf(context)).toEqual(['a']);
  });
});
