import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { branch } from '../../record/aggregates/branch/branch.js';
import { git } from '../../testing/git-repository.js';
import { OPTIONS_ID, options } from '../../record/aggregates/options/options.js';
import { approve } from './review.js';
import { KeyedLane } from '../../operations/kernel/keyed-lane.js';
import { type TestGround, groundWith } from '../../testing/test-ground.js';
import { apply } from './apply.js';
import { MAIN, headOf, storedBranch } from '../branches/stored-branch.js';
import type { Gate } from '../branches/branch-context.js';
import { promote } from './promote.js';
import { propose } from './propose.js';
import { editBranch } from '../branches/save.js';

const yes = { by: 'ann', automated: false, consideredArtifactIds: [] };
const green: Gate = () => Promise.resolve(true);

/** Lands a file on the candidate branch, and answers the proposal. */
async function landed(ground: TestGround, name: string): Promise<string> {
  const { repositoryId } = ground;
  const seedSnapshotId = await headOf(ground, await storedBranch(ground, MAIN, repositoryId));
  await ground.change((change) => change.run(branch, name, 'create', { branchId: name, repositoryId, seedSnapshotId }));
  await editBranch(ground, await storedBranch(ground, name), [{ path: name, content: 'x' }], name);
  const said = { sourceBranch: name, targetBranch: 'candidate', goal: name, summary: name, changeDescription: name };
  const { proposalId } = await ground.change(await propose(ground, said));
  await ground.change((change) => approve(change, proposalId, yes));
  await apply(ground, proposalId, (record) => ground.change(record));
  return proposalId;
}

const filesOf = async ({ folder }: TestGround) => (await git(folder, 'ls-files')).split('\n');
const logOf = async ({ folder }: TestGround) => (await git(folder, 'log', '--format=%s', '--first-parent')).split('\n');

/** As a call of the operation does: answers the proposals that it has promoted. */
const promoted = (ground: TestGround, gate = green): Promise<readonly string[]> =>
  promote(ground, ground.repositoryId, gate, async (ids, record) => {
    await ground.change(record);
    return ids;
  });

