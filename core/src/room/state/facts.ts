/**
 * Facts: what a room's authority has written down about the room itself, in registers under system keys. [FA1]
 *
 * They are nodes of the log like all others, so they are as durable, and every replica knows them.
 */
import { type PolicyValue, policyValue } from '../../access/policy.js';
import { number, objectOf, optional, sift, text } from '../../codec/sieve.js';
import type { RegisterView } from '../../crdt/registers.js';
import { type Pruned, prunedIn } from './given-up.js';
import { POLICY_KEY } from '../../crdt/system-keys.js';
import type { Write } from './write.js';

export const LOCK_KEY = '\0lock';
export const REVOKED = '\0revoked/';

const lock = objectOf({ key: text });
export const TICK_KEY = '\0tick';
const MARK_KEY = '\0tick/mark';

/** How a room ticks. */
export interface TickSettings {
  readonly intervalMs: number;
  readonly intentPrefix: string;
  /** Whose intents are accepted; everybody's when absent. */
  readonly intentPolicy?: PolicyValue;
}

const tick = objectOf({ interval_ms: number, intent_prefix: text, intent_policy: optional(policyValue) });
const revoked = objectOf({ before: number });

export class Facts {
  readonly #registers: RegisterView;

  constructor(registers: RegisterView) {
    this.#registers = registers;
  }

  /** The public key whose tokens let peers in; undefined where the room is open. */
  get lock(): string | undefined {
    return sift(lock, this.#registers.get(LOCK_KEY))?.key;
  }

  get policy(): PolicyValue | undefined {
    return sift(policyValue, this.#registers.get(POLICY_KEY));
  }

  /** Undefined while the tick does not run. */
  get tick(): TickSettings | undefined {
    const settings = sift(tick, this.#registers.get(TICK_KEY));
    if (!settings) return undefined;
    const { interval_ms: intervalMs, intent_prefix: intentPrefix, intent_policy: intentPolicy } = settings;
    return { intervalMs, intentPrefix, ...(intentPolicy ? { intentPolicy } : {}) };
  }

  /** What was given up of the history last; undefined while all of it is there. */
  get pruned(): Pruned | undefined {
    return prunedIn(this.#registers);
  }

  /** The log position up to which intents are decided. */
  get tickMark(): number {
    return sift(number, this.#registers.get(MARK_KEY)) ?? 0;
  }

  /** Tokens of a peer that expire before this Unix second are revoked. */
  revokedBefore(peer: string): number {
    return sift(revoked, this.#registers.get(REVOKED + peer))?.before ?? 0;
  }
}

/** `by` is who asked for it. */
export function lockFact(key: string | undefined, by: string): Write {
  return { key: LOCK_KEY, value: key === undefined ? undefined : { key, by } };
}

export function policyFact(policy: PolicyValue | undefined, by: string): Write {
  return { key: POLICY_KEY, value: policy && { ...policy, by } };
}

export function tickFact(settings: TickSettings | undefined, by: string): Write {
  if (!settings) return { key: TICK_KEY, value: undefined };
  const { intervalMs, intentPrefix, intentPolicy } = settings;
  const value = { interval_ms: intervalMs, intent_prefix: intentPrefix, by };
  return { key: TICK_KEY, value: intentPolicy ? { ...value, intent_policy: intentPolicy } : value };
}

export function tickMark(seq: number): Write {
  return { key: MARK_KEY, value: seq };
}

export function revocationFact(peer: string, before: number, by: string): Write {
  return { key: REVOKED + peer, value: { before, by } };
}
