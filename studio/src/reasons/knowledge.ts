/** Refusals of what is known: artifacts, constraints, findings, and what is derived from them. */
import type { ReasonRow } from './reason-row.js';

export const knowledgeReasons = {
  'reject.artifact_not_found': {
    kind: 'missing',
    meaning: 'No artifact has this id.',
    recovery: ['List the artifacts of the work unit.'],
  },
  'reject.document_refused': {
    kind: 'invalid',
    meaning: 'The document is not one that may be read.',
    recovery: ['Name a text on an allowed domain, over https, or have the domain allowed.'],
  },
  'reject.document_unreachable': {
    kind: 'impossible',
    meaning: 'The document could not be read.',
    recovery: ['Check the address; try again later.'],
    retryable: true,
  },
  'reject.experiment_not_found': {
    kind: 'missing',
    meaning: 'No experiment is named so.',
    recovery: ['List the experiments.'],
  },
  'reject.feature_off': {
    kind: 'invalid',
    meaning: 'What is asked for is switched off on this host.',
    recovery: ['Ask a person to switch it on in the options.'],
  },
  'reject.finding_not_found': {
    kind: 'missing',
    meaning: 'No finding has this id.',
    recovery: ['List the findings.'],
  },
  'reject.memory_not_found': {
    kind: 'missing',
    meaning: 'No memory has this id.',
    recovery: ['List the memories.'],
  },
  'reject.too_many_memories': {
    kind: 'conflict',
    meaning: 'As many memories of this repository wait for a person as may.',
    recovery: ['Go on without it; once people have confirmed or refused some, there is room.'],
  },
  'reject.model_refused': {
    kind: 'impossible',
    meaning: 'The model cannot or will not do this.',
    recovery: ['Check provider, model, address and key; details name the fault.'],
  },
  'reject.model_unavailable': {
    kind: 'impossible',
    meaning: 'The model has no time, cannot be reached, or answers nothing that makes sense.',
    recovery: ['Try again later, or with another model.'],
    retryable: true,
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
  'reject.snapshot_not_found': {
    kind: 'missing',
    meaning: 'No snapshot has this id.',
    recovery: ['List the snapshots.'],
  },
} as const satisfies Record<string, ReasonRow>;
