import { beforeAll, describe, expect, it } from 'vitest';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { unzipSync } from 'fflate';
import { fromUtf8 } from '../codec/bytes/bytes.js';
import { smallArchive } from '../testing/archive-sites.js';
import { keyOf, mandate, signerOf } from '../testing/story.js';
import { type Unsigned, readManifest, signManifest } from './manifest.js';

const [ROOT, PROCESS] = [keyOf('root'), keyOf('process')];

describe('whose archives are taken', () => {
  let manifest: Unsigned;

  beforeAll(async () => {
    const { bytes } = await smallArchive();
    const { signature: _, ...unsigned } = JSON.parse(fromUtf8(unzipSync(bytes)['manifest.json']!)) as Unsigned & {
      signature: unknown;
    };
    manifest = unsigned;
  });

  /** Class of the refusal of a manifest that somebody has signed; undefined where it is taken. */
  async function fate(
    by: string,
    certificate: Uint8Array | undefined,
    trust: { readonly signers?: string[]; readonly named?: string[]; readonly revoked?: string[] },
  ): Promise<unknown> {
    const bytes = await signManifest(manifest, certificate ? { ...signerOf(by), certificate } : signerOf(by));
    const read = readManifest(bytes, {
      crypto: defaultCrypto,
      signers: new Set(trust.signers),
      named: new Set(trust.named),
      revoked: new Set(trust.revoked),
    });
    return read.then(
      () => undefined,
      (error: unknown) => (error as { reason?: unknown }).reason ?? error,
    );
  }

  const REFUSED = 'reject.archive_signature_invalid';

  it('[AR3] those of roots and of who is named, and nobody else’s', async () => {
    expect(await fate('root', undefined, { signers: [ROOT] })).toBeUndefined();
    expect(await fate('process', undefined, { named: [PROCESS] })).toBeUndefined();
    expect(await fate('process', undefined, { signers: [ROOT], named: [ROOT] })).toBe(REFUSED);
  });

  it('[AR3] [MA5] those of a key that shows a certificate of a root, which has to be of that root and for that key', async () => {
    const given = await mandate('signer', 'root', 'process');
    const trust = { signers: [ROOT] };
    expect(await fate('process', given, trust)).toBeUndefined();
    expect(await fate('process', given, { signers: [PROCESS] })).toBe(REFUSED);
    expect(await fate('other', given, trust)).toBe(REFUSED);
    const forged = given.slice();
    forged[forged.length - 1]! ^= 1;
    expect(await fate('process', forged, trust)).toBe(REFUSED);
    expect(await fate('process', await mandate('founder', 'root', 'process'), trust)).toBe(REFUSED);
    expect(await fate('process', new Uint8Array(given.length).fill(7), trust)).toBe(REFUSED);
    expect(await fate('process', new Uint8Array(given.length + 1).fill(7), trust)).toBe(REFUSED);
  });

  it('[AR3] those of a key that is named, whoever has certified it', async () => {
    const given = await mandate('signer', 'stranger', 'process');
    expect(await fate('process', given, { signers: [ROOT], named: [PROCESS] })).toBeUndefined();
    expect(await fate('process', given, { signers: [ROOT] })).toBe(REFUSED);
  });

  it('[AR3] [MA3] not those of a key that was revoked, unless it is named', async () => {
    const given = await mandate('signer', 'root', 'process');
    const revoked = [PROCESS];
    expect(await fate('process', given, { signers: [ROOT], revoked })).toBe(REFUSED);
    expect(await fate('process', given, { signers: [ROOT], named: [PROCESS], revoked })).toBeUndefined();
    expect(await fate('process', given, { signers: [ROOT], revoked: [ROOT] })).toBeUndefined();
  });
});
