import { firstReign } from './reign.js';
import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { toHex, toUtf8 } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { certifiedAuthority, soleAuthority } from './authority.js';
import { ALL_ROOMS, MANDATE_BYTES, type Matter, isFor, makeMandate, readMandate, verifyMandate } from './mandate.js';
import { checkWord, giveWord, speaksIn } from './word.js';

const signerOf = (name: string) => defaultCrypto.signer(sha256(toUtf8(name)));
const [root, eve, one] = [signerOf('root'), signerOf('eve'), signerOf('one')];
const room = 'ab'.repeat(32);

describe('a mandate', () => {
  it('[MA1] is 176 bytes that say who gives what to which key, and where', async () => {
    const bytes = await makeMandate('signer', { key: one.publicKey, scope: room, until: 2 ** 40 + 7, serial: 3 }, root);
    const signed = `${root.publicKey}${one.publicKey}${room}00000100000000070000000000000003`;
    expect(toHex(bytes.subarray(0, 112))).toBe(signed);
    expect(
      await defaultCrypto.verify(
        root.publicKey,
        new Uint8Array([...toUtf8('weft-signer-v1\0'), ...bytes.subarray(0, 112)]),
        bytes.slice(112),
      ),
    ).toBe(true);
    expect(bytes).toHaveLength(MANDATE_BYTES);
    const mandate = (await verifyMandate('signer', bytes, defaultCrypto))!;
    expect(mandate).toMatchObject({
      giver: root.publicKey,
      key: one.publicKey,
      scope: room,
      until: 2 ** 40 + 7,
      serial: 3,
    });
    expect([
      isFor(mandate, room),
      isFor(mandate, 'cd'.repeat(32)),
      isFor({ ...mandate, scope: ALL_ROOMS }, room),
    ]).toEqual([true, false, true]);
  });

  it('[MA1] says one thing: nothing else verifies, and no changed byte of it', async () => {
    const bytes = await makeMandate('delegate', { key: one.publicKey }, root);
    const others: Matter[] = ['signer', 'signer-revoked', 'founder', 'delegate-revoked'];
    for (const matter of others) expect(await verifyMandate(matter, bytes, defaultCrypto)).toBeUndefined();
    for (const [place, byte] of bytes.entries())
      expect(await verifyMandate('delegate', bytes.with(place, byte ^ 1), defaultCrypto)).toBeUndefined();
    expect(await verifyMandate('delegate', bytes.subarray(1), defaultCrypto)).toBeUndefined();
  });

  it('[MA1] is made of nothing but keys, rooms and numbers', async () => {
    await expect(makeMandate('signer', { key: 'AB' }, root)).rejects.toThrow('64 lower-case hex characters');
    await expect(makeMandate('signer', { key: one.publicKey, scope: 'all' }, root)).rejects.toThrow(
      '64 lower-case hex',
    );
    for (const serial of [-1, 0.5, 2 ** 53])
      await expect(makeMandate('signer', { key: one.publicKey, serial }, root)).rejects.toThrow(
        'no number of a mandate',
      );
    expect(() => readMandate(new Uint8Array(175))).toThrow();
  });
});

describe('the word of an authority', () => {
  const message = toUtf8('so it is');

  it('[MA5] is a root’s, or that of a key with its certificate for this room', async () => {
    const certificate = await makeMandate('signer', { key: one.publicKey, scope: room }, root);
    const speaker = { publicKey: one.publicKey, sign: (bytes: Uint8Array) => one.sign(bytes), certificate };
    const vouched = (await checkWord(await giveWord(message, speaker), message, defaultCrypto))!;
    const roots = new Set([root.publicKey]);
    expect([speaksIn(vouched, roots, room), speaksIn(vouched, roots, 'cd'.repeat(32))]).toEqual([true, false]);
    expect(speaksIn(vouched, new Set([one.publicKey]), room)).toBe(false);
    const ofRoot = (await checkWord(await giveWord(message, root), message, defaultCrypto))!;
    expect([speaksIn(ofRoot, roots, room), speaksIn(ofRoot, new Set([eve.publicKey]), room)]).toEqual([true, false]);
  });

  it('[MA5] is nobody’s when it is of something else, or shows another’s certificate', async () => {
    const certificate = await makeMandate('signer', { key: one.publicKey }, root);
    const word = { ...(await giveWord(message, eve)), certificate };
    expect(await checkWord(word, message, defaultCrypto)).toBeUndefined();
    expect(await checkWord(await giveWord(message, root), toUtf8('so it was'), defaultCrypto)).toBeUndefined();
    const mine = await makeMandate('delegate', { key: eve.publicKey }, root);
    expect(await checkWord({ ...word, certificate: mine }, message, defaultCrypto)).toBeUndefined();
  });
});

describe('the authority of a host', () => {
  it('[MA4] is one key for everything, or a key that a root of the room has certified', async () => {
    expect(soleAuthority(root).speakerIn(room, firstReign(new Set()))).toBe(root);
    const founding = await makeMandate('founder', { key: eve.publicKey }, root);
    const certificates = [await makeMandate('signer', { key: one.publicKey, scope: room }, root)];
    const authority = certifiedAuthority({
      roots: [root.publicKey],
      founder: eve,
      founding,
      signer: one,
      certificates,
    });
    expect(authority.speakerIn(room, firstReign(new Set([root.publicKey])))).toMatchObject({
      publicKey: one.publicKey,
      certificate: certificates[0],
    });
    expect(authority.speakerIn('cd'.repeat(32), firstReign(new Set([root.publicKey])))).toBeUndefined();
    expect(authority.speakerIn(room, firstReign(new Set([eve.publicKey])))).toBeUndefined();
    expect(authority.speakerIn(room, firstReign(new Set([one.publicKey])))?.publicKey).toBe(one.publicKey);
  });
});
