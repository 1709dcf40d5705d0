import crypto from 'node:crypto';
import { Point } from '@noble/ed25519';
import { describe, expect, it, vi } from 'vitest';
import { concatBytes, fromHex, toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { defaultCrypto } from './default.js';
import { nativeCrypto } from './native.js';
import { portableCrypto } from './portable.js';

const native = nativeCrypto() ?? portableCrypto;
const ORDER = Point.CURVE().n;
const PRIME = Point.CURVE().p;
const message = toUtf8('what is signed');

/** Secret, public key, message, signature: RFC 8032, section 7.1. */
const RFC_8032 = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
] as const;

const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
];
/** A point of order eight. */
const torsion = Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05');

const seedOf = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const flip = (bytes: Uint8Array, at: number, change: number): Uint8Array => {
  const changed = Uint8Array.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ change;
  return changed;
};
const number = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(Uint8Array.from(bytes).reverse())}`);
const littleEndian = (value: bigint): Uint8Array => fromHex(value.toString(16).padStart(64, '0')).reverse();
const challenge = (r: Uint8Array, key: Uint8Array, text: Uint8Array): bigint =>
  number(
    crypto
      .createHash('sha512')
      .update(concatBytes([r, key, text]))
      .digest(),
  ) % ORDER;

/** The one verdict of both implementations; a signature handed over stays as it was. */
async function verdict(publicKey: string, text: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const [one, other] = [
    await native.verify(publicKey, text, Uint8Array.from(signature)),
    await portableCrypto.verify(publicKey, text, Uint8Array.from(signature)),
  ];
  expect([publicKey, toHex(signature), other]).toEqual([publicKey, toHex(signature), one]);
  return one;
}

/** A signature by the scalar `secret` that verifies, if the points were what they seem. */
function sign(secret: bigint, nonce: bigint, key: Point, r: Point, text = message): Uint8Array {
  const h = challenge(r.toBytes(), key.toBytes(), text);
  return concatBytes([r.toBytes(), littleEndian((nonce + h * secret) % ORDER)]);
}

describe('native and portable Ed25519', () => {
  it('[SG1] are two implementations here, or nothing below compares anything', () => {
    expect(nativeCrypto()).toBeDefined();
    expect(native).not.toBe(portableCrypto);
  });

  it.each(RFC_8032)('[SG2] reproduce RFC 8032 for %s', async (seed, publicKey, text, signature) => {
    for (const crypto of [native, portableCrypto, defaultCrypto]) {
      const signer = crypto.signer(fromHex(seed));
      expect(signer.publicKey).toBe(publicKey);
      expect(toHex(await signer.sign(fromHex(text)))).toBe(signature);
    }
    expect(await verdict(publicKey, fromHex(text), fromHex(signature))).toBe(true);
  });

  it('[SG2] sign the same bytes every time', async () => {
    for (let fill = 1; fill < 20; fill++) {
      const one = await native.signer(seedOf(fill)).sign(message.subarray(0, fill));
      const again = await native.signer(seedOf(fill)).sign(message.subarray(0, fill));
      const other = await portableCrypto.signer(seedOf(fill)).sign(message.subarray(0, fill));
      expect([toHex(again), toHex(other)]).toEqual([toHex(one), toHex(one)]);
    }
  });

  it('[SG1] refuse any flipped bit, of signature, key and message, alike', async () => {
    const signer = native.signer(seedOf(1));
    const signature = await signer.sign(message);
    expect(await verdict(signer.publicKey, message, signature)).toBe(true);
    for (let at = 0; at < 64; at++) {
      expect(await verdict(signer.publicKey, message, flip(signature, at, 1 << (at % 8)))).toBe(false);
    }
    for (let at = 0; at < 32; at++) {
      const key = toHex(flip(fromHex(signer.publicKey), at, 1 << (at % 8)));
      expect(await verdict(key, message, signature)).toBe(false);
    }
    expect(await verdict(signer.publicKey, flip(message, 0, 1), signature)).toBe(false);
  });

  it('[SG1] call anything malformed no signature, without throwing', async () => {
    const signer = native.signer(seedOf(1));
    const signature = await signer.sign(message);
    for (const length of [0, 1, 32, 63, 65, 128]) {
      expect(await verdict(signer.publicKey, message, new Uint8Array(length))).toBe(false);
    }
    for (const key of [
      '',
      '00',
      'zz'.repeat(32),
      signer.publicKey.toUpperCase(),
      `${signer.publicKey}00`,
      'ff'.repeat(32),
    ]) {
      expect(await verdict(key, message, signature)).toBe(false);
    }
    // No point of the curve has this y.
    expect(await verdict(`02${'00'.repeat(31)}`, message, signature)).toBe(false);
  });

  it('[AU7] tell keys that somebody can hold from other bytes', () => {
    const made = Array.from({ length: 20 }, (_, fill) => native.signer(seedOf(fill)).publicKey);
    const none = [...SMALL_ORDER, `02${'00'.repeat(31)}`, 'ff'.repeat(32), '', 'zz'.repeat(32), made[0]!.toUpperCase()];
    for (const crypto of [native, portableCrypto]) {
      expect(made.filter((key) => !crypto.isPublicKey(key))).toEqual([]);
      expect(none.filter((key) => crypto.isPublicKey(key))).toEqual([]);
    }
  });

  it('[SG1] leave the signature they are given as it was', async () => {
    const signer = native.signer(seedOf(1));
    for (const crypto of [native, portableCrypto]) {
      const signature = Buffer.from(await signer.sign(message));
      const before = signature.toString('hex');
      expect(await crypto.verify(signer.publicKey, message, signature)).toBe(true);
      expect(signature.toString('hex')).toBe(before);
    }
  });

  it('[SG3] refuse S plus the group order, which would verify as well', async () => {
    const signer = native.signer(seedOf(1));
    const signature = await signer.sign(message);
    const s = number(signature.subarray(32));
    for (const shifted of [s + ORDER, s + 2n * ORDER]) {
      const malleable = concatBytes([signature.subarray(0, 32), littleEndian(shifted)]);
      expect(await verdict(signer.publicKey, message, malleable)).toBe(false);
    }
    expect(
      await verdict(signer.publicKey, message, concatBytes([signature.subarray(0, 32), littleEndian(ORDER)])),
    ).toBe(false);
  });

  it.each(SMALL_ORDER)(
    '[SG3] refuse the key of small order %s, under which one signature fits many messages',
    async (key) => {
      for (let text = 0; text < 16; text++) {
        for (const r of [SMALL_ORDER[0] ?? '', key]) {
          const signature = concatBytes([fromHex(r), new Uint8Array(32)]);
          expect(await verdict(key, Uint8Array.of(text), signature)).toBe(false);
        }
      }
    },
  );

  it('[SG3] refuse coordinates that are not below the field prime', async () => {
    const signer = native.signer(seedOf(1));
    const signature = await signer.sign(message);
    for (let above = 0n; above < 19n; above++) {
      for (const sign of [0n, 1n << 255n]) {
        const point = littleEndian(PRIME + above + sign);
        expect(await verdict(toHex(point), message, signature)).toBe(false);
        expect(await verdict(signer.publicKey, message, concatBytes([point, signature.subarray(32)]))).toBe(false);
      }
    }
  });

  it('[SG3] are cofactorless: a torsion point in R is never forgiven', async () => {
    const [secret, nonce] = [12345n, 67890n];
    const key = Point.BASE.multiply(secret);
    const r = Point.BASE.multiply(nonce);
    expect(await verdict(key.toHex(), message, sign(secret, nonce, key, r))).toBe(true);
    for (let times = 1n; times < 8n; times++) {
      const mixed = r.add(torsion.multiply(times, false));
      expect(await verdict(key.toHex(), message, sign(secret, nonce, key, mixed))).toBe(false);
    }
  });

  it('[SG3] are cofactorless: a torsion point in the key counts unless the challenge cancels it', async () => {
    const [secret, nonce] = [12345n, 67890n];
    const key = Point.BASE.multiply(secret).add(torsion);
    const r = Point.BASE.multiply(nonce);
    const verdicts = new Set<boolean>();
    for (let text = 0; text < 64; text++) {
      const content = Uint8Array.of(text);
      const found = await verdict(key.toHex(), content, sign(secret, nonce, key, r, content));
      expect(found).toBe(challenge(r.toBytes(), key.toBytes(), content) % 8n === 0n);
      verdicts.add(found);
    }
    expect(verdicts.size).toBe(2);
  });

  it('[SG3] refuse an R of small order', async () => {
    const secret = 12345n;
    const key = Point.BASE.multiply(secret);
    const identity = Point.fromHex(SMALL_ORDER[0] ?? '');
    expect(await verdict(key.toHex(), message, sign(secret, 0n, key, identity))).toBe(false);
    for (const r of SMALL_ORDER) {
      const h = challenge(fromHex(r), key.toBytes(), message);
      const signature = concatBytes([fromHex(r), littleEndian((h * secret) % ORDER)]);
      expect(await verdict(key.toHex(), message, signature)).toBe(false);
    }
  });

  it('[SG1] judge random keys and signatures alike', async () => {
    let state = Uint8Array.from(crypto.createHash('sha256').update('seed').digest());
    const random = (): Uint8Array => (state = Uint8Array.from(crypto.createHash('sha256').update(state).digest()));
    for (let i = 0; i < 60; i++) {
      const signature = concatBytes([random(), littleEndian(number(random()) % ORDER)]);
      expect(await verdict(toHex(random()), message, signature)).toBe(false);
    }
  });
});

describe('a key of its seed', () => {
  const seeds = Array.from(
    { length: 50 },
    (_, i) => new Uint8Array(crypto.createHash('sha256').update(`${i}`).digest()),
  );

  it('has the public half that the seed says, however Node reads private keys', async () => {
    const refused: unknown[] = [];
    const strict = {
      ...crypto,
      createPrivateKey(options: crypto.JsonWebKeyInput | crypto.PrivateKeyInput) {
        if (options.format === 'jwk') {
          refused.push(options);
          throw new TypeError('the halves do not match');
        }
        return crypto.createPrivateKey(options);
      },
    };
    vi.spyOn(process, 'getBuiltinModule').mockReturnValueOnce(strict as never);
    const byDer = nativeCrypto()!;
    for (const seed of seeds) {
      const signer = native.signer(seed);
      expect(signer.publicKey).toBe(portableCrypto.signer(seed).publicKey);
      expect(byDer.signer(seed).publicKey).toBe(signer.publicKey);
      expect(await byDer.signer(seed).sign(message)).toEqual(await signer.sign(message));
    }
    expect(refused).toHaveLength(2 * seeds.length);
  });

  it('is refused for a seed that is too short', () => {
    for (const length of [0, 31]) expect(() => native.signer(new Uint8Array(length))).toThrow();
  });
});
