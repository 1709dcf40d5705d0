/** Keys of people that are taken back: a subject with all of them, or one by the subject's own word. [SU1] [SU3] */
import { z } from 'zod';
import { MANDATE_BYTES, readMandate, verifyMandate } from '../access/mandate.js';
import { fromHex } from '../codec/bytes/bytes.js';
import { hostCommand } from '../contract/host-command.js';
import type { Crypto } from '../ports/crypto.js';
import { Rejection } from '../rejection.js';
import { DELEGATE_REVOKED, SUBJECT_REVOKED } from '../room/state/key-facts.js';
import type { Write } from '../room/state/write.js';
import type { Member } from '../tenancy/tenancy.js';
import { Hex, PublicKeyHex } from '../wire/scalars.js';

const MandateHex = Hex.length(2 * MANDATE_BYTES);

const Wanted = z.object({
  subject: PublicKeyHex.optional().describe('A subject, all of whose keys are its own no more.'),
  word_hex: MandateHex.optional().describe("In its place, a subject's mandate of matter delegate-revoked: of one key."),
});

export const revokeKeys = hostCommand({
  variant: 'RevokeKeys',
  event: 'KeysRevoked',
  summary:
    'Take back that keys are those of a subject: of all, or by its own word of one. Who is here as such has to go.',
  in: Wanted,
  out: z.object({ subject: Hex, key: Hex.optional().describe('The one key; all of the subject when absent.') }),
}).run(async ({ tenancy, crypto }, wanted) => {
  const { write, subject, key } = await revocationOf(wanted, crypto);
  await tenancy.room.transact(() => ({ writes: [write], result: undefined }));
  const isTheirs = ({ identity }: Member): boolean =>
    identity.subject === subject && (key === undefined || identity.pubkey === key);
  tenancy.expel(isTheirs, 'auth: delegation revoked');
  return key === undefined ? { subject } : { subject, key };
});

interface Revocation {
  readonly write: Write;
  readonly subject: string;
  readonly key?: string;
}

async function revocationOf({ subject, word_hex: hex }: z.output<typeof Wanted>, crypto: Crypto): Promise<Revocation> {
  if ((subject === undefined) === (hex === undefined))
    throw new Rejection('invalid-payload', 'RevokeKeys: name a subject, or give the word of one');
  if (subject !== undefined) return { write: { key: SUBJECT_REVOKED + subject, value: true }, subject };
  const bytes = fromHex(hex!);
  if (!(await verifyMandate('delegate-revoked', bytes, crypto)))
    throw new Rejection('invalid-payload', 'RevokeKeys: word_hex is no word of a subject about one of its keys');
  const { giver, key } = readMandate(bytes);
  return { write: { key: DELEGATE_REVOKED + key, value: bytes }, subject: giver, key };
}
