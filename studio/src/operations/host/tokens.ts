/** Access tokens that people make for others and for programs. The host's own are in its file. */
import { z } from 'zod';
import { token } from '../../record/aggregates/token/token.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS } from '../kernel/hints.js';
import { NewToken, Token, TokenId, TokenScope } from './token-shape.js';

const HOUR_MS = 3_600_000;

export const make = operation({
  summary: 'Make an access token. The answer shows it once.',
  scope: 'admin',
  in: z.object({
    label: z.string().min(1).max(200).describe('What it is for.'),
    scope: TokenScope,
    internal: z.boolean().default(false).describe('True to let it use the tools that agents use.'),
    expiresInHours: z
      .number()
      .int()
      .min(1)
      .max(87_600)
      .optional()
      .describe('How long it works. Default: until revoked.'),
  }),
  out: NewToken,
  rest: { route: 'POST /studio/tokens' },
  human: true,
  refuses: [],
  annotations: ADDS,
}).run(async (context, { expiresInHours, ...wanted }) => {
  const { secret, digest } = context.newSecret();
  const made = await context.answer((change) => {
    const tokenId = change.newId('token-');
    const ends = expiresInHours === undefined ? undefined : Date.parse(change.at) + expiresInHours * HOUR_MS;
    const expiresAt = ends === undefined ? {} : { expiresAt: new Date(ends).toISOString() };
    return change.run(token, tokenId, 'make', { tokenId, ...wanted, digest, ...expiresAt });
  });
  // The secret is not part of the stored answer.
  return { ...made, secret };
});

export const list = operation({
  summary: 'List the access tokens that were made, without their secrets.',
  scope: 'admin',
  in: z.object({}),
  out: z.array(Token),
  rest: { route: 'GET /studio/tokens' },
  list: 'tokenId',
  human: true,
  refuses: [],
  annotations: READS,
}).run((context) => context.records.tokens.all());

export const revoke = operation({
  summary: 'Revoke an access token, at once and for good.',
  scope: 'admin',
  in: z.object({ tokenId: TokenId }),
  out: z.object({ tokenId: TokenId }),
  rest: { route: 'DELETE /studio/tokens/{tokenId}' },
  human: true,
  refuses: ['reject.token_not_found'],
  annotations: ENDS,
}).run((context, { tokenId }) =>
  context.answer((change) => {
    change.end(token, tokenId, 'revoke', { tokenId });
    return { tokenId };
  }),
);
