/** Checks of a frame before its command runs. */
import { Policy, type PolicyValue } from '../access/policy.js';
import type { Rights } from '../access/rights.js';
import type { Command } from '../contract/command.js';
import { Rejection, forbidden } from '../rejection.js';
import type { PeerIdentity } from '../tenancy/peer.js';
import type { Frame } from '../wire/frame.js';
import { expectedHello } from './replies.js';

/** Whether the peer may ask for this at all. */
export function checkRights(
  { type, requires, needs }: Command,
  { capabilities }: Rights,
  caps: ReadonlySet<string>,
): void {
  if (requires && !capabilities.has(requires)) throw forbidden(type, requires);
  if (needs && !caps.has(needs)) throw new Rejection('not-negotiated', `${type} not negotiated`);
}

/**
 * Whether there may be a key that the peer may write to. Where a policy lets only some write, a key that is merely claimed
 * is none of theirs. [BL12]
 */
export function mayWriteSomewhere(
  policy: PolicyValue | undefined,
  { pubkey, proven }: PeerIdentity,
  { write }: Rights,
): boolean {
  if (write?.patterns.length === 0) return false;
  return policy?.default !== 'deny' || (proven && new Policy(policy).allowsSomewhere(pubkey));
}

/** The fields that the command takes. */
export function payloadOf(command: Command, frame: Frame): unknown {
  const usual = command.usual?.(frame);
  if (usual !== undefined) return usual;
  const parsed = command.in.safeParse(frame);
  if (parsed.success) return parsed.data;
  if (command.first) throw expectedHello();
  const [issue] = parsed.error.issues;
  const what = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`;
  const { malformed } = command;
  if (malformed) throw new Rejection(malformed, `${malformed}: ${what}`);
  throw new Rejection(command.rejected ? 'reject.invalid_payload' : 'invalid-payload', what);
}
