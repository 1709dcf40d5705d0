/** Following what is written to a room. Rules RP5 to RP7. */
import { z } from 'zod';
import { command } from '../contract/command.js';
import { forbidden } from '../rejection.js';
import { rejectedShape } from '../wire/rejected.js';
import { Count, Hex, NodeIdHex } from '../wire/scalars.js';
import { WrittenShape, writtenNode } from '../wire/shapes.js';

const READING = 'query.read';
const ECHOES = ['after', 'node_id'];

export const followEvents = command({
  type: 'events.follow',
  summary:
    'Be told what is written behind a position of the log: what is there already, then what comes. One at a time.',
  requires: READING,
  in: z.object({
    after: Count.describe('Nodes of the log that you have heard of; 0 for all of it.'),
    node_id: NodeIdHex.optional().describe(
      'The last of them, as `events.written` said: it tells this log from another.',
    ),
    key_prefix: z.string().max(4096).default('').describe('Only ops under keys that begin so; all nodes when empty.'),
  }),
  out: {
    'events.following': z.object({
      after: Count,
      canonical_seq: Count.describe('Nodes in the log.'),
      pruned_before: Count.optional().describe(
        'What was overwritten before this position was given up (PN1); there when you begin before it.',
      ),
    }),
    'events.written': z.object({
      after: Count.describe('`canonical_seq` of the frame before, or `after` of the request.'),
      canonical_seq: Count.describe('Where to go on: what lies between is in `items`, but for what you may not read.'),
      node_id: Hex.describe('The node before that position.'),
      items: z.array(WrittenShape),
    }),
    'events.ended': z.object({
      msg: z.string().describe('Why nothing more is told, for people.'),
      code: z.string().describe('Why, for programs.'),
    }),
    'events.follow.rejected': rejectedShape(ECHOES),
  },
  rejected: { name: 'events.follow.rejected', echoes: ECHOES },
  refuses: [
    'reject.control_plane_forbidden',
    'reject.invalid_payload',
    'reject.checkpoint_not_found',
    'reject.query_backpressure',
  ],
}).run(({ tenancy, frame }, { after, node_id, key_prefix }) => {
  const { room, queries } = tenancy;
  const { seq: pruned = 0 } = room.facts.pruned ?? {};
  const log = queries.follow({ seq: after, node: node_id }, key_prefix);
  return [
    {
      kind: 'follow',
      name: 'events',
      followed: {
        async next({ room: now }, { read, capabilities }) {
          if (!capabilities.has(READING)) {
            const { message: msg, reason: code } = forbidden('events.follow', READING);
            return { frame: frame('events.ended', { msg, code }), isLast: true };
          }
          const page = await log.next(now, read);
          if (!page) return undefined;
          const { seq: canonical_seq, node = '' } = page.position;
          const items = page.items.map(writtenNode);
          return { frame: frame('events.written', { after: page.after, canonical_seq, node_id: node, items }) };
        },
      },
      reply: frame('events.following', {
        after,
        canonical_seq: room.seq,
        ...(after < pruned ? { pruned_before: pruned } : {}),
      }),
    },
  ];
});

export const unfollowEvents = command({
  type: 'events.unfollow',
  summary: 'Be told nothing of that any more.',
  in: z.object({}),
  out: { 'events.unfollowed': z.object({}) },
  refuses: [],
}).run(({ frame }) => [{ kind: 'follow', name: 'events', reply: frame('events.unfollowed', {}) }]);
