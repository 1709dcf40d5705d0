/**
 * Tokens of an identity provider: a peer shows a JWT as the `token` of its hello, and the claims in it say what it may do. [AU10]
 *
 * Only signatures by keys that the provider publishes count (never a shared secret, never none), for this server as audience, and
 * for as long as the token says. New keys are fetched when a token names one that is not known, at most every some seconds; keys
 * that the provider has taken back stop counting with the next fetch. A token that is bound to a key (`cnf`) is good for nobody else.
 */
import type { AuthenticateHook } from '@weft/core';
import { type ClaimRules, capsOf } from './claim-rights.js';
import type { JwtVerifier, JwtVerifierOptions } from './jwt-verifier.js';
import { secureUrl } from './secure-url.js';

export interface JwtEntryOptions extends JwtVerifierOptions {
  readonly rules: ClaimRules;
}

const TOKEN_LENGTH = 16 * 1024;

export function jwtEntry({ rules, ...options }: JwtEntryOptions): AuthenticateHook {
  const { issuer, jwksUrl } = options;
  // A wrong address fails the start, not the first peer that shows a token.
  if (jwksUrl === undefined) secureUrl(issuer, 'jwt-issuer');
  else secureUrl(jwksUrl, 'jwks-url');
  let verifier: Promise<JwtVerifier> | undefined;
  return async ({ room }, hello) => {
    const { token } = hello;
    if (token === undefined || token === null) return 'pass';
    if (typeof token !== 'string' || token.length > TOKEN_LENGTH) return { deny: 'malformed token' };
    verifier ??= import('./jwt-verifier.js').then(({ jwtVerifier }) => jwtVerifier(options));
    const verified = await (await verifier)(token, hello);
    if (!('payload' in verified)) return verified.answer;
    const { payload } = verified;
    const caps = capsOf(rules, payload, room);
    if (!caps) return { deny: 'this token is not for this room' };
    const { sub: subject, exp: expiry, iat: issuedAt } = payload;
    return {
      grant: {
        caps,
        ...(subject === undefined ? {} : { subject }),
        ...(expiry === undefined ? {} : { expiry }),
        ...(issuedAt === undefined ? {} : { issuedAt }),
      },
    };
  };
}
