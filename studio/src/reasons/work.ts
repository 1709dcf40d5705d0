/** Refusals of the record of work. */
import type { ReasonRow } from './reason-row.js';

export const workReasons = {
  'reject.option_fixed': {
    kind: 'impossible',
    meaning: 'The option has one value here; another would have no effect.',
    recovery: ['Leave the option out; the message says what this host does in its place.'],
  },
  'reject.workunit_not_found': {
    kind: 'missing',
    meaning: 'No work unit has this id.',
    recovery: ['List the work units.'],
  },
  'reject.goal_not_found': {
    kind: 'missing',
    meaning: 'No goal has this id.',
    recovery: ['List the goals.'],
  },
  'reject.waits_for_itself': {
    kind: 'invalid',
    meaning: 'The unit would depend on what cannot end before the unit itself does.',
    recovery: ['Leave out of dependsOn what details names; a part cannot depend on what it is a part of.'],
  },
  'reject.wrong_state': {
    kind: 'conflict',
    meaning: 'What is asked for does not follow from the present state.',
    recovery: ['Read the state named in details; ask for what may follow from it.'],
  },
} as const satisfies Record<string, ReasonRow>;
