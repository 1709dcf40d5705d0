/** Gate before the user's branch: a candidate must build, or pass its tests, as the options say. It runs in a folder of its own. */
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../../record/aggregates/options/options.js';
import type { Gate } from '../branches/branch-context.js';
import type { RunContext } from './execute.js';
import { digestOf } from '../../workspace/files/file-in-folder.js';
import { planOf } from './plan.js';
import { rootsIn } from './profile-of.js';
import { runStep } from './run-step.js';

export function gateOf({ records, disk, programs }: Pick<RunContext, 'records' | 'disk' | 'programs'>): Gate {
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
    for (const step of steps)
      if (
        (await runStep(programs.runner, folder, step, { timeoutSeconds, caches: digestOf(store.folder) })).exitCode !==
        0
      )
        return false;
    return true;
  };
}
