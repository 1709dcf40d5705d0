/** Proofs of what a room shows, for who trusts its authority and nobody else. Rules VR1 to VR7. */
import { z } from 'zod';
import { bothDoors } from '../contract/both-doors.js';
import type { SignedProof } from '../query/value-proofs.js';
import { Bytes, Count, Hex, Text } from '../wire/scalars.js';

const Key = Text.min(1).max(4096);
const Kind = z.enum(['register', 'text', 'list']);
const Entry = z.object({ k: Key.describe('The key.'), kind: Kind });
const Checkpoint = z.unknown().optional().describe('As `target_checkpoint` of a build; the room as it is when absent.');

const proved = {
  canonical_seq: Count.optional().describe("Nodes in the room's log; absent where the moment is no beginning of it."),
  canonical_hash: Hex.describe('State hash.'),
  signed: Bytes.describe('Value root, signed by the authority: see VR4.'),
};
const refuses = [
  'reject.control_plane_forbidden',
  'reject.invalid_payload',
  'reject.query_backpressure',
  'reject.checkpoint_selector_invalid',
  'reject.checkpoint_not_found',
] as const;

export const [proveValues, hostProveValues] = bothDoors({
  type: 'values.prove',
  variant: 'ProveValues',
  summary: 'Have all that stands under a prefix proved, a page at a time, with nothing left out; or that nothing does.',
  requires: 'query.read',
  in: z.object({
    key_prefix: Text.max(4096).default('').describe('All when empty.'),
    after: Entry.optional().describe('`next` of the page before.'),
    limit: z.number().int().optional().describe('Entries of the page: 100 when absent, 1 to 1,000.'),
    target_checkpoint: Checkpoint,
  }),
  answers: {
    frame: 'values.proven',
    event: 'ValuesProven',
    out: z.object({
      key_prefix: z.string(),
      ...proved,
      proof: Bytes.describe('Keys and values, and what shows that they are all: see VR5.'),
      limit: Count.describe('What was taken for the limit.'),
      next: Entry.nullable().describe('The last entry of the page; null when no page is behind it.'),
    }),
  },
  rejects: { frame: 'values.prove.rejected', event: 'ProveValuesRejected', echoes: ['key_prefix'] },
  refuses,
}).run(async ({ tenancy, asker }, { key_prefix, after, limit, target_checkpoint }) => {
  const request = {
    selector: target_checkpoint,
    prefix: key_prefix,
    after: after && { key: after.k, kind: after.kind },
    limit,
  };
  const { next, limit: taken, ...page } = await tenancy.queries.prove((proofs) => proofs.page(request, asker));
  return { key_prefix, ...asFields(page), limit: taken, next: next ? { k: next.key, kind: next.kind } : null };
});

export const [provePart, hostProvePart] = bothDoors({
  type: 'values.prove-part',
  variant: 'ProvePart',
  summary: 'Have a part of a text or list proved.',
  requires: 'query.read',
  in: z.object({
    key: Key,
    kind: z.enum(['text', 'list']),
    from: Count.describe('Code unit or item, from 0.'),
    to: Count.describe('One behind the last.'),
    target_checkpoint: Checkpoint,
  }),
  answers: {
    frame: 'values.part-proven',
    event: 'PartProven',
    out: z.object({ key: z.string(), ...proved, proof: Bytes.describe('The part, and what shows it: see VR6.') }),
  },
  rejects: { frame: 'values.prove-part.rejected', event: 'ProvePartRejected', echoes: ['key'] },
  refuses,
}).run(async ({ tenancy, asker }, { target_checkpoint, ...part }) => {
  const request = { selector: target_checkpoint, ...part };
  return { key: part.key, ...asFields(await tenancy.queries.prove((proofs) => proofs.part(request, asker))) };
});

function asFields({ seq, stateHash, signed, proof }: SignedProof) {
  const place = seq === undefined ? {} : { canonical_seq: seq };
  return { ...place, canonical_hash: stateHash, signed, proof };
}
