// What a receiver of sealed messages could reach at most: verifications through the engine's own crypto port and nothing
// else. Each is of another message, as long as what a seal signs.
import { randomBytes } from 'node:crypto';
import { nativeCrypto } from '@weft/core/testing';
import { type Contender, mustHold, perSecond, timed } from '../measuring/harness.js';
import type { Figures } from '../measuring/statistics.js';

/** A tag of 13 bytes and an id. */
const SIGNED_BYTES = 45;

export interface Verifying {
  /** Begun before the first is answered, on the threads that the port uses. */
  readonly atOnce: number;
  readonly count: number;
}

export function verifyContender(name: string, verifying: Verifying): Contender {
  return { name, run: () => verifyAll(verifying) };
}

async function verifyAll({ atOnce, count }: Verifying): Promise<Figures> {
  const crypto = nativeCrypto();
  if (crypto === undefined) throw new Error('This runtime has no crypto module of its own.');
  const signer = crypto.signer(randomBytes(32));
  const messages = Array.from({ length: count }, () => new Uint8Array(randomBytes(SIGNED_BYTES)));
  const sealed: { readonly message: Uint8Array; readonly signature: Uint8Array }[] = [];
  for (const message of messages) sealed.push({ message, signature: await signer.sign(message) });

  let valid = 0;
  const check = async ({ message, signature }: (typeof sealed)[number]): Promise<void> => {
    if (await crypto.verify(signer.publicKey, message, signature)) valid += 1;
  };
  const { ms } = await timed(async () => {
    for (let from = 0; from < count; from += atOnce) await Promise.all(sealed.slice(from, from + atOnce).map(check));
  });
  mustHold(valid === count, `${valid} of ${count} signatures were found valid`);
  return { verify_s: perSecond(count, ms) };
}
