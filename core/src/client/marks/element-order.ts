/** Order of all elements of a text, deleted ones too: one walk over the text, for questions about many of them. */
import type { ElementNumber } from '../../crdt/elements.js';
import type { PositionOf } from '../../crdt/mark-runs.js';
import type { Run } from '../../crdt/runs.js';
import type { Sequence } from '../../crdt/sequence/sequence.js';

interface Placed extends Run {
  readonly at: number;
}

export class ElementOrder {
  readonly #byChain = new Map<number, Placed[]>();
  #length = 0;

  constructor(sequence: Sequence) {
    sequence.forEachSpan((chain, counter, count) => {
      const placed = { chain, counter, count, at: this.#length };
      const known = this.#byChain.get(chain);
      if (known) known.push(placed);
      else this.#byChain.set(chain, [placed]);
      this.#length += count;
    });
    for (const known of this.#byChain.values()) known.sort((a, b) => a.counter - b.counter);
  }

  of({ chain, counter }: ElementNumber): number {
    const [piece] = this.piecesOf({ chain, counter, count: 1 });
    if (!piece) throw new Error('an element that the text does not have');
    return piece.at;
  }

  /** Elements of a run as they follow each other, each piece with the place of its first. */
  piecesOf({ chain, counter, count }: Run): Placed[] {
    const known = this.#byChain.get(chain) ?? [];
    let low = 0;
    for (let high = known.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (known[middle]!.counter + known[middle]!.count <= counter) low = middle + 1;
      else high = middle;
    }
    const pieces: Placed[] = [];
    for (; low < known.length && known[low]!.counter < counter + count; low++) {
      const held = known[low]!;
      const from = Math.max(counter, held.counter);
      const to = Math.min(counter + count, held.counter + held.count);
      pieces.push({ chain, counter: from, count: to - from, at: held.at + from - held.counter });
    }
    return pieces;
  }

  readonly position: PositionOf = ({ element, isBehind }, isStart) =>
    element ? this.of(element) + (isBehind ? 1 : 0) : isStart ? 0 : this.#length;
}
