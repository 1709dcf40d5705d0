/** Shapes of access tokens, as callers see them. */
import { z } from 'zod';
import { SCOPES } from '../kernel/caller.js';

export const TokenId = z.string().min(1).max(200).describe('Id of the token; not the token itself.');
export const TokenScope = z.enum(SCOPES).describe('What it is good for: each scope includes those before it.');

const fields = {
  tokenId: TokenId,
  label: z.string().describe('What it is for, in the words of who made it.'),
  scope: TokenScope,
  internal: z.boolean().describe('True when the tools that agents use are for it too.'),
  madeAt: z.string().describe('When it was made, ISO 8601.'),
  madeBy: z.string().describe('Name of the token with which it was made.'),
  expiresAt: z.string().optional().describe('When it stops working, ISO 8601. Absent: never.'),
};

export const Token = z.object(fields).meta({ id: 'Token', description: 'An access token, without its secret.' });

export const NewToken = z
  .object({
    ...fields,
    secret: z
      .string()
      .optional()
      .describe('The token itself. It is shown this once: an answer to a repeated request does not have it.'),
  })
  .meta({ id: 'NewToken', description: 'An access token that was just made.' });
