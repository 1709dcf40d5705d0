/** Facts about history that was given up: see `Dropping`. A page loads this. [PN1] [VE1] */
import { type Sifted, listOf, number, objectOf, oneOf, sift, text } from '../../codec/sieve.js';
import type { RegisterView, Registers } from '../../crdt/registers.js';

export const PRUNED_KEY = '\0pruned';
export const ERASED = '\0erased/';
export const BLANKED = '\0blanked/';

/** Whether a key is one of a fact about that. */
export function isOfGivenUp(key: string): boolean {
  return key === PRUNED_KEY || key.startsWith(ERASED) || key.startsWith(BLANKED);
}

const stage = oneOf('begun', 'done');

const pruned = objectOf({
  /** Log position before which what was overwritten is given up. */
  seq: number,
  /** State hash there. */
  hash: text,
  nodes: number,
  by: text,
  /** Unix milliseconds. */
  at: number,
  state: stage,
});
export type Pruned = Sifted<typeof pruned>;

/** Ids of nodes that were erased. */
const erased = objectOf({ nodes: listOf(text), by: text, at: number, state: stage });
export type Erased = Sifted<typeof erased>;

/** Ids of nodes of which what they said under a key was erased: they keep their places, and what else they say. */
const blanked = objectOf({ key: text, nodes: listOf(text), by: text, at: number, state: stage });
export type Blanked = Sifted<typeof blanked>;

export function prunedIn(registers: RegisterView): Pruned | undefined {
  return sift(pruned, registers.get(PRUNED_KEY));
}

/** What was erased, each by the key of its fact. */
export function erasedIn(registers: Pick<Registers, 'get' | 'live'>): (readonly [key: string, fact: Erased])[] {
  return [...registers.live(ERASED)].flatMap(([key]) => {
    const fact = sift(erased, registers.get(key));
    return fact ? [[key, fact] as const] : [];
  });
}

/** What was erased of nodes that keep their places. */
export function blankedIn(registers: Pick<Registers, 'get' | 'live'>): (readonly [key: string, fact: Blanked])[] {
  return [...registers.live(BLANKED)].flatMap(([key]) => {
    const fact = sift(blanked, registers.get(key));
    return fact ? [[key, fact] as const] : [];
  });
}
