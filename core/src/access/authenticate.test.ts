import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { Rejection } from '../rejection.js';
import { type Claims, type Gate, PROOF_WINDOW_MS, authenticate, checkAgain } from './authenticate.js';
import { type Proof, makeProof } from './proof.js';
import { NO_RIGHTS, SERVER, rightsOf } from './rights.js';
import { TokenExpired } from './token-expired.js';
import { type Token, makeToken } from './token.js';
import { UsedProofs } from './used-proofs.js';

const signer = (byte: number) => defaultCrypto.signer(new Uint8Array(32).fill(byte));
const [ann, bob, roomKey, admin] = [signer(1), signer(2), signer(3), signer(4)];
const NOW = 1_700_000_000_000;
const EXPIRY = NOW / 1000 + 60;

const gateWith = (more: Partial<Gate> = {}): Gate => ({
  room: 'room',
  require: 'open',
  lock: undefined,
  adminKey: admin.publicKey,
  audiences: ['here:1', 'localhost:1'],
  now: NOW,
  startedAt: 0,
  usedProofs: new UsedProofs(),
  revokedBefore: () => 0,
  crypto: defaultCrypto,
  ...more,
});
const tokenOf = (by = admin, more: Partial<Parameters<typeof makeToken>[0]> = {}): Promise<Token> =>
  makeToken({ room: 'room', peer: ann.publicKey, expiry: EXPIRY, caps: [], ...more }, by);
const proofOf = (more: Partial<Parameters<typeof makeProof>[0]> = {}, by = ann): Promise<Proof> =>
  makeProof({ room: 'room', aud: 'here:1', ts: NOW, nonce: 'ab'.repeat(16), ...more }, by);
const claimsOf = (more: Partial<Claims> = {}): Claims => ({
  pubkey: ann.publicKey,
  token: undefined,
  proof: undefined,
  ...more,
});
const answer = async (claims: Partial<Claims>, gate = gateWith()): Promise<unknown> =>
  authenticate(claimsOf(claims), gate).catch((error: unknown) => (error instanceof Rejection ? error.message : error));

