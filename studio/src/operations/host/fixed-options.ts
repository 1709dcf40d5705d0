/** Options with one value: what else they were set to would have no effect. */
import { DEFAULT_OPTIONS, type Options } from '../../record/aggregates/options/options.js';
import { refusal } from '../../reasons.js';

/**
 * Options that other hosts of this contract have and this one does not: whatever else they were set to would have no effect here, so
 * they are taken as they are and refused otherwise. Each says what there is in its place.
 */
export const FIXED_OPTIONS = {
  schedulerPollIntervalMs: 'the queue is looked at when something happens, and never by the clock',
  blockConflictingOps: 'parallel work is kept apart by the files of its scopes, and what meets all the same is merged',
  materializerConcurrency: 'a folder is filled when it is first needed, and no others wait for it',
  snapshotOnSync: 'whatever was in a folder is saved as a commit before it is read anew',
  opsPerSnapshot: 'whatever was in a folder is saved as a commit before anything else happens to its branch',
  allowAgentGitCommits: 'what agents write becomes commits by itself, and what they propose lands when people say so',
  allowAgentGitPush: 'only people push, with weft push',
} as const satisfies Partial<Record<keyof Options, string>>;

/** Guard: refuses what would be accepted and have no effect. */
export function requireFixed(said: Partial<Record<keyof Options, unknown>>): void {
  for (const name of Object.keys(FIXED_OPTIONS) as (keyof typeof FIXED_OPTIONS)[]) {
    const only = DEFAULT_OPTIONS[name];
    if (said[name] === undefined || said[name] === only) continue;
    throw refusal('reject.option_fixed', `${name} is ${only} here: ${FIXED_OPTIONS[name]}`, { name, only });
  }
}
