import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { type TokenEvent, token } from './token.js';

const given = { tokenId: 'token-1', label: 'for a test', scope: 'read', internal: false, digest: 'abc' } as const;
const made: TokenEvent = { type: 'TokenMade', v: 1, ...given };

describe('a token', () => {
  it('is made as it was asked for, with when and by whom', () => {
    expect(decided(token, [], 'make', given)).toEqual([made]);
    expect(stateOf(token, [made])).toEqual({ ...given, madeAt: told.at, madeBy: told.by });
  });

  it('is gone when it is revoked', () => {
    const events = decided(token, [made], 'revoke', { tokenId: 'token-1' });
    expect(events).toEqual([{ type: 'TokenRevoked', v: 1, tokenId: 'token-1' }]);
    expect(stateOf(token, [made, ...events])).toBeUndefined();
  });

  it('is not revoked twice, or when there is none', () => {
    const revoked: TokenEvent = { type: 'TokenRevoked', v: 1, tokenId: 'token-1' };
    for (const events of [[], [made, revoked]])
      expect(() => decided(token, events, 'revoke', { tokenId: 'token-1' })).toThrow(
        expect.objectContaining({ reason: 'reject.token_not_found' }),
      );
  });
});
