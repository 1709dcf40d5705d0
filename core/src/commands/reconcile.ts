/** Finding out what each side lacks. Rules RC3, RC6, RC8, RC9. */
import { z } from 'zod';
import { DecodeError } from '../codec/bytes.js';
import { Rejection } from '../rejection.js';
import { Hex, NodeIdHex, decoded } from '../wire/scalars.js';
import { PackFromServer } from '../wire/shapes.js';
import { command } from './define.js';

/** Paths of one request. */
const PATHS = 1024;
/** Ids that one frame may ask for. */
const WANTED = 100_000;

const TreeNode = z.object({
  path: z.string().describe('Nibbles from the root, which is "".'),
  hash: Hex,
  children: z.record(z.string(), Hex).describe('Hash of each subtree, by nibble.'),
  keys: z.array(Hex).describe('Of a leaf, its node id.'),
});

export const mstRequest = command({
  type: 'mst-request',
  summary: 'Look at nodes of the tree over the ids of all nodes of the room.',
  needs: 'supports_mst',
  in: z.object({ paths: z.array(z.string().max(64)).max(PATHS).default(['']) }),
  out: { 'mst-response': z.object({ nodes: z.array(TreeNode).describe('Those of the paths that lead to one.') }) },
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
    ids: z.array(NodeIdHex).max(WANTED).optional().describe('The same as `missing_ids`.'),
  }),
  out: { pack: PackFromServer },
  refuses: ['not-negotiated', 'invalid-payload', 'rate-limit'],
}).run((_, { missing_ids: missing = [], ids = [] }) => {
  const wanted = [...missing, ...ids];
  return wanted.length === 0 ? [] : [{ kind: 'nodes', select: { ids: wanted } }];
});

/** Fields that hold bytes. */
const BYTES = ['root', 'heads', 'symbols', 'key', 'tips', 'sum', 'ids'];
/** The frame's own. */
const FRAME = ['type', 'req_id'];

export const reconcile = command({
  type: 'reconcile',
  summary:
    'One step of finding out what each side lacks, at a cost that follows the difference. You send `open` first.',
  needs: 'supports_reconcile',
  in: z.looseObject({ step: z.string().max(32).describe('See RC6; other fields follow from it, bytes in base64.') }),
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

/** Without the frame's own fields, and with bytes where JSON has base64. */
function messageOf(frame: Readonly<Record<string, unknown>>): unknown {
  const fields = Object.entries(frame).filter(([name]) => !FRAME.includes(name));
  return Object.fromEntries(
    fields.map(([name, value]) => [name, BYTES.includes(name) && typeof value === 'string' ? decoded(value) : value]),
  );
}
