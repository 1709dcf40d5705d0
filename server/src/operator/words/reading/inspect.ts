import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { measured } from '../../rooms.js';
import { Policy } from '../rights/policy.js';
import { AnyOneRoom, word } from '../word.js';

export const roomInspect = word({
  noun: 'room',
  verb: 'inspect',
  summary: 'Show what a room is: nodes, bytes, heads, the hash of its state, its lineage.',
  changes: false,
  in: AnyOneRoom,
  out: z.object({
    room: z.string(),
    nodes: z.number(),
    bytes: z.number().describe('Size of its log.'),
    blobs: z.number(),
    shut: z.string().optional().describe('Why it is quarantined, if it is.'),
    origin: z.unknown().describe('Where its log begins, if it is a fork.'),
    forks: z.array(z.unknown()).describe('Rooms that share its log.'),
    state_hash: z.string().optional(),
    heads: z.array(z.string()).optional(),
    parent: z.string().optional(),
    is_locked: z.boolean().optional(),
    locked_with: z.string().optional().describe('Public key whose tokens let in beside those of the server.'),
    policy: Policy.optional().describe('Who may write where; absent where everybody may.'),
    revoked: z
      .array(z.object({ peer: z.string(), before: z.number() }))
      .optional()
      .describe('Peers whose tokens are worth nothing that expire before a Unix second.'),
    pruned_before: z.number().optional().describe('Position before which overwritten values were given up.'),
  }),
  async run({ host, store }, { room }) {
    await mustExist(room, store);
    const [forks, blobs] = [await all(store.log.forks(room)), await all(store.blobs.linked(room))];
    const { origin, bytes, shut } = {
      origin: await store.log.origin(room),
      ...(await measured(room, host.quarantined, store)),
    };
    const about = { room, bytes, ...(shut === undefined ? {} : { shut }), origin, forks, blobs: blobs.length };
    if (shut !== undefined) return { ...about, nodes: await store.log.head(room) };
    return host.withRoom(room, async ({ seq, stateHash, heads, constitution, facts, revocations }) => ({
      ...about,
      nodes: seq,
      state_hash: stateHash,
      heads: [...heads.frontier],
      ...(constitution.lineage ? { parent: constitution.lineage.parent_room_id } : {}),
      is_locked: facts.lock !== undefined,
      ...(facts.lock === undefined ? {} : { locked_with: facts.lock }),
      ...(facts.policy === undefined ? {} : { policy: facts.policy }),
      revoked: revocations,
      ...(facts.pruned ? { pruned_before: facts.pruned.seq } : {}),
    }));
  },
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
