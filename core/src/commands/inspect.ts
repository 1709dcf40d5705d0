/** Looking into a room through the embedding API. Rule HC2. */
import { z } from 'zod';
import { DecodeError, toBase64, toHex } from '../codec/bytes/bytes.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import { hostCommand } from '../contract/host-command.js';
import { Rejection } from '../rejection.js';
import { Count, Hex, NodeIdHex, decoded } from '../wire/scalars.js';

export const getFrontier = hostCommand({
  variant: 'GetFrontier',
  event: 'FrontierQueried',
  summary: 'The heads of the room: nodes without known successors.',
  in: z.object({}),
  out: z.object({ frontier_heads_hex: z.array(Hex) }),
}).run(({ tenancy }) => ({ frontier_heads_hex: [...tenancy.room.heads.frontier] }));

export const getCausalParents = hostCommand({
  variant: 'GetCausalParents',
  event: 'CausalParentsQueried',
  summary: 'What a node stands on.',
  in: z.object({ node_id_hex: z.string() }),
  out: z.object({
    node_id_hex: z.string(),
    parent_ids_hex: z.array(Hex).describe("Its author's node before it included; sorted."),
    node_found: z.boolean(),
  }),
}).run(({ tenancy }, { node_id_hex }) => {
  const id = NodeIdHex.safeParse(node_id_hex);
  const parents = id.success ? tenancy.room.nodes.parentsOf(id.data) : undefined;
  return { node_id_hex, parent_ids_hex: parents ?? [], node_found: parents !== undefined };
});

export const getCanonicalResolution = hostCommand({
  variant: 'GetCanonicalResolution',
  event: 'CanonicalResolutionQueried',
  summary: "What every key holds, the system's own left out.",
  in: z.object({}),
  out: z.object({
    entries: z.array(
      z.object({
        key: z.string(),
        kind: z.enum(['register', 'blob', 'text', 'list']),
        value_bytes_b64: z.string().describe('MessagePack; of a text UTF-8; of a blob its hash.'),
      }),
    ),
    entry_count: Count,
  }),
}).run(({ tenancy }) => {
  const entries = [...tenancy.room.resolution()].map(({ key, kind, bytes }) => ({
    key,
    kind,
    value_bytes_b64: toBase64(bytes),
  }));
  return { entries, entry_count: entries.length };
});

export const computeSyncDiff = hostCommand({
  variant: 'ComputeSyncDiff',
  event: 'SyncDiffComputed',
  summary: 'What of the nodes only one side holds.',
  in: z.object({ peer_node_ids_hex: z.array(NodeIdHex).describe('All that the peer holds.') }),
  out: z.object({ only_in_server: z.array(Hex), only_in_peer: z.array(Hex) }),
}).run(({ tenancy }, { peer_node_ids_hex: ids }) => {
  const { here, there } = tenancy.room.nodes.differenceTo(ids);
  return { only_in_server: here, only_in_peer: there };
});

export const inspectPack = hostCommand({
  variant: 'InspectPack',
  event: 'PackInspected',
  summary: 'Decode a pack and tell how it hangs together; nothing is applied.',
  in: z.object({ nodes_b64: z.string() }),
  out: z.object({
    node_count: Count,
    external_parent_ids_hex: z.array(Hex).describe('What its nodes stand on that it does not hold; sorted.'),
    tip_node_ids_hex: z.array(Hex).describe('Nodes of it that none of it stands on; sorted.'),
  }),
}).run((_, { nodes_b64 }) => {
  const nodes = nodesIn(nodes_b64);
  const held = new Set(nodes.map(({ id }) => toHex(id)));
  const parents = new Set(
    nodes.flatMap(({ prev, parents: others }) => [...(prev ? [prev] : []), ...others].map(toHex)),
  );
  return {
    node_count: nodes.length,
    external_parent_ids_hex: [...parents].filter((id) => !held.has(id)).sort(),
    tip_node_ids_hex: [...held].filter((id) => !parents.has(id)).sort(),
  };
});

function nodesIn(text: string) {
  const bytes = decoded(text);
  if (!bytes) throw new Rejection('invalid-command', 'InspectPack.nodes_b64: bad base64');
  try {
    return decodePack(bytes).nodes;
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause;
    throw new Rejection('invalid-command', `InspectPack.nodes_b64: ${cause.message}`, { cause });
  }
}
