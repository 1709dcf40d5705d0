/** Refusals of forges. */
import type { ReasonRow } from './reason-row.js';

export const forgeReasons = {
  'reject.forge_not_connected': {
    kind: 'missing',
    meaning: 'The repository is connected to no forge.',
    recovery: ['Connect it: weft forge connect, or PUT /studio/repositories/{repositoryId}/forge.'],
  },
  'reject.forge_denied': {
    kind: 'impossible',
    meaning: 'The forge does not accept the token, or it may not do this.',
    recovery: ['Give the host a token that may read and write contents, issues and requests of this repository alone.'],
  },
  'reject.forge_absent': {
    kind: 'missing',
    meaning: 'The forge has no such issue, request or repository, or none that the token may see.',
    recovery: ['Correct the number, or the project and the address of the connection.'],
  },
  'reject.forge_refused': {
    kind: 'conflict',
    meaning: 'The forge refuses what was asked of it.',
    recovery: ['Read what it said in details.'],
  },
  'reject.forge_answer': {
    kind: 'impossible',
    meaning: 'The forge answered in a form that is not known.',
    recovery: ['Check that the address is that of its API, and that its kind is right.'],
  },
  'reject.forge_unreachable': {
    kind: 'conflict',
    meaning: 'The forge did not answer, also when asked again.',
    recovery: ['Wait: the studio looks again by itself, and does nothing twice.'],
    retryable: true,
  },
  'reject.forge_limited': {
    kind: 'limited',
    meaning: 'The forge takes no more requests until the time in details.',
    recovery: ['Wait: the studio goes on by itself at that time.'],
    retryable: true,
  },
  'reject.checks_required': {
    kind: 'conflict',
    meaning: 'Checks that the connection of the repository requires are not green at the forge yet.',
    recovery: [
      'Wait: the studio looks every minute, and details name what is missing; weft studio forge look has it look now.',
      'Offer the result, if no request shows it: weft studio contribution offer --goal-id <goal>.',
      'A person can require other checks: weft studio forge connect --required-checks.',
    ],
    retryable: true,
  },
  'reject.forge_address': {
    kind: 'invalid',
    meaning: 'The address of a forge must be https, or on this machine.',
    recovery: ['Name the base of its API, such as https://api.github.com.'],
  },
  'reject.hook_signature': {
    kind: 'unauthenticated',
    meaning: 'The notice of a forge is not signed with the secret of the connection.',
    recovery: ['Give the forge and the host the same secret.'],
  },
} as const satisfies Record<string, ReasonRow>;
