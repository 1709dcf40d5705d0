import type { Anchor, ElementRef, Op } from '../codec/op.js';
import type { Sequence } from '../crdt/sequence/sequence.js';
import { LEFT, ROOT_CHAIN } from '../crdt/sequence/span-layout.js';

/** What an editor needs of its replica: where the next node will stand, how to name elements, how to write. */
export interface Authorship {
  readonly key: string;
  next(): { readonly chain: number; readonly counter: number };
  refTo(chain: number, counter: number): ElementRef;
  write(ops: readonly Op[]): void;
}

/** What a local insert, just made in the sequence, must name. */
export function anchorOf({ originChain, originCounter, originSide }: Sequence, author: Authorship): Anchor {
  const ref = originChain === ROOT_CHAIN ? null : author.refTo(originChain, originCounter);
  return { ref, side: originSide === LEFT ? 'left' : 'right' };
}

/** Positions outside are mistakes of the caller; nothing is changed. */
export function checkRange(position: number, count: number, length: number): void {
  if (
    Number.isInteger(position) &&
    Number.isInteger(count) &&
    position >= 0 &&
    count >= 0 &&
    position + count <= length
  )
    return;
  throw new RangeError(`${position} to ${position + count} is not within 0 to ${length}`);
}
