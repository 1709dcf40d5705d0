/**
 * Conflicts as data: what somebody wrote without having seen what won over it. [CF1]
 *
 * Only writes that did not know each other count; overwriting what one has seen is no conflict. The newest are kept.
 */
import type { NodeId } from '../graph/node.js';

export interface Conflict {
  readonly kind: 'overwrite' | 'move';
  /** The key of the register, or of the list. */
  readonly key: string;
  readonly winner: NodeId;
  readonly loser: NodeId;
}

const KEPT = 1024;

export class Conflicts {
  readonly #kept: Conflict[] = [];

  get all(): readonly Conflict[] {
    return this.#kept;
  }

  add(conflict: Conflict): void {
    this.#kept.push(conflict);
    if (this.#kept.length > KEPT) this.#kept.shift();
  }
}