describe('authentication', () => {
  it('[AU1] lets anybody into an open room, with nothing but the right to be there', async () => {
    expect(await answer({ pubkey: undefined })).toEqual(NO_RIGHTS);
    expect(await answer({ proof: await proofOf() })).toEqual({ ...NO_RIGHTS, proven: true });
  });

  it('[AU1] takes tokens of the room’s key or the server’s, with or without the issuer’s name', async () => {
    const gate = gateWith({ lock: roomKey.publicKey });
    for (const [by, issuer] of [
      [roomKey, roomKey.publicKey],
      [admin, SERVER],
    ] as const) {
      const { issuer: _issuer, ...unnamed } = await tokenOf(by);
      for (const [number, token] of [await tokenOf(by), unnamed].entries()) {
        const proof = await proofOf({ nonce: `${number}${by === admin ? 1 : 0}`.repeat(16) });
        expect(await answer({ token, proof }, gate)).toMatchObject({ proven: true, issuer, expiry: EXPIRY });
      }
    }
    const misnamed = { ...(await tokenOf(admin)), issuer: roomKey.publicKey };
    expect(await answer({ token: misnamed, proof: await proofOf() }, gate)).toBe('auth: signature verification failed');
  });

  it('[AU2] reads hex in either case, and absent capabilities as none', async () => {
    const { caps: _caps, ...token } = await tokenOf();
    const shouted = { ...token, peer_pubkey: ann.publicKey.toUpperCase(), sig: token.sig.toUpperCase() };
    expect(await answer({ token: shouted })).toMatchObject({ expiry: EXPIRY, capabilities: new Set() });
    const proof = await proofOf();
    const loud = { ...proof, nonce: proof.nonce.toUpperCase(), sig: proof.sig.toUpperCase() };
    const gate = gateWith();
    expect(await answer({ proof: loud }, gate)).toMatchObject({ proven: true });
    expect(await answer({ proof }, gate)).toBe('auth: proof already used');
  });

  it('[AU2] checks in its order: each refusal hides those after it', async () => {
    const good = await tokenOf();
    const gate = gateWith({ revokedBefore: () => EXPIRY + 1 });
    const worse = [
      [{ ...good, peer_pubkey: undefined, expiry: undefined, sig: undefined }, 'missing token.peer_pubkey'],
      [{ ...good, expiry: undefined, sig: undefined }, 'missing token.expiry'],
      [{ ...good, sig: undefined }, 'missing token.sig'],
      [{ ...good, peer_pubkey: bob.publicKey, expiry: 0 }, 'token peer_pubkey does not match connecting peer'],
      [{ ...good, expiry: 0 }, 'token has expired'],
      [{ ...good, expiry: EXPIRY + 1 }, 'signature verification failed'],
      [{ ...good, caps: ['room.admin'] }, 'signature verification failed'],
      [await tokenOf(admin, { room: 'another' }), 'signature verification failed'],
      [good, 'token revoked'],
    ] as const;
    for (const [token, text] of worse) expect(await answer({ token, proof: {} }, gate)).toBe(`auth: ${text}`);
  });

  it('[AU2] a token holds up to the second in which it expires', async () => {
    const token = await tokenOf();
    expect(await answer({ token }, gateWith({ now: EXPIRY * 1000 - 1 }))).toMatchObject({ expiry: EXPIRY });
    await expect(authenticate(claimsOf({ token }), gateWith({ now: EXPIRY * 1000 }))).rejects.toThrow(TokenExpired);
    expect(await answer({ token }, gateWith({ revokedBefore: () => EXPIRY }))).toMatchObject({ expiry: EXPIRY });
  });

  it('[AU3] a proof holds 60 s around the server’s clock, and not from before its start', async () => {
    for (const [off, holds] of [
      [PROOF_WINDOW_MS, true],
      [-PROOF_WINDOW_MS, true],
      [PROOF_WINDOW_MS + 1, false],
      [-PROOF_WINDOW_MS - 1, false],
    ] as const) {
      const found = await answer({ proof: await proofOf({ ts: NOW + off }) });
      if (holds) expect(found).toMatchObject({ proven: true });
      else expect(found).toBe('auth: proof expired');
    }
    expect(await answer({ proof: await proofOf({ ts: NOW - 1 }) }, gateWith({ startedAt: NOW }))).toBe(
      'auth: proof expired',
    );
    expect(await answer({ proof: await proofOf() }, gateWith({ startedAt: NOW }))).toMatchObject({ proven: true });
  });

  it('[AU3] checks in its order, and a refused proof is not used up', async () => {
    const gate = gateWith();
    const late = await proofOf({ ts: NOW - PROOF_WINDOW_MS - 1, aud: 'elsewhere:1' }, bob);
    expect(await answer({ proof: late }, gate)).toBe('auth: proof expired');
    const elsewhere = await proofOf({ aud: 'elsewhere:1' }, bob);
    expect(await answer({ proof: elsewhere }, gate)).toBe('auth: proof audience mismatch');
    expect(await answer({ proof: await proofOf({}, bob) }, gate)).toBe('auth: proof verification failed');
    expect(await answer({ proof: await proofOf({ room: 'another' }) }, gate)).toBe('auth: proof verification failed');
    expect(await answer({ proof: await proofOf({ aud: 'localhost:1' }) }, gate)).toMatchObject({ proven: true });
    expect(await answer({ proof: elsewhere }, gate)).toBe('auth: proof already used');
  });

  it('[AU3] of one proof shown twice at once, one gets in', async () => {
    const [gate, proof] = [gateWith(), await proofOf()];
    const answers = await Promise.all(Array.from({ length: 5 }, () => answer({ proof }, gate)));
    expect(answers.filter((one) => one === 'auth: proof already used')).toHaveLength(4);
  });

  it('[AU3] a server that was given no name takes no proof', async () => {
    expect(await answer({ proof: await proofOf() }, gateWith({ audiences: [] }))).toBe('auth: proof audience mismatch');
  });

  it('[AU2] refuses fields of any shape and size by their names', async () => {
    const token = await tokenOf();
    const odd = [null, true, [], {}, '', 'x'.repeat(1e6), -1, 1.5, NaN, Number.MAX_VALUE];
    for (const field of ['peer_pubkey', 'expiry', 'sig', 'issuer'] as const)
      for (const value of odd)
        expect(await answer({ token: { ...token, [field]: value } })).toMatch(/^auth: malformed/);
    for (const caps of [null, 'room.admin', {}, [1], [''], ['a b'], ['é'], ['x'.repeat(513)]])
      expect(await answer({ token: { ...token, caps } })).toBe('auth: malformed token.caps');
    const proof = await proofOf();
    for (const field of ['ts', 'nonce', 'sig'] as const)
      for (const value of odd)
        expect(await answer({ proof: { ...proof, [field]: value } })).toMatch(/^auth: malformed/);
    for (const value of [token, 1, 'x', [], null])
      expect(await answer({ token: value, proof: value })).toMatch(/^auth: /);
  });

  it('[AU5] a room that was locked meanwhile is locked for those who were just being checked', () => {
    const open = { lock: undefined, revokedBefore: 0 };
    const locked = { ...open, lock: roomKey.publicKey };
    const grant = (issuer: string, proven: boolean) => rightsOf({ caps: [], expiry: EXPIRY, issuer }, proven);
    expect(() => checkAgain(NO_RIGHTS, undefined, open)).not.toThrow();
    for (const rights of [NO_RIGHTS, { ...NO_RIGHTS, proven: true }, grant(SERVER, false), grant(bob.publicKey, true)])
      expect(() => checkAgain(rights, ann.publicKey, locked)).toThrow('auth: room locked');
    for (const issuer of [SERVER, roomKey.publicKey])
      expect(() => checkAgain(grant(issuer, true), ann.publicKey, locked)).not.toThrow();
    expect(() => checkAgain(grant(SERVER, true), ann.publicKey, { ...open, revokedBefore: EXPIRY + 1 })).toThrow(
      'auth: token revoked',
    );
  });
});
