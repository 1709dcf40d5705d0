/** Who signs for a host in a room. [MA4] */
import type { Authority } from '../../access/authority.js';
import { readMandate } from '../../access/mandate.js';
import type { Speaker } from '../../access/word.js';
import type { Signer } from '../../ports/crypto.js';
import { Rejection } from '../../rejection.js';
import { SIGNER } from './about-keys.js';
import type { Speakers } from './speakers.js';
import type { Write } from './write.js';

/** Without a say in the room, it reads and serves it, and whatever it would sign is refused. */
export function speakerOf(
  { signer, authority }: { readonly signer: Signer; readonly authority?: Authority | undefined },
  { room, roots }: Pick<Speakers, 'room' | 'roots'>,
): Speaker {
  if (!authority) return signer;
  const speaker = authority.speakerIn(room ?? '', roots);
  if (speaker) return speaker;
  return { publicKey: signer.publicKey, sign: () => Promise.reject(missing(roots)) };
}

/** Throws where nothing that a speaker writes would count. */
export function expectVoice({ publicKey, certificate }: Speaker, speakers: Speakers): void {
  if (speakers.roots.has(publicKey)) return;
  if (!certificate) throw missing(speakers.roots);
  const introduction = { matter: 'signer', mandate: readMandate(certificate), bytes: certificate } as const;
  speakers.follow();
  if (speakers.voiceNow(publicKey, introduction).speaks) return;
  throw new Rejection(
    'authority-revoked',
    `the key ${publicKey} of this server is revoked in this room; certify another one`,
  );
}

/** What a speaker writes first. */
export function introducing({ publicKey, certificate }: Speaker): Write | undefined {
  return certificate && { key: SIGNER + publicKey, value: certificate };
}

function missing(roots: ReadonlySet<string>): Rejection {
  const named = [...roots].join(', ');
  return new Rejection('authority-missing', `no root of this room has certified the key of this server: ${named}`);
}
