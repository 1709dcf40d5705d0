/** Gate before the user's branch: a candidate must build, or pass its tests, as the options say. It runs in a folder of its own. */
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../../record/aggregates/options/options.js';
import type { Gate } from '../branches/branch-context.js';
import type { RunContext } from './execute.js';
import { digestOf } from '../../workspace/files/file-in-folder.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import { planOf } from './plan.js';
import { rootsIn } from './profile-of.js';
import { runStep } from './run-step.js';

export function gateOf({ records, disk, programs }: Pick<RunContext, 'records' | 'disk' | 'programs'>): Gate {
  /** Repository of a store: its programs may have servers of their own. */
  const repositoryOf = async ({ folder }: ObjectStore): Promise<string | undefined> => {
    for (const { repositoryId } of records.repositories.all())
      if ((await disk.stores.of(repositoryId)).folder === folder) return repositoryId;
    return undefined;
  };
  return async (store, commit) => {
    const options = records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
    const { requireBuildBeforeProposal, requireTestBeforeProposal, executionTimeoutSeconds: timeoutSeconds } = options;
    if (!requireBuildBeforeProposal && !requireTestBeforeProposal) return true;
    // One folder per repository: its candidates are tried one after the other.
    const folder = await disk.spaces.export(store, commit, `gate-${digestOf(store.folder).slice(0, 16)}`);
    const files = (await store.files(commit)).map(({ path }) => path);
    const steps = planOf(await rootsIn(folder, files), {
      build: requireBuildBeforeProposal && (options.buildCommand ?? true),
      test: requireTestBeforeProposal && (options.testCommand ?? true),
    });
    const repositoryId = await repositoryOf(store);
    const limits = { timeoutSeconds, caches: digestOf(store.folder), repositoryId };
    for (const step of steps) if ((await runStep(programs.runner, folder, step, limits)).exitCode !== 0) return false;
    return true;
  };
}
