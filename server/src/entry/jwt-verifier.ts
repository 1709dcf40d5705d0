/**
 * Verified tokens of an identity provider, by the keys that it publishes. All that needs `jose` is here, which a server without a
 * provider never loads.
 */
import { type EntryAnswer, type EntryHello, fromHex } from '@weft/core';
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
import { secureUrl } from './secure-url.js';

export interface JwtVerifierOptions {
  /** Value of `iss`, exactly. */
  readonly issuer: string;
  /** Values of `aud`, one of which must be there. */
  readonly audiences: readonly string[];
  /** Where the provider publishes its keys; found by OpenID discovery at the issuer when absent. */
  readonly jwksUrl?: string;
  /** Least time between two fetches of the keys, milliseconds. */
  readonly cooldownMs?: number;
  /** Longest time for which fetched keys are believed, milliseconds. */
  readonly maxAgeMs?: number;
}

export type Verified = { readonly payload: JWTPayload } | { readonly answer: EntryAnswer };

/** Answers whose claims count for the peer that says this hello. */
export type JwtVerifier = (token: string, hello: EntryHello) => Promise<Verified>;

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

export function jwtVerifier(options: JwtVerifierOptions): JwtVerifier {
  const keys = keysOf(options);
  return async (token, hello) => {
    const verified = await verify(token, await keys(), options);
    if (!('payload' in verified)) return verified;
    const fault = await faultOfBinding(verified.payload, hello);
    return fault === undefined ? verified : { answer: { deny: fault } };
  };
}

async function verify(token: string, keys: JWTVerifyGetKey, options: JwtVerifierOptions): Promise<Verified> {
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
function keysOf({ issuer, jwksUrl, cooldownMs = 10_000, maxAgeMs = 600_000 }: JwtVerifierOptions) {
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
