/** Child rooms and their promotion, over a connection and through the embedding API. Rules TP1 to TP8. */
import { z } from 'zod';
import type { Globs } from '../access/glob.js';
import { command } from '../contract/command.js';
import type { CommandContext } from '../contract/context.js';
import { hostCommand } from '../contract/host-command.js';
import { isRoomName } from '../codec/bytes/room-id.js';
import { ROOM_CREATE } from '../access/entry.js';
import type { Crypto } from '../ports/crypto.js';
import { type Reason, Rejection, forbidden, whereDeleted } from '../rejection.js';
import { lockFact, policyFact } from '../room/state/facts.js';
import { LineageShape } from '../room/state/lineage-shape.js';
import type { Write } from '../room/state/write.js';
import { readPolicy } from '../wire/policy-shape.js';
import { PublicKeyHex, Text } from '../wire/scalars.js';
import type { Proposer } from '../topology/promotions.js';

type Tenancy = CommandContext['tenancy'];
type Children = Tenancy['children'];

const RoomName = z.string().describe('A room; the one of this connection when absent.');

/** Read where what is wrong with them has its class. */
const Wanted = z.object({
  child_room_id: z.unknown().optional().describe('The new room: no room of that name may have a durable fact.'),
  child_purpose: z.unknown().optional().describe('What it is for, in your words.'),
  promotion_policy_id: z
    .unknown()
    .optional()
    .describe('`reference-only`, or `promotion-based` for one that may be merged back.'),
  parent_checkpoint: z
    .unknown()
    .optional()
    .describe(
      '`{canonical_hash, frontier}`: what the parent must be, as a welcome tells. Heads are ids, or `seq:<nodes>`.',
    ),
  created_by: Text.max(256).optional().describe('Who wants it.'),
  lock: z
    .unknown()
    .optional()
    .describe('Key that the child is locked with, or null for none; with `room.admin`. As the parent when absent.'),
  policy: z
    .unknown()
    .optional()
    .describe('`{default, rules}`, or null for none; with `room.admin`. As the parent when absent.'),
});
const Made = z.object({ child_room_id: z.string(), lineage: LineageShape });
const Origins = z.object({
  lineage: LineageShape.nullable().describe('Null for a room that is nobody’s child.'),
  ancestors: z.array(LineageShape).describe('Its own lineage, its parent’s, and so on.'),
});
const Listed = z.object({
  children: z.array(
    z.object({
      child_room_id: z.string(),
      child_purpose: z.string(),
      promotion_policy_id: z.string(),
      created_by: z.string(),
    }),
  ),
});

async function create(
  children: Children,
  wanted: z.output<typeof Wanted>,
  by: string,
  crypto: Pick<Crypto, 'isPublicKey'>,
): Promise<z.output<typeof Made>> {
  const { id, lineage } = await children.create({
    facts: factsOf(wanted, by, crypto),
    id: wanted.child_room_id,
    purpose: wanted.child_purpose,
    promotionPolicy: wanted.promotion_policy_id,
    createdBy: wanted.created_by ?? by,
    checkpoint: wanted.parent_checkpoint,
  });
  return { child_room_id: id, lineage };
}

