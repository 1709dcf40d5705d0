/**
 * Facts: what a room's authority has written down about the room itself, in registers under system keys. [FA1]
 *
 * They are nodes of the log like all others, so they are as durable, and every replica knows them.
 */
import { z } from 'zod';
import { PolicyValue } from '../../access/policy.js';
import type { RegisterView } from '../../crdt/registers.js';
import { POLICY_KEY } from './laws.js';
import type { Write } from './write.js';

const LOCK_KEY = '\0lock';
const REVOKED = '\0revoked/';

const Lock = z.object({ key: z.string() });
const TICK_KEY = '\0tick';
const MARK_KEY = '\0tick/mark';

/** How a room ticks. */
export interface TickSettings {
  readonly intervalMs: number;
  readonly intentPrefix: string;
  /** Whose intents are accepted; everybody's when absent. */
  readonly intentPolicy?: PolicyValue;
}

const Tick = z.object({
  interval_ms: z.number(),
  intent_prefix: z.string(),
  intent_policy: PolicyValue.optional(),
});
const Revoked = z.object({ before: z.number() });

export class Facts {
  readonly #registers: RegisterView;

  constructor(registers: RegisterView) {
    this.#registers = registers;
  }

  /** The public key whose tokens let peers in; undefined where the room is open. */
  get lock(): string | undefined {
    return Lock.safeParse(this.#registers.get(LOCK_KEY)).data?.key;
  }

  get policy(): PolicyValue | undefined {
    return PolicyValue.safeParse(this.#registers.get(POLICY_KEY)).data;
  }

  /** Undefined while the tick does not run. */
  get tick(): TickSettings | undefined {
    const tick = Tick.safeParse(this.#registers.get(TICK_KEY)).data;
    if (!tick) return undefined;
    const { interval_ms: intervalMs, intent_prefix: intentPrefix, intent_policy: intentPolicy } = tick;
    return { intervalMs, intentPrefix, ...(intentPolicy ? { intentPolicy } : {}) };
  }

  /** The log position up to which intents are decided. */
  get tickMark(): number {
    return z.number().safeParse(this.#registers.get(MARK_KEY)).data ?? 0;
  }

  /** Tokens of a peer that expire before this Unix second are revoked. */
  revokedBefore(peer: string): number {
    return Revoked.safeParse(this.#registers.get(REVOKED + peer)).data?.before ?? 0;
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
