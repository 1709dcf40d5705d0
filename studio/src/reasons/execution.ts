/** Refusals of sessions, agents, the queue, and what goes wrong there. */
import type { ReasonRow } from './reason-row.js';

export const executionReasons = {
  'reject.session_not_found': {
    kind: 'missing',
    meaning: 'No session has this id.',
    recovery: ['List the sessions.'],
  },
  'reject.priority_too_high': {
    kind: 'forbidden',
    meaning: 'An agent would give a task a higher priority than its work unit has.',
    recovery: ['Leave the priority out, or ask a person to raise it.'],
  },
  'reject.task_not_found': {
    kind: 'missing',
    meaning: 'No task has this id.',
    recovery: ['List the tasks.'],
  },
  'reject.agent_not_found': {
    kind: 'missing',
    meaning: 'No agent has this id.',
    recovery: ['List the agents, with all=true to see those that have stopped.'],
  },
  'reject.profile_not_found': {
    kind: 'missing',
    meaning: 'No agent profile has this id.',
    recovery: ['List the agent profiles, or make this one.'],
  },
  'reject.not_scheduled': {
    kind: 'conflict',
    meaning: 'The work unit is not in the queue.',
    recovery: ['Enqueue it.'],
  },
  'reject.held_back': {
    kind: 'conflict',
    meaning: 'Its goal, its session or its agent is paused.',
    recovery: ['Resume what details name.'],
  },
  'reject.lease_lost': {
    kind: 'conflict',
    meaning: 'The work unit was taken from the agent: its lease has expired, or was given to another.',
    recovery: ['Stop working on it.'],
  },
  'reject.dead_letter_not_found': {
    kind: 'missing',
    meaning: 'No dead letter has this id, or nothing has failed there.',
    recovery: ['List the dead letters, or read the status of the goal.'],
  },
  'reject.attempts_exhausted': {
    kind: 'conflict',
    meaning: 'The work unit has failed as often as it may.',
    recovery: ['Retry with context, or replan.'],
  },
  'reject.recovery_not_applicable': {
    kind: 'conflict',
    meaning: 'This failure is not of the kind that can be dealt with in this way.',
    recovery: ['Choose one of the actions in details.'],
  },
  'reject.clarification_not_found': {
    kind: 'missing',
    meaning: 'There is no such question, or none that waits for an answer.',
    recovery: ['List the clarifications.'],
  },
  'reject.clarification_closed': {
    kind: 'conflict',
    meaning: 'The question was answered or abandoned already.',
    recovery: ['Nothing waits for it any more. Tell the work what has changed by steering it, or by a constraint.'],
  },
  'reject.key_missing': {
    kind: 'conflict',
    meaning: 'The key of the model is not at hand.',
    recovery: ['Give the key to the running studio under this name, by weft key set or POST /studio/credentials.'],
  },
  'reject.price_unknown': {
    kind: 'conflict',
    meaning: 'A limit in dollars was asked for, and nobody knows what the model costs.',
    recovery: [
      'Limit tokens instead, as weft run --max-tokens 2000000 does, or name its price under "prices" of the host\'s file of models.',
    ],
  },
  'reject.model_unknown': {
    kind: 'conflict',
    meaning: 'This host has no model of that kind.',
    recovery: ['Choose a provider and a model that the host was started with.'],
  },
  'reject.not_confined': {
    kind: 'impossible',
    meaning: 'Nothing confines programs on this host, and nobody has said that they may run as its user.',
    recovery: ['Install bubblewrap on the host, or have it started once with --unconfined.'],
  },
  'reject.hook_refused': {
    kind: 'forbidden',
    meaning: 'A hook that the operator has set around calls of tools refuses this call.',
    recovery: ['Do as its reason says, or go on without this call.'],
  },
  'reject.hook_objected': {
    kind: 'forbidden',
    meaning: 'The call was made, and a hook that the operator has set behind calls of tools refuses what came of it.',
    recovery: ['Do as its reason says; what was done stands.'],
  },
  'reject.program_not_started': {
    kind: 'impossible',
    meaning: 'A program could not be started.',
    recovery: ['Install it on the machine of the host, or name another command.'],
  },
  'reject.nothing_to_run': {
    kind: 'impossible',
    meaning: 'Neither the caller nor the files of the branch say what is to be run.',
    recovery: ['Name a command, or ask for the profile to see what was found.'],
  },
  'reject.execution_stopped': {
    kind: 'conflict',
    meaning: 'What was being built or tested was stopped: the work on its branch is over.',
    recovery: ['Look at the work unit; one that was cancelled can be requeued.'],
  },
  'reject.not_running': {
    kind: 'missing',
    meaning: 'No program runs there.',
    recovery: ['Start one with run.'],
  },
  'reject.execution_not_found': {
    kind: 'missing',
    meaning: 'Nothing was built or tested there yet, or not under this id.',
    recovery: ['Build or test the branch.'],
  },
  'reject.too_many_runs': {
    kind: 'conflict',
    meaning: 'As many programs run on the branch as may.',
    recovery: ['Stop one of them.'],
  },
  'reject.language_unsupported': {
    kind: 'impossible',
    meaning: 'No program of this host knows the symbols of this language.',
    recovery: [
      'Search for the text. A studio that was installed as packages knows TypeScript and JavaScript; who starts one as a library can give it other language servers.',
    ],
  },
  'reject.language_server_failed': {
    kind: 'impossible',
    meaning: 'The program that knows the language did not answer.',
    recovery: ['Ask again: another one is started. Search for the text if it fails again.'],
    retryable: true,
  },
} as const satisfies Record<string, ReasonRow>;