/** What a child is told of its own in place of what its parent says. */
function factsOf({ lock, policy }: z.output<typeof Wanted>, by: string, crypto: Pick<Crypto, 'isPublicKey'>): Write[] {
  const fail = (what: string): never => {
    throw new Rejection('reject.lineage_invalid_checkpoint', `reject.lineage_invalid_checkpoint: ${what}`);
  };
  const facts: Write[] = [];
  if (lock !== undefined) {
    const key = PublicKeyHex.nullable().safeParse(lock);
    if (!key.success || (key.data !== null && !crypto.isPublicKey(key.data)))
      return fail('lock is null, or an Ed25519 public key as 64 hex characters');
    facts.push(lockFact(key.data ?? undefined, by));
  }
  if (policy === null) facts.push(policyFact(undefined, by));
  else if (policy !== undefined) {
    const read = readPolicy(isObject(policy) ? policy : {});
    facts.push(policyFact(typeof read === 'string' ? fail(`policy is null, or as in set-policy: ${read}`) : read, by));
  }
  return facts;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

async function describe(children: Children): Promise<z.output<typeof Origins>> {
  const ancestors = await children.ancestors();
  return { lineage: ancestors[0] ?? null, ancestors };
}

async function list(children: Children): Promise<z.output<typeof Listed>> {
  const found = await children.list();
  return {
    children: found.map(({ id, lineage: { child_purpose, promotion_policy_id, created_by } }) => ({
      child_room_id: id,
      child_purpose,
      promotion_policy_id,
      created_by,
    })),
  };
}

export const createChild = command({
  type: 'topology.create-child',
  summary: 'Begin a room with all that its parent holds now.',
  requires: 'topology.admin',
  malformed: 'reject.lineage_invalid_checkpoint',
  in: Wanted.extend({ parent_room_id: RoomName.optional() }),
  out: { 'topology.create-child.completed': Made },
  refuses: [
    'reject.control_plane_forbidden',
    'reject.lineage_invalid_checkpoint',
    'reject.lineage_policy_unknown',
    'reject.lineage_parent_not_found',
    'reject.lineage_child_already_exists',
    'reject.lineage_parent_checkpoint_mismatch',
  ],
}).run(async (context, { parent_room_id: asked, ...wanted }) => {
  const { identity, rights, crypto } = context;
  if ((wanted.lock !== undefined || wanted.policy !== undefined) && !rights.capabilities.has('room.admin'))
    throw forbidden('topology.create-child', 'room.admin');
  const { child_room_id: child } = wanted;
  if (typeof child === 'string' && !context.mayCreate(child))
    throw forbidden('topology.create-child', ROOM_CREATE, child);
  const at = { asked, type: 'topology.create-child', missing: 'reject.lineage_parent_not_found' } as const;
  const made = await inRoom(context, at, ({ children }) => create(children, wanted, identity.pubkey, crypto));
  return [context.reply('topology.create-child.completed', made)];
});

export const describeLineage = command({
  type: 'topology.describe-lineage',
  summary: 'Where a room comes from.',
  requires: 'topology.admin',
  malformed: 'reject.room_not_found',
  in: z.object({ room_id: RoomName.optional() }),
  out: { 'topology.describe-lineage.result': Origins.extend({ room_id: z.string() }) },
  refuses: ['reject.control_plane_forbidden', 'reject.room_not_found'],
}).run(async (context, { room_id = context.tenancy.room.id }) => {
  const at = { asked: room_id, type: 'topology.describe-lineage', missing: 'reject.room_not_found' } as const;
  const origins = await inRoom(context, at, ({ children }) => describe(children));
  return [context.reply('topology.describe-lineage.result', { room_id, ...origins })];
});

export const listChildren = command({
  type: 'topology.list-children',
  summary: 'The children of a room, oldest first.',
  requires: 'topology.admin',
  malformed: 'reject.room_not_found',
  in: z.object({ parent_room_id: RoomName.optional() }),
  out: { 'topology.list-children.result': Listed.extend({ parent_room_id: z.string() }) },
  refuses: ['reject.control_plane_forbidden', 'reject.room_not_found'],
}).run(async (context, { parent_room_id = context.tenancy.room.id }) => {
  const at = { asked: parent_room_id, type: 'topology.list-children', missing: 'reject.room_not_found' } as const;
  const listed = await inRoom(context, at, ({ children }) => list(children));
  return [context.reply('topology.list-children.result', { parent_room_id, ...listed })];
});

export const createTopologyChild = hostCommand({
  variant: 'CreateTopologyChild',
  event: 'ChildRoomCreated',
  summary: 'Begin a room with all that this one holds now.',
  in: Wanted,
  out: Made,
}).run(({ tenancy, crypto }, wanted) => create(tenancy.children, wanted, 'operator', crypto));

export const describeRoomLineage = hostCommand({
  variant: 'DescribeRoomLineage',
  event: 'RoomLineageDescribed',
  summary: 'Where the room comes from.',
  in: z.object({}),
  out: Origins,
}).run(({ tenancy }) => describe(tenancy.children));

export const listTopologyChildren = hostCommand({
  variant: 'ListTopologyChildren',
  event: 'ChildrenListed',
  summary: 'The children of the room, oldest first.',
  in: z.object({}),
  out: Listed,
}).run(({ tenancy }) => list(tenancy.children));

const Promotion = z.object({
  child_room_id: z.unknown().optional().describe('The child.'),
  child_checkpoint_hash: z.unknown().optional().describe('Its canonical hash, as it is.'),
  payload_ref: z
    .unknown()
    .optional()
    .describe('`all`, or `glob:<pattern>` for keys; anything else is a name of yours, for all.'),
  idempotency_key: z
    .unknown()
    .optional()
    .describe('The id of the proposal: proposing the same again is no second one.'),
  on_conflict: z.unknown().optional().describe('`reject` when absent, or `merge`: what both have changed is merged.'),
});
const Proposed = z.object({
  proposal_id: z.string(),
  parent_room_id: z.string(),
  child_room_id: z.string(),
  child_checkpoint_hash: z.string(),
  payload_ref: z.string(),
  proposal_digest: z.string(),
});
const Validated = z.object({ proposal_id: z.string(), validation_digest: z.string() });
const Merged = z.object({
  proposal_id: z.string(),
  parent_room_id: z.string(),
  parent_new_canonical_hash: z.string(),
  audit_key: z.string().describe('Where the parent says who promoted what.'),
});
const ProposalId = z.object({ proposal_id: z.string().describe('As it was answered when it was proposed.') });
const ProposalOf = ProposalId.extend({
  parent_room_id: z
    .string()
    .optional()
    .describe(
      "The parent. When absent: the room of this connection, or that room's parent where it is not for itself.",
    ),
});

async function propose({ room, promotions }: Tenancy, wanted: z.output<typeof Promotion>, proposer: Proposer) {
  const proposal = await promotions.propose(wanted, proposer);
  const { proposal_id, child_room_id, child_checkpoint_hash, payload_ref, proposal_digest } = proposal;
  return {
    proposal_id,
    parent_room_id: room.id,
    child_room_id,
    child_checkpoint_hash,
    payload_ref,
    proposal_digest,
  };
}

async function validate({ promotions }: Tenancy, id: string): Promise<z.output<typeof Validated>> {
  const { proposal_id, validation_digest = '' } = await promotions.validate(id);
  return { proposal_id, validation_digest };
}

async function apply({ room, promotions }: Tenancy, id: string): Promise<z.output<typeof Merged>> {
  const { canonicalHash, auditKey } = await promotions.apply(id);
  return {
    proposal_id: id,
    parent_room_id: room.id,
    parent_new_canonical_hash: canonicalHash,
    audit_key: auditKey,
  };
}

export const proposePromotion = command({
  type: 'topology.propose-promotion',
  summary: 'Propose to merge a child back into its parent, as the child is now.',
  requires: 'topology.admin',
  malformed: 'reject.promotion_invalid_lineage',
  in: Promotion.extend({ parent_room_id: RoomName.optional() }),
  out: { 'topology.propose-promotion.completed': Proposed },
  refuses: [
    'reject.control_plane_forbidden',
    'reject.promotion_invalid_lineage',
    'reject.promotion_policy_denied',
    'reject.promotion_child_checkpoint_mismatch',
    'reject.promotion_apply_conflict',
  ],
}).run(async (context, { parent_room_id: asked, ...wanted }) => {
  const at = { asked, type: 'topology.propose-promotion', missing: 'reject.promotion_invalid_lineage' } as const;
  const mayVisit = (room: string) => context.mayVisit(room, at.type);
  const proposed = await inRoom(context, at, (parent) =>
    propose(parent, wanted, { name: context.identity.pubkey, mayVisit }),
  );
  return [context.reply('topology.propose-promotion.completed', proposed)];
});

export const validatePromotion = command({
  type: 'topology.validate-promotion',
  summary: 'Try a proposal without merging anything.',
  requires: 'topology.admin',
  malformed: 'reject.promotion_not_found',
  in: ProposalOf,
  out: { 'topology.validate-promotion.completed': Validated },
  refuses: [
    'reject.control_plane_forbidden',
    'reject.promotion_not_found',
    'reject.promotion_policy_denied',
    'reject.promotion_apply_conflict',
    'reject.promotion_child_checkpoint_mismatch',
  ],
}).run(async (context, proposal) => {
  const validated = await inParent(context, proposal, 'topology.validate-promotion', validate);
  return [context.reply('topology.validate-promotion.completed', validated)];
});

const Previewed = z.object({
  proposal_id: z.string(),
  changes: z
    .array(
      z.object({
        key: z.string(),
        is_conflict: z.boolean().describe('Both have changed it since they exchanged it last: only `merge` takes it.'),
        stands: z.enum(['child', 'parent', 'merged']).describe('Whose value the parent will have.'),
      }),
    )
    .describe('In key order; those that may be read.'),
  more: z.number().describe('Changed keys behind these.'),
});

/** Keys that one answer has. */
const PREVIEWED = 1000;

async function preview(
  { promotions }: Tenancy,
  id: string,
  read: Globs | undefined,
): Promise<z.output<typeof Previewed>> {
  const outcomes = (await promotions.preview(id)).filter(({ key }) => read?.matches(key) ?? true);
  const changes = outcomes
    .slice(0, PREVIEWED)
    .map(({ key, isConflict: is_conflict, stands }) => ({ key, is_conflict, stands }));
  return { proposal_id: id, changes, more: outcomes.length - changes.length };
}

export const previewPromotion = command({
  type: 'topology.preview-promotion',
  summary: 'What applying a proposal would do, key by key. Nothing is merged.',
  requires: 'topology.admin',
  in: ProposalOf,
  out: { 'topology.preview-promotion.result': Previewed },
  refuses: [
    'reject.control_plane_forbidden',
    'reject.promotion_not_found',
    'reject.promotion_apply_conflict',
    'reject.promotion_child_checkpoint_mismatch',
  ],
}).run(async (context, proposal) => {
  const { read } = context.rights;
  const type = 'topology.preview-promotion';
  const previewed = await inParent(context, proposal, type, (parent, id) => preview(parent, id, read));
  return [context.reply('topology.preview-promotion.result', previewed)];
});

export const previewTopologyPromotion = hostCommand({
  variant: 'PreviewTopologyPromotion',
  event: 'PromotionPreviewed',
  summary: 'What applying a proposal would do, key by key.',
  in: ProposalId,
  out: Previewed,
}).run(({ tenancy }, { proposal_id: id }) => preview(tenancy, id, undefined));

export const applyPromotion = command({
  type: 'topology.apply-promotion',
  summary: 'Merge what was validated, in one commit. Applying again answers the same.',
  requires: 'topology.admin',
  malformed: 'reject.promotion_not_found',
  in: ProposalOf,
  out: { 'topology.apply-promotion.completed': Merged },
  refuses: [
    'reject.control_plane_forbidden',
    'reject.promotion_not_found',
    'reject.promotion_not_validated',
    'reject.promotion_stale_parent',
    'reject.promotion_policy_denied',
    'reject.promotion_child_checkpoint_mismatch',
  ],
}).run(async (context, proposal) => {
  const merged = await inParent(context, proposal, 'topology.apply-promotion', apply);
  return [context.reply('topology.apply-promotion.completed', merged)];
});

export const proposeTopologyPromotion = hostCommand({
  variant: 'ProposeTopologyPromotion',
  event: 'PromotionProposed',
  summary: 'Propose to merge a child of the room back.',
  in: Promotion,
  out: Proposed,
}).run(({ tenancy, mayVisit }, wanted) => propose(tenancy, wanted, { name: 'operator', mayVisit }));

export const validateTopologyPromotion = hostCommand({
  variant: 'ValidateTopologyPromotion',
  event: 'PromotionValidated',
  rejected: { name: 'PromotionValidationRejected', echoes: ['proposal_id'] },
  summary: 'Try a proposal without merging anything.',
  in: ProposalId,
  out: Validated,
}).run(({ tenancy }, { proposal_id: id }) => validate(tenancy, id));

export const applyTopologyPromotion = hostCommand({
  variant: 'ApplyTopologyPromotion',
  event: 'PromotionApplied',
  summary: 'Merge what was validated.',
  in: ProposalId,
  out: Merged,
}).run(({ tenancy }, { proposal_id: id }) => apply(tenancy, id));

interface Place {
  readonly asked: string | undefined;
  readonly type: string;
  /** What is said of a name that no room can have, or of a room that was deleted. */
  readonly missing: Reason;
}

/** Acts in the room of the connection, or in another one if the peer may act there. */
async function inRoom<T>(
  { tenancy, other }: CommandContext,
  { asked = tenancy.room.id, type, missing }: Place,
  act: (tenancy: Tenancy) => Promise<T>,
): Promise<T> {
  if (asked === tenancy.room.id) return act(tenancy);
  if (!isRoomName(asked))
    throw new Rejection(missing, `${missing}: ${JSON.stringify(asked)} is not the name of a room`);
  const lease = await whereDeleted(other(asked, type), (why) => new Rejection(missing, `${missing}: ${why}`));
  return act(lease.tenancy).finally(() => lease.release());
}

/** Acts in the room that a proposal is for. Whoever is in the child may leave out which one that is. */
function inParent<T>(
  context: CommandContext,
  { proposal_id: id, parent_room_id }: z.output<typeof ProposalOf>,
  type: string,
  act: (tenancy: Tenancy, id: string) => Promise<T>,
): Promise<T> {
  const { room, promotions } = context.tenancy;
  const parent = promotions.has(id) ? undefined : room.constitution.lineage?.parent_room_id;
  const at = { asked: parent_room_id ?? parent, type, missing: 'reject.promotion_not_found' } as const;
  return inRoom(context, at, (tenancy) => act(tenancy, id));
}
