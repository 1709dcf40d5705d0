/**
 * What a room's authority has written down about the room itself: registers under system keys. [FA1]
 *
 * They are nodes of the log like all others, so they are as durable, and every replica knows them.
 */
import { z } from 'zod';
import type { RegisterView } from '../crdt/registers.js';
import { PolicyValue } from '../access/policy.js';
import { POLICY_KEY } from './laws.js';
import type { Write } from './write.js';

const LOCK_KEY = '\0lock';
const REVOKED = '\0revoked/';

const Lock = z.object({ key: z.string() });
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

  /** Tokens of a peer that expire before this Unix second are revoked. */
  revokedBefore(peer: string): number {
    return Revoked.safeParse(this.#registers.get(REVOKED + peer)).data?.before ?? 0;
  }
}

/** `by` is who asked for it. */
export function lockFact(key: string | undefined, by: string): Write {
  return { key: LOCK_KEY, value: key === undefined ? undefined : { key, by } };
}

export function policyFact(policy: PolicyValue, by: string): Write {
  return { key: POLICY_KEY, value: { ...policy, by } };
}

export function revocationFact(peer: string, before: number, by: string): Write {
  return { key: REVOKED + peer, value: { before, by } };
}
