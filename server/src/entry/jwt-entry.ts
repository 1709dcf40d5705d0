/**
 * Tokens of an identity provider: a peer shows a JWT as the `token` of its hello, and the claims in it say what it may do. [AU10]
 *
 * Only signatures by keys that the provider publishes count (never a shared secret, never none), for this server as audience, and
 * for as long as the token says. New keys are fetched when a token names one that is not known, at most every some seconds; keys
 * that the provider has taken back stop counting with the next fetch. A token that is bound to a key (`cnf`) is good for nobody else.
 */
import { type AuthenticateHook, type EntryAnswer, type EntryHello, fromHex } from '@weft/core';
import {
  type JWTPayload,
  type JWTVerifyGetKey,
  calculateJwkThumbprint,
  createRemoteJWKSet,
  errors,
  jwtVerify,
} from 'jose';
import * as z from 'zod';
import { boundedText } from './bounded-text.js';
import { type ClaimRules, capsOf } from './claim-rights.js';
import { secureUrl } from './secure-url.js';

export interface JwtEntryOptions {
  /** Value of `iss`, exactly. */
  readonly issuer: string;
  /** Values of `aud`, one of which must be there. */
  readonly audiences: readonly string[];
  /** Where the provider publishes its keys; found by OpenID discovery at the issuer when absent. */
  readonly jwksUrl?: string;
  readonly rules: ClaimRules;
  /** Least time between two fetches of the keys, milliseconds. */
  readonly cooldownMs?: number;
  /** Longest time for which fetched keys are believed, milliseconds. */
  readonly maxAgeMs?: number;
}

/** What a provider may sign with: asymmetric algorithms alone. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

const TOKEN_LENGTH = 16 * 1024;
/** Difference between the provider's clock and ours, seconds. */
const CLOCKS = 5;
const FETCH_MS = 4000;
const DISCOVERY_BYTES = 256 * 1024;

/** Faults of the token itself; any other is one of the provider or of the way there. */
const OF_TOKEN = [
  errors.JWSInvalid,
  errors.JWTInvalid,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
  errors.JWSSignatureVerificationFailed,
];

const Discovered = z.object({ issuer: z.string(), jwks_uri: z.string() });

export function jwtEntry(options: JwtEntryOptions): AuthenticateHook {
  const keys = keysOf(options);
  return async ({ room }, hello) => {
    const { token } = hello;
    if (token === undefined || token === null) return 'pass';
    if (typeof token !== 'string' || token.length > TOKEN_LENGTH) return { deny: 'malformed token' };
    const verified = await verify(token, await keys(), options);
    if (!('payload' in verified)) return verified.answer;
    const { payload } = verified;
    const fault = await faultOfBinding(payload, hello);
    if (fault !== undefined) return { deny: fault };
    const caps = capsOf(options.rules, payload, room);
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

type Verified = { readonly payload: JWTPayload } | { readonly answer: EntryAnswer };

async function verify(token: string, keys: JWTVerifyGetKey, options: JwtEntryOptions): Promise<Verified> {
  const { issuer, audiences } = options;
  try {
    return await jwtVerify(token, keys, {
      issuer,
      audience: [...audiences],
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCKS,
    });
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { answer: 'expired' };
    if (error instanceof errors.JWTClaimValidationFailed)
      return { answer: { deny: `the claim ${error.claim} of the token is not what it must be here` } };
    if (OF_TOKEN.some((kind) => error instanceof kind)) return { answer: { deny: 'signature verification failed' } };
    throw new Error('the keys of the identity provider cannot be had', { cause: error });
  }
}

/** Why the token is not this peer's to show; undefined for one that whoever holds it may show. */
async function faultOfBinding({ cnf }: JWTPayload, { pubkey, proven }: EntryHello): Promise<string | undefined> {
  if (cnf === undefined) return undefined;
  if (pubkey === undefined || !proven) return 'missing proof';
  const confirmation = new Map<string, unknown>(typeof cnf === 'object' && cnf !== null ? Object.entries(cnf) : []);
  const own = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(fromHex(pubkey)).toString('base64url') };
  if (confirmation.has('jkt'))
    return confirmation.get('jkt') === (await calculateJwkThumbprint(own))
      ? undefined
      : 'the token is bound to another key';
  const bound = z
    .object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string() })
    .safeParse(confirmation.get('jwk'));
  if (!bound.success) return 'the token is bound in a way that is not known here';
  return bound.data.x === own.x ? undefined : 'the token is bound to another key';
}

/** Published keys, looked for where the issuer says that they are when nobody else has said it. */
function keysOf({ issuer, jwksUrl, cooldownMs = 10_000, maxAgeMs = 600_000 }: JwtEntryOptions) {
  const at = (url: URL): JWTVerifyGetKey =>
    createRemoteJWKSet(url, { timeoutDuration: FETCH_MS, cooldownDuration: cooldownMs, cacheMaxAge: maxAgeMs });
  if (jwksUrl !== undefined) {
    const keys = at(secureUrl(jwksUrl, 'jwks-url'));
    return () => Promise.resolve(keys);
  }
  const start = secureUrl(issuer, 'jwt-issuer');
  let found: Promise<JWTVerifyGetKey> | undefined;
  return (): Promise<JWTVerifyGetKey> => {
    found ??= discovered(start, issuer).then(at);
    // A provider that was away is asked again by whoever comes next.
    found.catch(() => (found = undefined));
    return found;
  };
}

async function discovered(start: URL, issuer: string): Promise<URL> {
  const where = `${start.href.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(where, { redirect: 'manual', signal: AbortSignal.timeout(FETCH_MS) });
  if (response.status !== 200) throw new Error(`${where} answered ${response.status}`);
  const document = Discovered.parse(JSON.parse(await boundedText(response, DISCOVERY_BYTES)));
  if (document.issuer !== issuer) throw new Error(`${where} is of another issuer, ${document.issuer}`);
  return secureUrl(document.jwks_uri, 'jwt-issuer');
}
