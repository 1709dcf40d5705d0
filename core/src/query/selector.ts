/** Which moment of a room is meant. [PJ2] */
import { z } from 'zod';
import type { NodeId } from '../graph/node.js';
import { Rejection } from '../rejection.js';

const HEX = /^[0-9a-fA-F]{64}$/;
const SEQ = /^seq:(0|[1-9]\d{0,15})$/;
/** Nodes that a selector may name. */
const MOST_NODES = 4096;

const Selector = z.discriminatedUnion('selector', [
  z.strictObject({ selector: z.literal('latest') }),
  z.strictObject({ selector: z.literal('seq'), canonical_seq: z.number().int().nonnegative() }),
  z.strictObject({ selector: z.literal('hash'), canonical_hash: z.string().regex(HEX) }),
  z.strictObject({
    selector: z.literal('frontier'),
    frontier: z
      .array(z.string().refine((entry) => HEX.test(entry) || SEQ.test(entry)))
      .min(1)
      .max(MOST_NODES),
  }),
]);

export type Moment =
  | { readonly kind: 'latest' }
  | { readonly kind: 'seq'; readonly seq: number }
  | { readonly kind: 'hash'; readonly hash: string }
  /** The nodes, and all before a log position. */
  | { readonly kind: 'frontier'; readonly nodes: readonly NodeId[]; readonly seq: number };

/** Throws a `Rejection` for what selects nothing. Absent, it is what the room holds now. */
export function momentOf(selector: unknown): Moment {
  if (selector === undefined) return { kind: 'latest' };
  const { data, error } = Selector.safeParse(selector);
  if (!data) {
    const [issue] = error.issues;
    const where = ['target_checkpoint', ...(issue?.path ?? [])].join('.');
    throw new Rejection('reject.checkpoint_selector_invalid', `${where}: ${issue?.message ?? 'invalid'}`);
  }
  if (data.selector === 'latest') return { kind: 'latest' };
  if (data.selector === 'seq') return { kind: 'seq', seq: data.canonical_seq };
  if (data.selector === 'hash') return { kind: 'hash', hash: data.canonical_hash.toLowerCase() };
  const positions = data.frontier.map((entry) => Number(SEQ.exec(entry)?.[1] ?? 0));
  const nodes = data.frontier.filter((entry) => HEX.test(entry)).map((entry) => entry.toLowerCase() as NodeId);
  return { kind: 'frontier', nodes, seq: Math.max(...positions) };
}

export function notFound(message: string): Rejection {
  return new Rejection('reject.checkpoint_not_found', message);
}
