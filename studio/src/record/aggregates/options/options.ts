/** Options of the workgroup. One stream; what was never set has its default. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';
import { type Said, changedFields, withFields } from '../fields.js';

const count = z.number().int();

/** Option fields, with their limits and purposes. */
export const optionFields = z.object({
  useLlmProfileSelection: z.boolean().describe('Whether a model may choose the profile for a slice.'),
  maxConcurrentWorkers: count.min(1).max(1000).describe('How many units are worked on at once.'),
  schedulerPollIntervalMs: count
    .min(100)
    .max(3_600_000)
    .describe('How often the queue is looked at when nothing tells of work.'),
  usePromotionBranch: z.boolean().describe('Whether work lands on the candidate branch first.'),
  candidateBranchId: z
    .string()
    .min(1)
    .max(400)
    .describe('Another name by which the candidate branch can be asked for. Answers call it "candidate".'),
  requireBuildBeforeProposal: z.boolean().describe('Whether a proposal must build.'),
  requireTestBeforeProposal: z.boolean().describe('Whether a proposal must pass its tests.'),
  buildCommand: z.string().max(10_000).nullable().describe('How to build. Null: found out by looking.'),
  testCommand: z.string().max(10_000).nullable().describe('How to test. Null: found out by looking.'),
  executionTimeoutSeconds: count.min(1).max(86_400).describe('How long a build or test may take.'),
  postMergeExecutionMode: z
    .enum(['Disabled', 'Async', 'Blocking'])
    .describe('Whether what was merged is built and tested, and whether that may undo the merge.'),
  enforceExpectedOutputKind: z.boolean().describe('Whether a proposal without changed files is refused.'),
  docFetchTools: z.boolean().describe('Whether agents may fetch documents from the web.'),
  docFetchAllowedDomains: z
    .array(z.string().min(1).max(300))
    .max(1000)
    .describe('Only from these domains and those below them. Empty: from none.'),
  docFetchDeniedDomains: z.array(z.string().min(1).max(300)).max(1000).describe('Never from these domains.'),
  enabledDomainAgents: z
    .array(z.string().min(1).max(200))
    .max(100)
    .describe('Observers that look at what is recorded.'),
  blockConflictingOps: z.boolean().describe('Whether a write that conflicts with another is refused.'),
  materializerConcurrency: count.min(1).max(64).describe('How many folders are filled at once.'),
  snapshotOnSync: z.boolean().describe('Whether a snapshot is taken when the repository is read anew.'),
  opsPerSnapshot: count
    .min(1)
    .max(1_000_000)
    .nullable()
    .describe('Writes after which a snapshot is taken. Null: never by number.'),
  allowAgentGitCommits: z.boolean().describe('Whether agents may commit to git.'),
  allowAgentGitPush: z.boolean().describe('Whether agents may push.'),
  allowAutoRequeue: z.boolean().describe('Whether the loser of a conflict is run again.'),
  defaultClarificationTimeoutSeconds: count
    .max(31_536_000)
    .nullable()
    .describe('How long a question waits for its answer. Null: for ever.'),
  defaultClarificationTimeoutBehavior: z
    .enum(['auto_continue', 'auto_abandon'])
    .describe('What happens when nobody answers in time.'),
  maxFailureAttempts: count.min(1).max(100).describe('Failures after which a unit is not simply retried.'),
  maxGoalTokens: count.min(1).nullable().describe('Tokens after which a goal is paused. Null: never.'),
  maxGoalDurationMinutes: count.min(1).nullable().describe('Minutes after which a goal is paused. Null: never.'),
});
export type Options = z.infer<typeof optionFields>;

export const DEFAULT_OPTIONS: Options = {
  useLlmProfileSelection: false,
  maxConcurrentWorkers: 3,
  schedulerPollIntervalMs: 2000,
  usePromotionBranch: false,
  candidateBranchId: 'candidate',
  requireBuildBeforeProposal: false,
  requireTestBeforeProposal: false,
  buildCommand: null,
  testCommand: null,
  executionTimeoutSeconds: 300,
  postMergeExecutionMode: 'Disabled',
  enforceExpectedOutputKind: false,
  docFetchTools: false,
  docFetchAllowedDomains: [],
  docFetchDeniedDomains: [],
  enabledDomainAgents: [],
  blockConflictingOps: false,
  materializerConcurrency: 4,
  snapshotOnSync: true,
  opsPerSnapshot: null,
  allowAgentGitCommits: false,
  allowAgentGitPush: false,
  allowAutoRequeue: false,
  defaultClarificationTimeoutSeconds: null,
  defaultClarificationTimeoutBehavior: 'auto_continue',
  maxFailureAttempts: 3,
  maxGoalTokens: null,
  maxGoalDurationMinutes: null,
};

/** Id of the only stream. */
export const OPTIONS_ID = 'workgroup';

const event = optionFields.partial().extend({ type: z.literal('OptionsChanged'), v: z.literal(1) });

export const options = aggregate<Options>()({
  name: 'options',
  room: 'workgroup',
  event,
  evolve: (state, { type: _type, v: _v, ...changed }) => withFields(state ?? DEFAULT_OPTIONS, changed),
  decide: {
    change(state, wanted: Said<Options>): readonly z.infer<typeof event>[] {
      const changed = changedFields(state ?? DEFAULT_OPTIONS, wanted);
      if (state && Object.keys(changed).length === 0) return [];
      return [{ type: 'OptionsChanged', v: 1, ...changed }];
    },
  },
});
