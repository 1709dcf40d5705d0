import { join } from 'node:path';
import { registerFolder } from '../../rules/branches/register.js';
import type { AtForge, BranchContext } from '../../rules/branches/branch-context.js';
import type { Change } from '../../record/ledger/change.js';
import { KeyedLane } from '../../operations/kernel/keyed-lane.js';
import { nodeDisk } from '../../workspace/git/node-disk.js';
import { nodeGit } from '../../workspace/git/user/node-git.js';
import { gitRepository } from './git-repository.js';
import { tempFolder } from '../temp-folder.js';
import { TEST_TIME, openTestLedger } from '../record/test-ledger.js';

/** Forge of repositories that are connected to none. */
export const NO_FORGE: AtForge = { askChecks: () => Promise.resolve(), merge: () => Promise.resolve(false) };

export interface TestBranches extends BranchContext {
  readonly folder: string;
  readonly repositoryId: string;
}

/** Branches of one registered repository, without doors. */
export async function branchesOf(files: Readonly<Record<string, string>>): Promise<TestBranches> {
  const { ledger, records } = await openTestLedger();
  const base = await tempFolder();
  const folder = join(base, 'user');
  await gitRepository(folder, files);
  const change = <T>(work: (change: Change) => T): Promise<T> => ledger.change('ann', work);
  let ids = 0;
  const context: BranchContext = {
    records,
    change,
    git: nodeGit,
    lane: new KeyedLane(),
    disk: await nodeDisk(join(base, 'studio'), { folderOf: (id) => records.repositories.get(id)?.path }),
    gate: () => Promise.resolve(true),
    trials: {
      ofOffer: () => Promise.resolve({ unfit: undefined, attach: () => undefined }),
      ofLanding: () => Promise.resolve(undefined),
      watchLanding: () => undefined,
    },
    atForge: NO_FORGE,
    now: () => TEST_TIME,
    newId: (prefix) => `${prefix}${++ids}`,
  };
  const { repositoryId } = await registerFolder({ ...context, answer: change }, folder);
  return { ...context, folder, repositoryId };
}
