import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { Rejection } from '../rejection.js';
import { type Claims, type Gate, PROOF_WINDOW_MS, authenticate, checkAgain, hooked, renew } from './authenticate.js';
import type { CompleteGrant, EntryHello } from './entry-hook.js';
import { type Proof, makeProof } from './proof.js';
import { HOOK, NO_RIGHTS, SERVER, rightsOf } from './rights.js';
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
    const open = { lock: undefined, revokedBefore: () => 0 };
    const locked = { ...open, lock: roomKey.publicKey };
    const grant = (issuer: string, proven: boolean) => rightsOf({ caps: [], expiry: EXPIRY, issuer }, proven);
    expect(() => checkAgain(NO_RIGHTS, undefined, open)).not.toThrow();
    for (const rights of [NO_RIGHTS, { ...NO_RIGHTS, proven: true }, grant(SERVER, false), grant(bob.publicKey, true)])
      expect(() => checkAgain(rights, ann.publicKey, locked)).toThrow('auth: room locked');
    for (const issuer of [SERVER, roomKey.publicKey])
      expect(() => checkAgain(grant(issuer, true), ann.publicKey, locked)).not.toThrow();
    const revoked = (before: number) => ({ ...open, revokedBefore: () => before });
    expect(() => checkAgain(grant(SERVER, true), ann.publicKey, revoked(EXPIRY + 1))).toThrow('auth: token revoked');
    expect(() => checkAgain(grant(SERVER, true), ann.publicKey, revoked(EXPIRY))).not.toThrow();
    expect(() => checkAgain(grant(SERVER, true), undefined, revoked(EXPIRY + 1))).not.toThrow();
  });

  it('[AU3] names the field of a proof that is missing or is none, and asks for the key that it is about', async () => {
    const proof = await proofOf();
    const { ts: _ts, ...undated } = proof;
    expect(await answer({ proof: undated })).toBe('auth: missing proof.ts');
    for (const aud of [1, null, 'x'.repeat(513)])
      expect(await answer({ proof: { ...proof, aud } })).toBe('auth: malformed proof.aud');
    expect(await answer({ proof: { ...proof, aud: 'x'.repeat(512) } })).toBe('auth: proof audience mismatch');
    for (const [field, length] of [
      ['nonce', 32],
      ['sig', 128],
    ] as const)
      expect(await answer({ proof: { ...proof, [field]: 'z'.repeat(length) } })).toBe(`auth: malformed proof.${field}`);
    expect(await answer({ pubkey: undefined, proof })).toBe('auth: proof without pubkey');
  });

  it('[AU3] a proof dated when used ones are not known any more has expired', async () => {
    const usedProofs = new UsedProofs(1);
    const later = NOW + 10 * PROOF_WINDOW_MS;
    for (const nonce of ['a', 'b']) usedProofs.use(nonce.repeat(32), NOW, later);
    const proof = await proofOf();
    expect(await answer({ proof }, gateWith({ usedProofs }))).toBe('auth: proof expired');
    expect(await answer({ proof: await proofOf({ ts: NOW + 1 }) }, gateWith({ usedProofs }))).toMatchObject({
      proven: true,
    });
  });

  it('[AU2] a host without any key takes no token', async () => {
    const { issuer: _issuer, ...token } = await tokenOf();
    const gate = gateWith({ adminKey: undefined });
    expect(await answer({ token }, gate)).toBe('auth: signature verification failed');
  });

  it('[AU2] refuses with the reason auth', async () => {
    for (const token of [{}, await tokenOf(admin, { expiry: 1 })])
      await expect(authenticate(claimsOf({ token }), gateWith())).rejects.toMatchObject({ reason: 'auth' });
  });
});

describe('the word of a hook', () => {
  const GRANT: CompleteGrant = { caps: ['room.admin'], expiry: EXPIRY, issuedAt: 7 };
  const asking = (grant: CompleteGrant | undefined) => {
    const heard: EntryHello[] = [];
    return { heard, askHook: (hello: EntryHello) => Promise.resolve((heard.push(hello), grant)) };
  };
  const renewed = (token: unknown, gate: Gate): Promise<unknown> =>
    renew({ pubkey: ann.publicKey, token }, gate).catch((error: unknown) =>
      error instanceof TokenExpired ? error : String(error),
    );

  it('[AU10] is about credentials that are no tokens of ours, and grants what it says', async () => {
    for (const token of [undefined, null, 'text', 1, { any: 'object' }]) {
      const { heard, askHook } = asking(GRANT);
      const rights = await authenticate(claimsOf({ token }), gateWith({ askHook }));
      expect(rights).toStrictEqual({
        proven: false,
        capabilities: new Set(),
        expiry: EXPIRY,
        issuer: HOOK,
        issuedAt: 7,
      });
      expect(heard).toMatchObject([{ token, proven: false, isRecheck: false }]);
    }
    const { askHook } = asking({ ...GRANT, subject: 'ann', recheckAfter: 5 });
    expect(await answer({ token: 'text' }, gateWith({ askHook }))).toMatchObject({ subject: 'ann', recheckAfter: 5 });
  });

  it('[AU10] that leaves a peer to the other rules does not open a lock', async () => {
    const { askHook } = asking(undefined);
    const proof = await proofOf();
    expect(await answer({ proof }, gateWith({ askHook, lock: roomKey.publicKey }))).toBe('auth: room locked');
  });

  it('[AU11] is needed where it is asked again', async () => {
    const again = { proven: true, isRecheck: true };
    const claims = { pubkey: ann.publicKey, token: 'text' };
    await expect(hooked(claims, again, asking(undefined).askHook)).rejects.toThrow('auth: token not recognised');
    const { heard, askHook } = asking(GRANT);
    expect(await hooked(claims, again, askHook)).toMatchObject({ capabilities: new Set(['room.admin']) });
    expect(heard).toMatchObject([{ ...claims, ...again }]);
  });

  it('[AU9] renews the rights of who has proved a key, as does a token of ours', async () => {
    const { heard, askHook } = asking(GRANT);
    const withCaps = await tokenOf(admin, { caps: ['tick.admin'] });
    const proved = (cap: string) => ({ proven: true, capabilities: new Set([cap]) });
    expect(await renewed(withCaps, gateWith({ askHook }))).toMatchObject(proved('tick.admin'));
    expect(heard).toEqual([]);
    expect(await renewed('text', gateWith({ askHook }))).toMatchObject(proved('room.admin'));
    expect(heard).toMatchObject([{ token: 'text', proven: true, isRecheck: false }]);
    expect(await renewed(withCaps, gateWith())).toMatchObject(proved('tick.admin'));
    expect(await renewed('text', gateWith())).toContain('auth: missing token.peer_pubkey');
    expect(await renewed(undefined, gateWith({ askHook }))).toContain('auth: missing token');
    expect(await renewed(await tokenOf(admin, { expiry: 1 }), gateWith())).toContain('auth: token has expired');
  });
});
