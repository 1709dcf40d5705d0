/** Options: how work is to be done here. */
import { z } from 'zod';
import {
  DEFAULT_OPTIONS,
  OPTIONS_ID,
  type Options as Held,
  optionFields,
  options,
} from '../../record/aggregates/options/options.js';
import { CANDIDATE } from '../../record/aggregates/merge-proposal/state.js';
import { requireBranchName } from '../../record/aggregates/branch-name.js';
import { branchNamed, isReserved, isUnbegun } from '../../rules/branches/stored-branch.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { requireObservers } from '../../rules/queue/staff.js';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';
import { requireFixed } from './fixed-options.js';

const { snapshotOnSync, opsPerSnapshot, ...others } = optionFields.shape;

const Options = z
  .object({
    ...others,
    snapshots: z.object({ snapshotOnSync, opsPerSnapshot }).describe('When snapshots of a repository are taken.'),
  })
  .meta({ id: 'Options', description: 'How work is to be done here.' });

const { docFetchAllowedDomains, docFetchDeniedDomains, enabledDomainAgents } = others;

const version = ({ options }: Records): number => options.version(OPTIONS_ID);

export const get = operation({
  summary: 'Read the options.',
  scope: 'read',
  in: z.object({}),
  out: Options,
  rest: { route: 'GET /studio/options' },
  version,
  refuses: [],
  annotations: READS,
}).run(({ records }) => shown(records.options.get(OPTIONS_ID)));

export const change = operation({
  summary: 'Change options. What is left out stays as it is.',
  scope: 'operate',
  in: optionFields.partial().extend({
    docFetchAllowedDomains: docFetchAllowedDomains
      .nullish()
      .describe('Only from these domains and those below them. Null: leave it.'),
    docFetchDeniedDomains: docFetchDeniedDomains.nullish().describe('Never from these domains. Null: leave it.'),
    enabledDomainAgents: enabledDomainAgents.nullish().describe('Observers that look on. Null: leave it.'),
  }),
  out: Options,
  rest: { route: 'POST /studio/options' },
  human: true,
  version,
  refuses: ['reject.branch_exists', 'reject.invalid_input', 'reject.option_fixed'],
  annotations: SETS,
}).run((context, { docFetchAllowedDomains, docFetchDeniedDomains, enabledDomainAgents, ...said }) =>
  context.answer((change) => {
    requireFixed(said);
    requireObservers(enabledDomainAgents);
    const { candidateBranchId: name } = said;
    if (name !== undefined) requireBranchName(name, 'candidateBranchId');
    if (name !== undefined && isTaken(context.records, name))
      throw refusal('reject.branch_exists', `${name} is another branch`, { name });
    const seconds = said.defaultClarificationTimeoutSeconds;
    const wanted = {
      ...said,
      docFetchAllowedDomains: docFetchAllowedDomains ?? undefined,
      docFetchDeniedDomains: docFetchDeniedDomains ?? undefined,
      enabledDomainAgents: enabledDomainAgents ?? undefined,
      ...(seconds === undefined ? {} : { defaultClarificationTimeoutSeconds: (seconds ?? 0) > 0 ? seconds : null }),
    };
    return shown(change.run(options, OPTIONS_ID, 'change', wanted));
  }),
);

/** Whether a branch other than the candidate has this name. */
function isTaken(records: Records, name: string): boolean {
  if (branchNamed(records, name) === CANDIDATE) return false;
  return isReserved(records, name) || records.branches.get(name) !== undefined || isUnbegun(records, name);
}

/** Working rules: the fixed ones, and those that the options switch on. */
function rulesIn(held: Held = DEFAULT_OPTIONS): string[] {
  const switched = {
    'require-build': held.requireBuildBeforeProposal,
    'require-test': held.requireTestBeforeProposal,
    'expected-output-kind': held.enforceExpectedOutputKind,
    'candidate-first': held.usePromotionBranch,
    'goal-tokens': held.maxGoalTokens !== null,
    'goal-duration': held.maxGoalDurationMinutes !== null,
  };
  return ['review-policy', ...Object.entries(switched).flatMap(([rule, isOn]) => (isOn ? [rule] : []))];
}

export const policies = operation({
  summary: 'List the rules that work is checked against now.',
  scope: 'read',
  in: z.object({}),
  out: z.object({ ruleIds: z.array(z.string()).describe('Ids of the rules.') }),
  rest: { route: 'GET /studio/policies' },
  refuses: [],
  annotations: READS,
}).run(({ records }) => ({ ruleIds: rulesIn(records.options.get(OPTIONS_ID)) }));

export const startupConfig = operation({
  summary: 'Read what is settled when the host starts.',
  scope: 'read',
  in: z.object({}),
  out: z.object({
    configFilePath: z.string().nullable().describe('File that it is read from, or null: from the command line.'),
    restartRequired: z.boolean().describe('True: a change counts from the next start on.'),
    effectiveValues: z
      .object({
        casRootPath: z.string().describe('Folder of the contents.'),
        blobStorageProvider: z.enum(['WsOnly', 'File', 'S3Delegated']).describe('What holds the contents.'),
      })
      .describe('What counts now.'),
    instructions: z.record(z.string(), z.string()).describe('How to change it.'),
  }),
  rest: { route: 'GET /studio/startup-config' },
  refuses: [],
  annotations: READS,
}).run(({ disk }) => ({
  configFilePath: null,
  restartRequired: true,
  effectiveValues: { casRootPath: disk.folder, blobStorageProvider: 'File' as const },
  instructions: { store: 'Start the host with another --store.' },
}));

export const capabilities = operation({
  summary: 'Read what can be done in a workspace of this host.',
  scope: 'read',
  in: z.object({}),
  out: z.object({
    build: z.boolean().describe('Build.'),
    test: z.boolean().describe('Test.'),
    run: z.boolean().describe('Run programs.'),
    git: z.boolean().describe('Work on git repositories.'),
    createRepository: z.boolean().describe('Make repositories.'),
    importRepository: z.boolean().describe('Take in repositories.'),
    docFetch: z.boolean().describe('Fetch documents from the web.'),
    enabledDomainAgents: z.array(z.string()).describe('Observers that look at what is recorded.'),
  }),
  rest: { route: 'GET /studio/workspace/capabilities' },
  tool: 'workspace_capabilities',
  dispatch: true,
  refuses: [],
  annotations: READS,
}).run(({ records }) => {
  const { docFetchTools: docFetch, enabledDomainAgents } = records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  const always = { build: true, test: true, run: true, git: true, createRepository: true, importRepository: true };
  return { ...always, docFetch, enabledDomainAgents };
});

function shown(held: Held = DEFAULT_OPTIONS): z.input<typeof Options> {
  const { snapshotOnSync, opsPerSnapshot, ...rest } = held;
  return { ...rest, snapshots: { snapshotOnSync, opsPerSnapshot } };
}
