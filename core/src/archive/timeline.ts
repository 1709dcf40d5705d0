/**
 * Timeline of a room's write policy, told by what the policies say: the same after they were written anew elsewhere.
 * [AR5]
 */
import { concatBytes, fromHex, toHex, toUtf8 } from '../codec/bytes/bytes.js';
import { canonicalJson } from '../codec/bytes/canonical-json.js';
import { sha256 } from '../codec/bytes/hash.js';
import type { PolicyFact } from '../room/state/laws.js';

const TAG = toUtf8('weft-policy-timeline-v1\0');
/** Lamport of a genesis: until the first policy, everybody may write everywhere. */
const FIRST = 1;

/** A policy by the SHA-256 of its canonical JSON. */
export interface Change {
  readonly lamport: number;
  readonly policy: string;
}

export interface Timeline {
  readonly policy_timeline: readonly Change[];
  readonly policy_timeline_hash: string;
  readonly policy_timeline_cutover_lamport: number;
  readonly policy_timeline_transition_cutovers: readonly number[];
}

export function changesOf(facts: readonly PolicyFact[]): Change[] {
  return facts.map(({ lamport, policy: { default: by, rules } }) => {
    const listed = rules.map(({ path_glob, can_write }) => ({ path_glob, can_write }));
    return { lamport, policy: toHex(sha256(toUtf8(canonicalJson({ default: by, rules: listed })))) };
  });
}

export function timelineOf(changes: readonly Change[]): Timeline {
  const cutovers = [...new Set([FIRST, ...changes.map(({ lamport }) => lamport)])];
  return {
    policy_timeline: changes,
    policy_timeline_hash: toHex(sha256(concatBytes([TAG, ...changes.map(({ policy }) => fromHex(policy))]))),
    policy_timeline_cutover_lamport: cutovers.at(-1)!,
    policy_timeline_transition_cutovers: cutovers,
  };
}

export function isPrefix(short: readonly Change[], long: readonly Change[]): boolean {
  return short.length <= long.length && short.every(({ policy }, at) => policy === long[at]!.policy);
}
