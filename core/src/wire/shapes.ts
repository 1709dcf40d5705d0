/** Shapes that more than one frame carries. A shape moves here on its second use. */
import { z } from 'zod';
import { GLOB_BOUNDS } from '../access/glob.js';
import { Bytes, Count, Hex } from './scalars.js';

/** Nodes from the server: history, or what a peer pushed. */
export const PackFromServer = z.object({
  from: z
    .string()
    .describe(
      'Public key of the peer that pushed the nodes; of their author, where they are of one and sent later; or `server`.',
    ),
  nodes: Bytes.describe('The pack.'),
  root: Hex.describe('Root of the room when the frame was made: SHA-256 of the sorted head ids.'),
  final: z.boolean().optional().describe('True on the last frame of a catch-up, and of the answer to a request.'),
});

export const PeerShape = z.object({
  pubkey: z.string().describe('Public key as claimed in hello, or `anon:<session>`.'),
  peer_id: z.string().describe('Logical peer, stable across reconnects.'),
  peer_type: z.string().describe('Free-form classification.'),
  session_id: z.string().describe('This connection.'),
  proven: z.boolean().describe('Whether the peer proved that it holds its key.'),
  subject: z.string().optional().describe('Whose key it is, where it is another one’s: see SU3.'),
});

/** What a peer subscribes to. Absent or of another shape, it is everything. */
export const Patterns = z
  .array(z.string().max(GLOB_BOUNDS.length))
  .max(GLOB_BOUNDS.patterns)
  .refine((patterns) => patterns.reduce((sum, { length }) => sum + length, 0) <= GLOB_BOUNDS.together)
  .optional()
  .catch(undefined);

export const EVERYTHING = ['**'];

/** No pattern, or one that matches every key. */
export function isEverything(patterns: readonly string[]): boolean {
  return patterns.length === 0 || patterns.includes('**');
}

export const SeenConflictShape = z.object({
  at_unix_ms: z.number().describe('When this host had both.'),
  event: z.object({
    kind: z.enum(['overwrite', 'move']),
    key: z.string(),
    winner_node_id: Hex,
    loser_node_id: Hex,
  }),
});

interface SeenConflict {
  readonly at: number;
  readonly kind: 'overwrite' | 'move';
  readonly key: string;
  readonly winner: string;
  readonly loser: string;
}

export const seenConflict = ({ at, kind, key, winner, loser }: SeenConflict): z.output<typeof SeenConflictShape> => ({
  at_unix_ms: at,
  event: { kind, key, winner_node_id: winner, loser_node_id: loser },
});

/** A node as a replay and a follower are told of it. [RP2] */
export const WrittenShape = z.object({
  seq: Count.describe('Log position.'),
  lamport: Count,
  node_id: Hex,
  author: Hex,
  wall_ms: Count.optional().describe("The author's clock, where the node says it."),
  touched_keys: z.array(z.string()),
  pruned: z.literal(true).optional().describe('What it wrote was given up: see PN1 and VE1.'),
  origin: z
    .object({ canonical_seq: Count, canonical_hash: Hex })
    .optional()
    .describe('The checkpoint of which `ops` are all that stood.'),
  ops: z.array(z.unknown()).optional().describe('Decoded, see RP2; absent where they would be too many.'),
});

interface WrittenNode {
  readonly seq: number;
  readonly lamport: number;
  readonly nodeId: string;
  readonly author: string;
  readonly wallMs: number | undefined;
  readonly touchedKeys: readonly string[];
  readonly ops: readonly unknown[] | undefined;
  readonly isPruned?: boolean;
  readonly origin?: { readonly seq: number; readonly hash: string };
}

export const writtenNode = (node: WrittenNode): z.output<typeof WrittenShape> => ({
  seq: node.seq,
  lamport: node.lamport,
  node_id: node.nodeId,
  author: node.author,
  touched_keys: [...node.touchedKeys],
  ...(node.isPruned ? { pruned: true as const } : {}),
  ...(node.wallMs === undefined ? {} : { wall_ms: node.wallMs }),
  ...(node.origin ? { origin: { canonical_seq: node.origin.seq, canonical_hash: node.origin.hash } } : {}),
  ...(node.ops ? { ops: [...node.ops] } : {}),
});