describe('the candidate branch', () => {
  it('waits for the user, and reaches the folder whole and once', async () => {
    const ground = await groundWith({ a: '1' });
    const ids = [await landed(ground, 'one'), await landed(ground, 'two')];
    expect(await filesOf(ground)).toEqual(['a']);
    const crash = () => Promise.reject(new Error('the host has ended'));
    await expect(promote(ground, ground.repositoryId, green, crash)).rejects.toThrow('has ended');
    expect(await filesOf(ground)).toEqual(['a', 'one', 'two']);
    // It has happened, and is not written down. It is not done again.
    expect(await promoted(ground, () => Promise.reject(new Error('asked again')))).toEqual(ids);
    expect(await promoted(ground)).toEqual([]);
  });

  it('fault 21: goes with what the user has committed, and stays while the folder has changes', async () => {
    const ground = await groundWith({ a: '1' });
    await landed(ground, 'one');
    await writeFile(join(ground.folder, 'mine'), '1');
    await git(ground.folder, 'add', '.');
    await expect(promoted(ground)).rejects.toMatchObject({ reason: 'reject.folder_dirty' });
    await git(ground.folder, 'commit', '--quiet', '-m', 'mine');
    await promoted(ground);
    expect(await filesOf(ground)).toEqual(['a', 'mine', 'one']);
    expect((await logOf(ground))[0]).toContain('what the user has done');
  });

  it('fault 20: of many promotions at once one promotes each proposal, and moves the branch', async () => {
    const ground = await groundWith({ a: '1' });
    const ids = [await landed(ground, 'one'), await landed(ground, 'two')];
    let asked = 0;
    const gate: Gate = () => {
      asked += 1;
      return Promise.resolve(true);
    };
    const all = await Promise.all(Array.from({ length: 4 }, () => promoted(ground, gate)));
    expect(all).toEqual([ids, [], [], []]);
    expect(asked).toBe(1);
    expect(await logOf(ground)).toEqual(['two', 'one', 'first']);
  });

  it('fault 20: of two hosts that promote at once one moves the branch, and the other is told', async () => {
    const ground = await groundWith({ a: '1' });
    const id = await landed(ground, 'one');
    // Its checks run while the user commits, and the other host promotes with that.
    const gate: Gate = async () => {
      await git(ground.folder, 'commit', '--quiet', '--allow-empty', '-m', 'mine');
      expect(await promoted({ ...ground, lane: new KeyedLane() })).toEqual([id]);
      return true;
    };
    await expect(promoted(ground, gate)).rejects.toMatchObject({ reason: 'reject.branch_moved' });
    const told = ['Take over what the user has done', 'one', 'first'];
    expect(await logOf(ground)).toEqual(told);
    expect([await promoted(ground), await logOf(ground)]).toEqual([[], told]);
  });

  it('fault 20: stays when the user moves on while its checks run, and goes with that the next time', async () => {
    const ground = await groundWith({ a: '1' });
    const id = await landed(ground, 'one');
    const meanwhile: Gate = async () => {
      await writeFile(join(ground.folder, 'mine'), '1');
      await git(ground.folder, 'add', '.');
      await git(ground.folder, 'commit', '--quiet', '-m', 'mine');
      return true;
    };
    await expect(promoted(ground, meanwhile)).rejects.toMatchObject({ reason: 'reject.branch_moved' });
    expect([await filesOf(ground), await logOf(ground)]).toEqual([
      ['a', 'mine'],
      ['mine', 'first'],
    ]);
    expect(await promoted(ground)).toEqual([id]);
    expect(await filesOf(ground)).toEqual(['a', 'mine', 'one']);
  });

  it('fault 21: stays when the user goes back while its checks run, and does not bring back what went', async () => {
    const ground = await groundWith({ a: '1' });
    await writeFile(join(ground.folder, 'a'), '2');
    await git(ground.folder, 'commit', '--quiet', '--all', '-m', 'second');
    const id = await landed(ground, 'one');
    const back: Gate = async () => {
      await git(ground.folder, 'reset', '--quiet', '--hard', 'HEAD~1');
      return true;
    };
    await expect(promoted(ground, back)).rejects.toMatchObject({ reason: 'reject.branch_moved' });
    expect([await filesOf(ground), await logOf(ground)]).toEqual([['a'], ['first']]);
    await git(ground.folder, 'reset', '--quiet', '--hard', 'HEAD@{1}');
    expect(await promoted(ground)).toEqual([id]);
    expect(await logOf(ground)).toEqual(['one', 'second', 'first']);
  });

  it('fault 20: takes with it what lands while its checks run the next time, and not before it was checked', async () => {
    const ground = await groundWith({ a: '1' });
    const first = await landed(ground, 'one');
    let landing: Promise<string> | undefined;
    const meanwhile: Gate = () => {
      landing ??= landed(ground, 'two');
      return Promise.resolve(true);
    };
    expect(await promoted(ground, meanwhile)).toEqual([first]);
    const second = await landing!;
    expect(await filesOf(ground)).toEqual(['a', 'one']);
    expect(await promoted(ground)).toEqual([second]);
    expect(await filesOf(ground)).toEqual(['a', 'one', 'two']);
  });

  it('fault 20: waits until it is known whether what has landed stays', async () => {
    const plain = await groundWith({ a: '1' });
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
    const ground = { ...plain, trials: { ...plain.trials, ofLanding } };
    const landing = landed(ground, 'one');
    await begun;
    const promoting = promoted(ground);
    // Time enough to promote, for what does not wait.
    for (let n = 0; n < 20; n++) expect(await filesOf(ground)).toEqual(['a']);
    say();
    await expect(landing).rejects.toMatchObject({ reason: 'reject.merge_taken_back' });
    expect([await promoting, await filesOf(ground)]).toEqual([[], ['a']]);
  });

  it('E2: names the proposal that breaks it, asking at most log2 N + 1 times', async () => {
    const ground = await groundWith({ a: '1' });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await landed(ground, `p${n}`));
    for (const bad of ids.keys()) {
      let asked = 0;
      const gate: Gate = async (store, commit) => {
        asked += 1;
        return (await store.entry(commit, `p${bad}`)) === undefined;
      };
      await expect(promoted(ground, gate)).rejects.toMatchObject({
        reason: 'reject.gate_failed',
        data: { proposalId: ids[bad], passed: ids.slice(0, bad) },
      });
      expect(asked).toBeLessThanOrEqual(Math.ceil(Math.log2(ids.length)) + 1);
    }
    expect(await filesOf(ground)).toEqual(['a']);
  });
});
