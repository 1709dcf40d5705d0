/** Finding out what each side lacks. Rules RC3, RC6, RC8, RC9. */
import { z } from 'zod';
import { DecodeError, toBase64 } from '../codec/bytes/bytes.js';
import { command } from '../contract/command.js';
import { type HostContext, hostCommand, hostEvents } from '../contract/host-command.js';
import { Rejection } from '../rejection.js';
import { Hex, NodeIdHex, decoded } from '../wire/scalars.js';
import { PackFromServer } from '../wire/shapes.js';

/** Paths of one request. */
const PATHS = 1024;
/** Ids that one frame may ask for. */
const WANTED = 100_000;

const TreeNode = z.object({
  path: z.string().describe('Nibbles from the root, which is "".'),
  hash: Hex,
  children: z.record(z.string(), Hex).describe('Hash of each subtree, by nibble.'),
  keys: z.array(Hex).describe('Node id of a leaf; empty for an inner node.'),
});

const Paths = z.object({ paths: z.array(z.string().max(64)).max(PATHS).default(['']) });
const TreeNodes = z.object({ nodes: z.array(TreeNode).describe('Those of the paths that lead to one.') });

export const mstRequest = command({
  type: 'mst-request',
  summary: 'Look at nodes of the tree over the ids of all nodes of the room.',
  needs: 'supports_mst',
  in: Paths,
  out: { 'mst-response': TreeNodes },
  refuses: ['not-negotiated', 'invalid-payload'],
}).run(({ tenancy, reply }, { paths }) => [
  reply('mst-response', { nodes: tenancy.room.nodes.ids.tree.describeEach(paths) }),
]);

export const mstDone = command({
  type: 'mst-done',
  summary: 'Ask for nodes by id. Without ids there is no answer.',
  needs: 'supports_mst',
  in: z.object({
    missing_ids: z.array(NodeIdHex).max(WANTED).optional(),
    ids: z.array(NodeIdHex).max(WANTED).optional().describe('Another name for `missing_ids`; both are answered.'),
  }),
  out: { pack: PackFromServer },
  refuses: ['not-negotiated', 'invalid-payload', 'rate-limit'],
}).run((_, { missing_ids: missing = [], ids = [] }) => {
  const wanted = [...missing, ...ids];
  return wanted.length === 0 ? [] : [{ kind: 'nodes', select: { ids: wanted } }];
});

export const hostMstRequest = hostCommand({
  variant: 'MstRequest',
  event: 'MstResponsePrepared',
  summary: mstRequest.summary,
  in: Paths,
  out: TreeNodes,
}).run(async ({ ask }, paths) => TreeNodes.parse((await ask(mstRequest, paths))[0]));

/** Nodes that are ready to be sent: one event for each pack, and one at least. */
const Prepared = { ServerPackPrepared: z.object({ nodes_b64: z.string(), root_hex: Hex }) };

export const requestServerPack = hostEvents({
  variant: 'RequestServerPack',
  summary:
    'The history, but for what somebody holds. A long one is several packs, each to be taken after the one before.',
  in: z.object({
    known_ids: z.array(NodeIdHex).default([]).describe('Nodes that are held; their ancestors are, too.'),
  }),
  out: Prepared,
}).run(async ({ tenancy, event }, { known_ids: known }) => {
  const { nodes, packed, seq } = tenancy.room;
  const held = nodes.pastOf(known);
  const packs: Uint8Array[] = [];
  for (let from = 0; from < seq;) {
    const to = Math.min(seq, packed.endOfPart(from));
    const pack = await packed.read(from, to, { held });
    if (pack) packs.push(pack);
    from = to;
  }
  return prepared(tenancy, packs).map((body) => event('ServerPackPrepared', body));
});

export const hostMstDone = hostEvents({
  variant: 'MstDone',
  summary: 'Nodes by id, with what makes them believable; of those that the room does not hold nothing.',
  in: z.object({ ids: z.array(NodeIdHex).max(WANTED) }),
  out: Prepared,
}).run(async ({ tenancy, event }, { ids }) => {
  const { nodes, packed } = tenancy.room;
  const parts = packed.partsOf(nodes.numbersOf(ids));
  const packs = await Promise.all(parts.map((part) => packed.select(part, undefined)));
  return prepared(tenancy, packs).map((body) => event('ServerPackPrepared', body));
});

function prepared({ room }: HostContext['tenancy'], packs: readonly Uint8Array[]) {
  const some = packs.length > 0 ? packs : [room.packed.emptyPack];
  return some.map((pack) => ({ nodes_b64: toBase64(pack), root_hex: room.heads.root }));
}

/** Fields that hold bytes. */
const BYTES = ['root', 'heads', 'symbols', 'key', 'tips', 'sum', 'ids'];
/** The frame's own. */
const FRAME = ['type', 'req_id'];

export const reconcile = command({
  type: 'reconcile',
  summary:
    'One step of finding out what each side lacks, at a cost that follows the difference. You send `open` first.',
  needs: 'supports_reconcile',
  in: z.looseObject({ step: z.string().max(32).describe('See RC6, which says what other fields each step has.') }),
  out: {
    reconcile: z.looseObject({ step: z.string() }),
    pack: PackFromServer,
  },
  refuses: ['not-negotiated', 'invalid-payload', 'rate-limit'],
}).run(({ reconciling, reply }, input) => {
  try {
    const responder = input.step === 'open' ? reconciling.begin() : reconciling.current;
    if (!responder) throw new DecodeError(`${input.step} does not follow here`);
    const answer = responder.receive(messageOf(input));
    if (responder.send) reconciling.end();
    return [
      ...(answer ? [reply('reconcile', answer)] : []),
      ...(responder.send && responder.send.length > 0
        ? [{ kind: 'nodes' as const, select: { numbers: responder.send } }]
        : []),
    ];
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new Rejection('invalid-payload', `reconcile: ${error.message}`, { cause: error });
  }
});

/** Message of a frame: without the frame's own fields, and with bytes where JSON has base64. */
function messageOf(frame: Readonly<Record<string, unknown>>): unknown {
  const fields = Object.entries(frame).filter(([name]) => !FRAME.includes(name));
  return Object.fromEntries(
    fields.map(([name, value]) => [name, BYTES.includes(name) && typeof value === 'string' ? decoded(value) : value]),
  );
}
