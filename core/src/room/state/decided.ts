/** What a room's tick does not decide: everything before its mark, and above it what another room's tick had decided. [TI4] */
import { listOf, number, sift } from '../../codec/sieve.js';
import type { RegisterView } from '../../crdt/registers.js';
import { Facts, tickMark } from './facts.js';
import type { Write } from './write.js';

export const DECIDED_KEY = '\0tick/decided';

/** Log positions. */
export type Stretch = readonly [from: number, to: number];

const stretches = listOf(listOf(number));

/** Those above the mark, in the order in which they came. */
function decidedAbove(registers: RegisterView): Stretch[] {
  const found = sift(stretches, registers.get(DECIDED_KEY)) ?? [];
  return found.map(([from = 0, to = 0]) => [from, to] as const);
}

export function decidedIn(registers: RegisterView): Stretch[] {
  return [[0, new Facts(registers).tickMark], ...decidedAbove(registers)];
}

/** Adds to what is decided; nothing where there is nothing to add. */
export function decidedFact(registers: RegisterView, more: readonly Stretch[]): Write[] {
  return more.length > 0 ? [{ key: DECIDED_KEY, value: [...decidedAbove(registers), ...more] }] : [];
}

/** Everything before is decided: what is said of stretches there goes. */
export function markedAt(mark: number, registers: RegisterView): Write[] {
  const above = decidedAbove(registers);
  if (above.length === 0) return [tickMark(mark)];
  const left = above.filter(([, to]) => to > mark);
  return [tickMark(mark), { key: DECIDED_KEY, value: left.length > 0 ? left : undefined }];
}

/** Stretches of another log, as they stand in one that has taken all nodes of that one in their order, from a position on. */
export function movedTo(from: number, decided: readonly Stretch[], placeOf: (position: number) => number): Stretch[] {
  return decided.flatMap(([begin, end]) => {
    // Whatever was there before keeps its place, and what becomes of it.
    while (begin < end && placeOf(begin) < from) begin++;
    while (end > begin && placeOf(end - 1) < from) end--;
    return begin < end ? [[placeOf(begin), placeOf(end - 1) + 1] as const] : [];
  });
}
