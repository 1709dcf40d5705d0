/** Nodes in both directions, and what a peer wants of them. Rules PK5 to PK8, SB1 to SB3. */
import { z } from 'zod';
import { DecodeError, toHex } from '../codec/bytes/bytes.js';
import { nodesIn } from '../codec/packs/pack.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import { command } from '../contract/command.js';
import { hostEvents } from '../contract/host-command.js';
import { Rejection } from '../rejection.js';
import type { Verdict } from '../room/admission/judgement.js';
import { ackText } from '../wire/push-frame.js';
import { Count, Hex, MaybeBytes, NodeIdHex, decoded } from '../wire/scalars.js';
import { EVERYTHING, PackFromServer, Patterns, SeenConflictShape, isEverything, seenConflict } from '../wire/shapes.js';

export const pack = command({
  type: 'pack',
  summary: 'Push nodes. The answer comes when what was accepted is durable.',
  pipelined: true,
  in: z.object({
    // [PK5] absence reads as bad base64
    nodes: MaybeBytes.optional().catch(undefined).describe('The pack, in base64.'),
  }),
  out: {
    'pack-ack': z.object({
      accepted_count: Count.describe('Nodes that are durable now, those held before included.'),
      rejected_count: Count.describe('Nodes that were refused.'),
      incoming_count: Count.describe('Nodes in the pack.'),
      rejected: z.array(z.object({ id: Hex, reason: z.string() })).describe('Each refused node and why.'),
    }),
  },
  refuses: ['invalid-pack', 'read-only'],
  usual: ({ nodes }) => (typeof nodes === 'string' || nodes instanceof Uint8Array ? { nodes } : undefined),
  write: { 'pack-ack': ackText },
}).run(({ tenancy, identity, rights, pace, reply }, { nodes }) => {
  const bytes = typeof nodes === 'string' ? decoded(nodes) : nodes;
  if (!bytes) throw new Rejection('invalid-pack', 'invalid pack: bad base64');
  const admit = () =>
    tenancy.room.intake.receive(bytes, { from: identity.pubkey, session: identity.sessionId }, rights.write);
  const answer = ({ accepted, duplicates, refused }: Verdict) => [
    reply('pack-ack', {
      accepted_count: accepted + duplicates,
      rejected_count: refused.length,
      incoming_count: accepted + duplicates + refused.length,
      rejected: [...refused],
    }),
  ];
  // Without a promise where nothing has to be waited for: so are nearly all of those that no seal covers yet.
  const verdict = decodable(() => {
    const paced = pace(nodesIn(bytes));
    return paced ? paced.then(admit) : admit();
  });
  return verdict instanceof Promise ? verdict.then(answer) : answer(verdict);
});

export const importPack = hostEvents({
  variant: 'ImportPack',
  summary:
    'Take nodes of a pack, as of a peer’s push: what may enter, with seals and policy checked. Answers when it is durable.',
  in: z.object({ nodes_b64: z.string() }),
  out: {
    PackImported: z.object({
      incoming_count: Count.describe('Nodes in the pack.'),
      accepted_count: Count.describe('Nodes that are durable now, those held before included.'),
      rejected_count: Count.describe('Nodes that were refused.'),
      rejected: z.array(z.object({ id: Hex, reason: z.string() })).describe('Each refused node and why.'),
    }),
    ConflictsObserved: z.object({ entries: z.array(SeenConflictShape) }),
  },
}).run(async ({ tenancy, event }, { nodes_b64 }) => {
  const bytes = decoded(nodes_b64);
  if (!bytes) throw new Rejection('invalid-pack', 'invalid pack: bad base64');
  const { room, conflicts } = tenancy;
  const { counted } = room.conflicts;
  const { accepted, duplicates, refused } = await decodable(() => room.admit(bytes, { from: 'host' }));
  const brought = new Set(room.conflicts.counted > counted ? decodePack(bytes).nodes.map(({ id }) => toHex(id)) : []);
  const observed = conflicts.since().filter(({ winner, loser }) => brought.has(winner) || brought.has(loser));
  const imported = event('PackImported', {
    incoming_count: accepted + duplicates + refused.length,
    accepted_count: accepted + duplicates,
    rejected_count: refused.length,
    rejected: [...refused],
  });
  return observed.length > 0
    ? [imported, event('ConflictsObserved', { entries: observed.map(seenConflict) })]
    : [imported];
});

/** The text is part of the contract, whatever the pack's format is. [PK5] */
function decodable<T>(take: () => T | Promise<T>): T | Promise<T> {
  try {
    const taken = take();
    return taken instanceof Promise ? taken.catch(undecodable) : taken;
  } catch (error) {
    return undecodable(error);
  }
}

function undecodable(error: unknown): never {
  if (!(error instanceof DecodeError)) throw error;
  throw new Rejection('invalid-pack', 'invalid pack: bad postcard', { cause: error });
}

export const request = command({
  type: 'request',
  summary: 'Ask for the history, but for what you hold.',
  in: z.object({
    known: z.array(NodeIdHex).optional().describe('Nodes that you hold; their ancestors are taken as held.'),
  }),
  out: { pack: PackFromServer },
  refuses: ['invalid-payload', 'rate-limit'],
}).run((_, { known = [] }) => [{ kind: 'nodes', select: { known } }]);

export const subscribe = command({
  type: 'subscribe',
  summary: 'Choose which keys you are sent. What you did not see before follows the answer.',
  in: z.object({ patterns: Patterns.describe('Globs over keys; everything when absent or of another shape.') }),
  out: {
    'subscribe-ack': z.object({
      patterns: z.array(z.string()).describe('What you are subscribed to now.'),
      packs_follow: z.boolean().describe('Whether nodes follow that you did not see before; the last pack is `final`.'),
    }),
    pack: PackFromServer,
  },
  refuses: ['rate-limit'],
}).run(({ frame }, { patterns }) => {
  const chosen = patterns && !isEverything(patterns) ? patterns : undefined;
  const reply = (packs_follow: boolean) => frame('subscribe-ack', { patterns: chosen ?? EVERYTHING, packs_follow });
  return [{ kind: 'subscribe', patterns: chosen, reply }];
});
