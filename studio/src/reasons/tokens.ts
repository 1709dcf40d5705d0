/** Refusals of access tokens. */
import type { ReasonRow } from './reason-row.js';

export const tokenReasons = {
  'reject.token_not_found': {
    kind: 'missing',
    meaning: 'No token that was made has this id, or it was revoked.',
    recovery: ['List the tokens.'],
  },
} as const satisfies Record<string, ReasonRow>;
