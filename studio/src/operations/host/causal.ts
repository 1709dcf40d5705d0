/** Causal graph under the record: nodes of the workgroup's room, for comparing copies of it. */
import { z } from 'zod';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';

const NodeIdHex = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits');
const ids = z.array(z.string());

export const frontier = operation({
  summary: 'List the nodes on which nothing stands yet.',
  scope: 'read',
  in: z.object({}),
  out: z.object({ frontierHeads: ids.describe('Ids of the nodes, sorted.') }),
  rest: { route: 'GET /studio/causal/frontier' },
  tool: 'causal_get_frontier',
  refuses: [],
  annotations: READS,
}).run(({ graph }) => ({ frontierHeads: [...graph.frontier()] }));

export const parents = operation({
  summary: 'Say what a node stands on.',
  scope: 'read',
  in: z.object({ nodeIdHex: NodeIdHex.describe('Id of the node.') }),
  out: z.object({
    nodeIdHex: z.string().describe('Id of the node.'),
    parentIds: ids.describe('Ids of the nodes that it stands on, sorted.'),
    nodeFound: z.boolean().describe('Whether the node is here.'),
  }),
  rest: { route: 'GET /studio/causal/parents/{nodeIdHex}' },
  tool: 'causal_get_parents',
  refuses: [],
  annotations: READS,
}).run(({ graph }, { nodeIdHex }) => {
  const found = graph.parentsOf(nodeIdHex);
  return { nodeIdHex, parentIds: [...(found ?? [])], nodeFound: found !== undefined };
});

export const resolution = operation({
  summary: 'Say what every key of the room holds, as bytes.',
  scope: 'read',
  in: z.object({}),
  out: z.object({
    entries: z
      .array(
        z.object({
          key: z.string().describe('The key.'),
          valueBytesB64: z.string().describe('What it holds: MessagePack in base64.'),
        }),
      )
      .describe('The keys, in order.'),
    entryCount: z.number().describe('How many there are.'),
  }),
  rest: { route: 'GET /studio/causal/resolution' },
  tool: 'causal_get_resolution',
  refuses: [],
  annotations: READS,
}).run(async ({ graph }) => {
  const entries = await graph.resolution();
  return { entries, entryCount: entries.length };
});

export const syncDiff = operation({
  summary: 'Say which nodes only this host has, and which only a peer.',
  scope: 'read',
  in: z.object({ peerNodeIdsHex: z.array(NodeIdHex).max(100_000).describe('All nodes that the peer has.') }),
  out: z.object({
    onlyInServer: ids.describe('Nodes that only this host has, sorted.'),
    onlyInPeer: ids.describe('Nodes that only the peer has, sorted.'),
  }),
  rest: { route: 'POST /studio/causal/sync-diff' },
  tool: 'causal_compute_sync_diff',
  refuses: [],
  annotations: SETS,
}).run(({ graph }, { peerNodeIdsHex }) => {
  const { here, there } = graph.differenceTo(peerNodeIdsHex);
  return { onlyInServer: [...here], onlyInPeer: [...there] };
});
