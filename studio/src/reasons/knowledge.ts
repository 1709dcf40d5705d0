/** Refusals of what is known: artifacts, constraints, findings, and what is derived from them. */
import type { ReasonRow } from './reason-row.js';

export const knowledgeReasons = {
  'reject.artifact_not_found': {
    kind: 'missing',
    meaning: 'No artifact has this id.',
    recovery: ['List the artifacts of the work unit.'],
  },
  'reject.event_not_found': {
    kind: 'missing',
    meaning: 'No event has this id.',
    recovery: ['Read the timeline.'],
  },
  'reject.experiment_not_found': {
    kind: 'missing',
    meaning: 'No experiment is named so.',
    recovery: ['List the experiments.'],
  },
  'reject.finding_not_found': {
    kind: 'missing',
    meaning: 'No finding has this id.',
    recovery: ['List the findings.'],
  },
  'reject.node_not_found': {
    kind: 'missing',
    meaning: 'Nothing of this kind has this id.',
    recovery: ['List what there is of this kind.'],
  },
  'reject.not_a_constraint': {
    kind: 'invalid',
    meaning: 'The artifact is not a constraint of the kind that this is for.',
    recovery: ['Read the artifact; its type and its owner say what it is.'],
  },
  'reject.plan_invalid': {
    kind: 'invalid',
    meaning: 'The plan cannot be followed.',
    recovery: ['Correct what details lists, and record the whole plan again.'],
  },
  'reject.proposal_not_found': {
    kind: 'missing',
    meaning: 'No merge proposal has this id.',
    recovery: ['List the proposals.'],
  },
  'reject.snapshot_not_found': {
    kind: 'missing',
    meaning: 'No snapshot has this id.',
    recovery: ['List the snapshots.'],
  },
} as const satisfies Record<string, ReasonRow>;
