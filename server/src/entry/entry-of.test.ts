/** What an operator configures about entry, up to a server that peers dial. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, generateKeys, keepRoom } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../config/read-config.js';
import { startServer } from '../server.js';
import { entryOf } from './entry-of.js';

const configOf = (flags: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}) =>
  readConfig({ flags: new Map(Object.entries(flags)), environment });

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'weft-entry-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

describe('entryOf', () => {
  it('[AU8] asks for nothing unless told to, and for a token where there is an identity provider', async () => {
    expect(await entryOf(configOf({}))).toEqual({ require: 'open' });
    expect(await entryOf(configOf({ require: 'key', 'create-rooms': 'a-*,-' }))).toEqual({
      require: 'key',
      createRooms: ['a-*'],
    });
    const rules = join(await folder(), 'rights.json');
    await writeFile(rules, '{"rules":[{"rooms":"*","caps":[]}]}');
    const flags = { 'jwt-issuer': 'https://id.example', 'jwt-audience': 'weft', 'jwt-rights': rules };
    expect(await entryOf(configOf(flags))).toMatchObject({ require: 'token', authenticate: expect.any(Function) });
    expect(await entryOf(configOf({ ...flags, require: 'open' }))).toMatchObject({ require: 'open' });
  });

  it.each([
    [{ 'auth-webhook': 'https://a.example' }, {}, 'set WEFT_AUTH_WEBHOOK_SECRET'],
    [{ 'auth-webhook': 'http://a.example' }, { WEFT_AUTH_WEBHOOK_SECRET: 'x'.repeat(16) }, 'must be https'],
    [{}, { WEFT_AUTH_WEBHOOK_SECRET: 'x'.repeat(16) }, 'auth-webhook-secret: has no effect without'],
    [{ 'jwks-url': 'https://a.example' }, {}, 'jwks-url: has no effect without --jwt-issuer'],
    [{ 'jwt-audience': 'a' }, {}, 'jwt-audience: has no effect without --jwt-issuer'],
    [{ 'jwt-issuer': 'https://a.example' }, {}, 'needs --jwt-audience'],
    [{ 'jwt-issuer': 'https://a.example', 'jwt-audience': 'a' }, {}, 'needs --jwt-rights'],
    [
      { 'jwt-issuer': 'https://a.example', 'jwt-audience': 'a', 'jwt-rights': '/nowhere/rights.json' },
      {},
      'jwt-rights /nowhere/rights.json: cannot be read',
    ],
    [{ 'jwt-issuer': 'https://a.example', 'auth-webhook': 'https://a.example' }, {}, 'exclude each other'],
  ])('refuses %j, %j', async (flags, environment, message) => {
    await expect(entryOf(configOf(flags, environment))).rejects.toThrow(message);
  });

  it.each([
    ['{', 'is no JSON'],
    ['{"rules":[{"rooms":"*","caps":["all"]}]}', '"all" is no right; there are room.admin'],
    ['{"rules":[{"room":"*","caps":[]}]}', 'rooms'],
  ])('refuses a table of rights that is %s', async (text, message) => {
    const rules = join(await folder(), 'rights.json');
    await writeFile(rules, text);
    const flags = { 'jwt-issuer': 'https://id.example', 'jwt-audience': 'weft', 'jwt-rights': rules };
    await expect(entryOf(configOf(flags))).rejects.toThrow(message);
  });

  it('[AU10] [AU12] lets a client in by a token of an identity provider, until that is revoked', async () => {
    const { publicKey, privateKey } = await generateKeyPair('EdDSA');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k' };
    const provider = createServer((_request, response) => void response.end(JSON.stringify({ keys: [jwk] })));
    provider.listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const rules = join(await folder(), 'rights.json');
    await writeFile(rules, '{"rules":[{"rooms":"plans","when":{"groups":"team"},"caps":["write:docs/**","read:**"]}]}');
    const entry = await entryOf(
      configOf({ 'jwt-issuer': issuer, 'jwks-url': `${issuer}/keys`, 'jwt-audience': 'weft', 'jwt-rights': rules }),
    );
    const host = createHost({ store: memoryStore(), entry });
    const server = await startServer({ host, listen: '127.0.0.1:0' });
    onTestFinished(async () => {
      await server.close();
      await host.close();
      provider.closeAllConnections();
      provider.close();
    });
    const made = Math.floor(Date.now() / 1000) - 60;
    const sign = () =>
      new SignJWT({ groups: ['team'] })
        .setProtectedHeader({ alg: 'EdDSA', kid: 'k' })
        .setIssuer(issuer)
        .setAudience('weft')
        .setSubject('ann')
        .setIssuedAt(made)
        .setExpirationTime('1h')
        .sign(privateKey);
    const dial = (room: string, token: () => Promise<string>) => {
      const client = keepRoom({
        open: () => new WebSocket(server.url.replace('<room>', room)),
        keys: generateKeys(),
        audience: `127.0.0.1:${server.address.port}`,
        room,
        token,
      });
      onTestFinished(() => client.close());
      return client;
    };
    const client = dial('plans', sign);
    await client.joined;
    client.replica.set('docs/title', 'Road map');
    await client.push();
    expect((await host.room('plans')).get('docs/title')).toBe('Road map');
    await expect(dial('plans', () => Promise.resolve('forged')).joined).rejects.toThrow(
      'signature verification failed',
    );
    await expect(dial('other', sign).joined).rejects.toThrow('this token is not for this room');
    const ended = new Promise((resolve) => client.onState((state) => state === 'ended' && resolve(client.lastError)));
    expect(await host.revokeSubject('ann', made + 1)).toBe(1);
    expect(String(await ended)).toContain('auth: token revoked');
  });
});
