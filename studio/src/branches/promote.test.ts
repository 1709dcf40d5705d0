import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { branch } from '../aggregates/branch/branch.js';
import { git } from '../testing/git-repository.js';
import { approve } from '../flows/review.js';
import { type TestGround, groundWith } from '../testing/test-ground.js';
import { apply } from './apply.js';
import { MAIN, headOf, placeOf } from './place.js';
import type { Gate } from './ground.js';
import { promote } from './promote.js';
import { propose } from './propose.js';
import { editBranch } from './save.js';

const yes = { by: 'ann', automated: false, consideredArtifactIds: [] };
const green: Gate = () => Promise.resolve(true);

/** Lands a file on the candidate branch, and answers the proposal. */
async function landed(ground: TestGround, name: string): Promise<string> {
  const { repositoryId } = ground;
  const seedSnapshotId = await headOf(ground, await placeOf(ground, MAIN, repositoryId));
  await ground.change((change) => change.run(branch, name, 'create', { branchId: name, repositoryId, seedSnapshotId }));
  await editBranch(ground, await placeOf(ground, name), [{ path: name, content: 'x' }], name);
  const said = { sourceBranch: name, targetBranch: 'candidate', goal: name, summary: name, changeDescription: name };
  const { proposalId } = await ground.change(await propose(ground, said));
  await ground.change((change) => approve(change, proposalId, yes));
  await apply(ground, proposalId, (record) => ground.change(record));
  return proposalId;
}

const filesOf = async ({ folder }: TestGround) => (await git(folder, 'ls-files')).split('\n');

describe('the candidate branch', () => {
  it('waits for the user, and reaches the folder whole and once', async () => {
    const ground = await groundWith({ a: '1' });
    const ids = [await landed(ground, 'one'), await landed(ground, 'two')];
    expect(await filesOf(ground)).toEqual(['a']);
    const first = await promote(ground, ground.repositoryId, green);
    expect(first.proposalIds).toEqual(ids);
    expect(await filesOf(ground)).toEqual(['a', 'one', 'two']);
    // As after a crash: it has happened, and is not written down. It is not done again.
    const again = await promote(ground, ground.repositoryId, () => Promise.reject(new Error('asked again')));
    expect(again.proposalIds).toEqual(ids);
    await ground.change(again.record);
    expect((await promote(ground, ground.repositoryId, green)).proposalIds).toEqual([]);
  });

  it('fault 21: goes with what the user has committed, and stays while the folder has changes', async () => {
    const ground = await groundWith({ a: '1' });
    await landed(ground, 'one');
    await writeFile(join(ground.folder, 'mine'), '1');
    await git(ground.folder, 'add', '.');
    await expect(promote(ground, ground.repositoryId, green)).rejects.toMatchObject({ reason: 'reject.folder_dirty' });
    await git(ground.folder, 'commit', '--quiet', '-m', 'mine');
    await promote(ground, ground.repositoryId, green);
    expect(await filesOf(ground)).toEqual(['a', 'mine', 'one']);
    expect(await git(ground.folder, 'log', '--format=%s', '--first-parent', '-1')).toContain('what the user has done');
  });

  it('fault 20: of two promotions at once one moves the branch', async () => {
    const ground = await groundWith({ a: '1' });
    await landed(ground, 'one');
    const both = await Promise.all([1, 2].map(() => promote(ground, ground.repositoryId, green)));
    expect(both.map(({ proposalIds }) => proposalIds.length)).toEqual([1, 1]);
    expect((await git(ground.folder, 'log', '--format=%s', '--first-parent')).split('\n')).toEqual(['one', 'first']);
  });

  it('E2: names the proposal that breaks it, asking at most log2 N + 1 times', { timeout: 60_000 }, async () => {
    const ground = await groundWith({ a: '1' });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await landed(ground, `p${n}`));
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 4 }), async (bad) => {
        let asked = 0;
        const gate: Gate = async (store, commit) => {
          asked += 1;
          return (await store.entry(commit, `p${bad}`)) === undefined;
        };
        await expect(promote(ground, ground.repositoryId, gate)).rejects.toMatchObject({
          ...{ reason: 'reject.gate_failed', data: { proposalId: ids[bad], passed: ids.slice(0, bad) } },
        });
        expect(asked).toBeLessThanOrEqual(Math.ceil(Math.log2(ids.length)) + 1);
      }),
      { numRuns: 6 },
    );
    expect(await filesOf(ground)).toEqual(['a']);
  });
});
