/** Experiments: one goal, tried in several ways, of which one wins. */
import { z } from 'zod';
import { requireSession } from '../../rules/goals/session-of.js';
import { convergeExperiment, startExperiment } from '../../rules/knowledge/forks.js';
import { refusal } from '../../reasons.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS } from '../kernel/hints.js';
import { Experiment, ForkType, SessionId } from './fork-shape.js';
import { repositoryNamed } from '../branches/repository-meant.js';
import { RepositoryId } from '../branches/repository-shape.js';
import { Minutes, ReviewPolicy, WorkUnitId } from '../goals/work-unit-shape.js';

export const create = operation({
  summary: 'Try one goal in several ways, each a work unit of its own.',
  scope: 'operate',
  in: z.object({
    goal: z.string().min(1).max(100_000).describe('What is to be achieved.'),
    owner: z.string().min(1).max(200).describe('Who asks for it.'),
    forkType: ForkType,
    forks: z
      .array(
        z.object({
          profileId: z.string().min(1).max(200).optional().describe('Profile that works on this fork.'),
          constraintText: z.string().min(1).max(100_000).optional().describe('Rule for this fork.'),
        }),
      )
      .min(2)
      .max(20)
      .describe('The ways. Model forks need a profile each; Architecture, Library and Product forks a rule each.'),
    comparisonMetricHint: z.string().max(10_000).optional().describe('What to compare them by.'),
    taskReviewPolicy: ReviewPolicy.optional().describe(
      'Who approves what goes into the unit that holds them together.',
    ),
    workspaceReviewPolicy: ReviewPolicy.optional().describe('Who approves what reaches the repository.'),
    taskReviewHybridTimeoutMinutes: Minutes.optional().describe('How long a person has to object, for Hybrid.'),
    workspaceReviewHybridTimeoutMinutes: Minutes.optional().describe(
      'How long a person has to object before work reaches the repository, for Hybrid.',
    ),
    sessionId: SessionId.optional(),
    repositoryPath: z.string().max(4096).optional().describe('Folder of the repository, in place of repositoryId.'),
    repositoryId: RepositoryId.optional().describe('Repository to work on.'),
  }),
  out: z.object({
    experimentId: z.string().describe('Id of the experiment.'),
    parentWorkUnitId: z.string().describe('Work unit that holds it together.'),
    forkWorkUnitIds: z.array(z.string()).describe('Work units that are compared.'),
  }),
  rest: { route: 'POST /studio/experiments' },
  refuses: [
    ...['reject.invalid_input', 'reject.repository_not_found', 'reject.profile_not_found'],
    'reject.session_not_found',
  ] as const,
  annotations: ADDS,
}).run((context, { forks, forkType, comparisonMetricHint, sessionId, repositoryPath, ...parent }) =>
  context.answer((change) => {
    const { records } = context;
    requireSession(change, records, sessionId);
    const repositoryId = repositoryNamed(records, { repositoryId: parent.repositoryId, repositoryPath });
    const wanted = { forkType, ways: forks, comparisonMetricHint, sessionId };
    return startExperiment(change, records, { ...wanted, parent: { ...parent, repositoryId } });
  }),
);

export const list = operation({
  summary: 'List the experiments, newest first.',
  scope: 'read',
  in: z.object({}),
  out: z.array(Experiment),
  rest: { route: 'GET /studio/experiments' },
  list: 'experimentId',
  refuses: [],
  annotations: READS,
}).run(({ records }) => records.experiments.all().reverse());

export const get = operation({
  summary: 'Read one experiment.',
  scope: 'read',
  in: z.object({ experimentId: z.string().min(1).max(200).describe('Id of the experiment.') }),
  out: Experiment,
  rest: { route: 'GET /studio/experiments/{experimentId}' },
  version: ({ experiments }, { experimentId }) => experiments.version(experimentId) || undefined,
  refuses: ['reject.experiment_not_found'],
  annotations: READS,
}).run(({ records }, { experimentId }) => {
  const found = records.experiments.get(experimentId);
  if (found) return found;
  throw refusal('reject.experiment_not_found', `no experiment is called ${experimentId}`, { experimentId });
});

export const converge = operation({
  summary: 'Say which fork of an experiment has won. The others end.',
  scope: 'operate',
  in: z.object({
    parentWorkUnitId: WorkUnitId.describe('Work unit that holds the experiment together.'),
    winnerId: WorkUnitId.describe('Work unit of the fork that has won.'),
    rationale: z.string().max(100_000).optional().describe('Why that one.'),
  }),
  out: z.object({
    experimentId: z.string().describe('Id of the experiment.'),
    parentWorkUnitId: z.string().describe('Work unit that holds it together.'),
    winnerId: z.string().describe('Fork that has won.'),
    rejectedWorkUnitIds: z.array(z.string()).describe('Forks that have not.'),
    cancelledWorkUnitIds: z.array(z.string()).describe('Units that ended with this.'),
    decisionIds: z.array(z.string()).describe('Decisions that were recorded of their proposals.'),
    rationale: z.string().optional().describe('Why that one.'),
  }),
  rest: { route: 'POST /studio/experiments/{parentWorkUnitId}/converge' },
  human: true,
  refuses: [
    'reject.experiment_not_found',
    'reject.invalid_input',
    'reject.wrong_state',
    'reject.workunit_not_found',
    'reject.busy',
  ],
  annotations: ENDS,
}).run((context, { parentWorkUnitId, ...verdict }) =>
  context.answer((change) => {
    const { records } = context;
    const found = convergeExperiment(change, records, parentWorkUnitId, verdict);
    const { experimentId, forkWorkUnitIds, winnerId = verdict.winnerId, rationale } = found.experiment;
    return {
      experimentId,
      parentWorkUnitId,
      winnerId,
      rationale,
      rejectedWorkUnitIds: forkWorkUnitIds.filter((id) => id !== winnerId),
      cancelledWorkUnitIds: [...found.cancelledWorkUnitIds],
      decisionIds: [...found.decisionIds],
    };
  }),
);
