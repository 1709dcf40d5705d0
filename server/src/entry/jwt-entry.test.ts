/** Tokens of an identity provider, signed by real keys that a real HTTP server publishes. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AuthenticateHook, type EntryHello, generateKeys } from '@weft/core';
import { type JWTPayload, SignJWT, UnsecuredJWT, calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ClaimRules } from './claim-rights.js';
import { jwtEntry, type JwtEntryOptions } from './jwt-entry.js';

const rules = ClaimRules.parse({
  rules: [
    { rooms: 'plans', when: { scope: 'write' }, caps: ['query.read'] },
    { rooms: 'plans', when: { scope: 'read' }, caps: ['read-only'] },
  ],
});

const EDGE = '2030-01-01T00:00:00Z';

/** An identity provider: keys by their names, of which it publishes some. */
async function provider(options: Partial<JwtEntryOptions> = {}) {
  const pairs = new Map<string, Awaited<ReturnType<typeof generateKeyPair>>>();
  for (const kid of ['k1', 'k2', 'stranger']) pairs.set(kid, await generateKeyPair('ES256'));
  const state = { published: ['k1'], isDown: false, issuer: '', fetches: 0 };
  const http = createServer((request, response) => {
    void (async () => {
      if (state.isDown) return response.writeHead(503).end();
      if (request.url === '/.well-known/openid-configuration')
        return response.end(JSON.stringify({ issuer: state.issuer, jwks_uri: `${origin}/keys` }));
      if (request.url !== '/keys') return response.writeHead(404).end();
      state.fetches++;
      const keys = state.published.map(async (kid) => ({ ...(await exportJWK(pairs.get(kid)!.publicKey)), kid }));
      return response.end(JSON.stringify({ keys: await Promise.all(keys) }));
    })();
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  state.issuer = origin;
  const hook = jwtEntry({ issuer: origin, audiences: ['weft', 'rooms'], rules, cooldownMs: 0, ...options });
  const sign = (claims: JWTPayload = {}, kid = 'k1'): Promise<string> =>
    new SignJWT({ iss: origin, aud: 'weft', sub: 'ann', scope: 'openid write', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid })
      .setIssuedAt(claims.iat ?? 1_700_000_000)
      .setExpirationTime(claims.exp ?? new Date(EDGE))
      .sign(pairs.get(kid)!.privateKey);
  return { origin, state, hook, sign };
}

const ann = generateKeys();

const ask = async (hook: AuthenticateHook, token: unknown, hello: Partial<EntryHello> = {}, room = 'plans') =>
  hook(
    { room, address: undefined, headers: {} },
    {
      pubkey: ann.publicKey,
      proven: true,
      isRecheck: false,
      peerId: undefined,
      peerType: undefined,
      token,
      ...hello,
    },
    new AbortController().signal,
  );

describe('tokens of an identity provider', () => {
  it('[AU10] give the rights that the claims stand for, until they expire', async () => {
    const { hook, sign } = await provider();
    const expiry = new Date(EDGE).getTime() / 1000;
    const grant = { subject: 'ann', issuedAt: 1_700_000_000, expiry };
    expect(await ask(hook, await sign())).toEqual({ grant: { ...grant, caps: ['query.read'] } });
    expect(await ask(hook, await sign({ scope: 'read', aud: ['else', 'rooms'] }))).toEqual({
      grant: { ...grant, caps: ['read-only'] },
    });
  });

  it('[AU10] are passed by who shows none, and denied where they are not for this room or no token', async () => {
    const { hook, sign } = await provider();
    expect(await ask(hook, undefined)).toBe('pass');
    expect(await ask(hook, await sign(), {}, 'elsewhere')).toEqual({ deny: 'this token is not for this room' });
    expect(await ask(hook, await sign({ scope: 'none' }))).toEqual({ deny: 'this token is not for this room' });
    for (const token of [7, { token: 1 }, 'x'.repeat(20_000)])
      expect(await ask(hook, token)).toEqual({ deny: 'malformed token' });
    for (const token of ['', 'a.b.c', 'a.b'])
      expect(await ask(hook, token), token).toEqual({ deny: 'signature verification failed' });
  });

  it('[AU10] count for this server and this issuer alone, and not when they have expired', async () => {
    const { hook, sign } = await provider();
    const wrong = (claim: string) => ({ deny: `the claim ${claim} of the token is not what it must be here` });
    expect(await ask(hook, await sign({ aud: 'other' }))).toEqual(wrong('aud'));
    expect(await ask(hook, await sign({ iss: 'http://127.0.0.1:1' }))).toEqual(wrong('iss'));
    expect(await ask(hook, await sign({ nbf: 4_000_000_000 }))).toEqual(wrong('nbf'));
    expect(await ask(hook, await sign({ exp: 1_700_000_001 }))).toBe('expired');
  });

  it('[AU10] count by a signature of a published key alone', async () => {
    const { origin, hook, sign } = await provider();
    const refused = { deny: 'signature verification failed' };
    const token = await sign();
    const [head, body, sig] = token.split('.');
    const other = Buffer.from(JSON.stringify({ iss: origin, aud: 'weft', sub: 'root', exp: 4e9 })).toString(
      'base64url',
    );
    const claims = { iss: origin, aud: 'weft', sub: 'ann', scope: 'write', exp: 4e9 };
    const shared = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' });
    for (const [what, forged] of Object.entries({
      'another body': `${head}.${other}.${sig}`,
      'no signature': `${head}.${body}.`,
      'alg none': new UnsecuredJWT(claims).encode(),
      'a shared secret': await shared.sign(new TextEncoder().encode('a secret of thirty-two characters')),
      'a key that is not published': await sign({}, 'stranger'),
    }))
      expect(await ask(hook, forged), what).toEqual(refused);
  });

  it('[AU10] follow the keys that are published: a new one counts at once, one that was taken back no more', async () => {
    const { state, hook, sign } = await provider();
    const [old, fresh] = [await sign({}, 'k1'), await sign({}, 'k2')];
    expect(await ask(hook, old)).toHaveProperty('grant');
    expect(await ask(hook, fresh)).toEqual({ deny: 'signature verification failed' });
    state.published = ['k2'];
    expect(await ask(hook, fresh)).toHaveProperty('grant');
    expect(await ask(hook, old)).toEqual({ deny: 'signature verification failed' });
  });

  it('[AU10] do not make the server fetch keys for each that is made up', async () => {
    const { state, hook, sign } = await provider({ cooldownMs: 60_000 });
    for (let times = 0; times < 5; times++) await ask(hook, await sign({}, 'stranger'));
    expect(state.fetches).toBe(1);
  });

  it('[AU10] let nobody in while the provider cannot be asked, and do as soon as it can', async () => {
    const { origin, state, hook, sign } = await provider();
    state.isDown = true;
    const token = await sign();
    await expect(ask(hook, token)).rejects.toThrow('answered 503');
    state.isDown = false;
    state.issuer = 'http://127.0.0.1:1';
    await expect(ask(hook, token)).rejects.toThrow('another issuer');
    state.issuer = origin;
    expect(await ask(hook, token)).toHaveProperty('grant');
  });

  it('[AU10] by keys at a named address fail closed too', async () => {
    const { origin, state, sign } = await provider();
    const hook = jwtEntry({ issuer: origin, audiences: ['weft'], rules, jwksUrl: `${origin}/keys` });
    state.isDown = true;
    await expect(ask(hook, await sign())).rejects.toThrow('the keys of the identity provider cannot be had');
    state.isDown = false;
    expect(await ask(hook, await sign())).toHaveProperty('grant');
  });

  it('[AU10] that are bound to a key are good for who has proved it, and nobody else', async () => {
    const { hook, sign } = await provider();
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(ann.publicKey, 'hex').toString('base64url') };
    const byKey = await sign({ cnf: { jwk } });
    const byThumb = await sign({ cnf: { jkt: await calculateJwkThumbprint(jwk) } });
    for (const token of [byKey, byThumb]) {
      expect(await ask(hook, token)).toHaveProperty('grant');
      expect(await ask(hook, token, { proven: false })).toEqual({ deny: 'missing proof' });
      expect(await ask(hook, token, { pubkey: generateKeys().publicKey })).toEqual({
        deny: 'the token is bound to another key',
      });
    }
    expect(await ask(hook, await sign({ cnf: { 'x5t#S256': 'abc' } }))).toEqual({
      deny: 'the token is bound in a way that is not known here',
    });
  });

  it('[AU10] are not trusted by an address that others could answer for', () => {
    const options = { issuer: 'https://id.example', audiences: ['weft'], rules };
    expect(() => jwtEntry({ ...options, issuer: 'http://id.example' })).toThrow('must be https');
    expect(() => jwtEntry({ ...options, jwksUrl: 'http://id.example/keys' })).toThrow('must be https');
  });
});
