/** Spot directly before an element, among hidden ones too: what is inserted there stands where that element stood. */
import { LEFT, RIGHT, ROOT_CHAIN, type Side } from '../../crdt/sequence/span-layout.js';
import type { Sequence } from '../../crdt/sequence/sequence.js';
import { type Element, isSame } from '../../crdt/runs.js';

/** Element under which something is inserted, and the side. */
export type Spot = readonly [parent: Element, side: Side];

/**
 * What to insert under, so that it comes between two neighbours and no sibling contests that: the order of siblings
 * cannot be asked for before the node is written. Of two neighbours one has no child on the side of the other: the
 * second has a left one only if the first is below it, and the first a right one only if the second is the leftmost of
 * what is below that.
 */
export function spotBetween(
  sequence: Sequence,
  behind: Element | undefined,
  before: Element,
  tops = new Map<string, Element>(),
): Spot {
  if (!behind) return [before, LEFT];
  return isSame(topOf(sequence, before, tops), behind) ? [before, LEFT] : [behind, RIGHT];
}

/** Spot directly before an element. One walk over the sequence. */
export function spotBefore(sequence: Sequence, before: Element): Spot {
  let behind: Element | undefined;
  let last: Element | undefined;
  sequence.forEachSpan((chain, counter, count) => {
    const isHere = chain === before.chain && before.counter >= counter && before.counter < counter + count;
    if (isHere) behind = before.counter === counter ? last : { chain, counter: before.counter - 1 };
    last = { chain, counter: counter + count - 1 };
  });
  return spotBetween(sequence, behind, before);
}

/** The element on whose right side an element hangs, over left children only. A way that was climbed is remembered. */
function topOf(sequence: Sequence, element: Element, tops: Map<string, Element>): Element {
  const climbed: string[] = [];
  let top: Element | undefined;
  for (let { chain, counter } = element; !top;) {
    const name = `${chain}:${counter}`;
    climbed.push(name);
    top = tops.get(name);
    if (top) break;
    sequence.forEachRun(chain, counter, counter + 1, (_counter, _count, parent, parentCounter, side) => {
      if (side === RIGHT) top = { chain: parent, counter: parentCounter };
      else [chain, counter] = [parent, parentCounter];
    });
    if (chain === ROOT_CHAIN) throw new Error('the start of a text has no left side');
  }
  for (const name of climbed) tops.set(name, top);
  return top;
}
