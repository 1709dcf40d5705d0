/** Access token. The secret stays with its holder; recorded is only its digest. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

const given = {
  tokenId: z.string(),
  label: z.string(),
  scope: z.enum(['read', 'operate', 'admin']),
  internal: z.boolean(),
  /** SHA-256 of the secret, in hex. */
  digest: z.string(),
  expiresAt: z.string().optional(),
};

export interface Token extends Readonly<z.infer<z.ZodObject<typeof given>>> {
  readonly madeAt: string;
  readonly madeBy: string;
}

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('TokenMade'), v: z.literal(1), ...given }),
  z.object({ type: z.literal('TokenRevoked'), v: z.literal(1), tokenId: z.string() }),
]);
export type TokenEvent = z.infer<typeof event>;

export const token = aggregate<Token>()({
  name: 'token',
  room: 'local',
  event,
  evolve(_state, event: TokenEvent, told): Token | undefined {
    if (event.type === 'TokenRevoked') return undefined;
    const { type: _type, v: _v, ...made } = event;
    return { ...made, madeAt: told.at, madeBy: told.by };
  },
  decide: {
    make: (_state, wanted: Omit<Token, 'madeAt' | 'madeBy'>): TokenEvent[] => [{ type: 'TokenMade', v: 1, ...wanted }],
    revoke(state, { tokenId }: { tokenId: string }): TokenEvent[] {
      if (!state) throw refusal('reject.token_not_found', `no token is called ${tokenId}`, { tokenId });
      return [{ type: 'TokenRevoked', v: 1, tokenId }];
    },
  },
});
