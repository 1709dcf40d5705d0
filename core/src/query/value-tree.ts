/**
 * Trees over all that a room shows, to prove values by: one of the room as it is, which goes on from what it was when somebody asks, and
 * those of moments before, for as long as the room's past has them at hand. [VR3]
 */
import { Mutex } from '../concurrency/mutex.js';
import { Pauses } from '../concurrency/pauses.js';
import { EntryTree } from '../crdt/value-tree/entry-tree.js';
import type { DocumentView } from '../room/reading/document-view.js';
import type { PastView } from '../room/reading/past.js';
import type { Room } from '../room/room.js';
import type { Builder } from './builder.js';
import { lookAt, lookAtRest, lookUpTo } from './fold.js';
import type { Moment } from './selector.js';

/** Inner nodes that are hashed in one piece. */
const HASHED = 512;

/** All that a room shows at one moment; to be used before anything else may happen. */
export interface ShownRoom {
  readonly tree: EntryTree;
  readonly view: DocumentView;
  readonly seq: number | undefined;
}

class FoldedTree {
  readonly tree = new EntryTree();

  look(key: string, view: DocumentView): number {
    return view.updateEntries(this.tree, key);
  }

  async prepare(view: DocumentView): Promise<void> {
    const pauses = new Pauses();
    await view.prepareHash();
    while (this.tree.advance(HASHED)) if (pauses.due(HASHED)) await pauses.take();
  }
}

export class ValueTrees {
  readonly #room: Room;
  readonly #builder: Builder;
  readonly #mutex = new Mutex();
  readonly #present = new FoldedTree();
  #seq = 0;
  readonly #past = new WeakMap<PastView, FoldedTree>();

  constructor(room: Room, builder: Builder) {
    this.#room = room;
    this.#builder = builder;
  }

  /** `use` runs in one piece with what it is given. */
  at<T>(moment: Moment, use: (shown: ShownRoom) => T): Promise<T> {
    return this.#isPresent(moment) ? this.#now(use) : this.#before(moment, use);
  }

  #isPresent(moment: Moment): boolean {
    return moment.kind === 'latest' || (moment.kind === 'seq' && moment.seq === this.#room.seq);
  }

  #now<T>(use: (shown: ShownRoom) => T): Promise<T> {
    const { past } = this.#room;
    const { present } = past;
    return this.#mutex.run(async () => {
      await this.#present.prepare(present);
      this.#seq = await lookUpTo(this.#room, this.#present, this.#seq, () => this.#present.prepare(present));
      // What was written since is little; it is looked at, hashed and told in one piece.
      this.#seq = lookAtRest(this.#room, this.#present, this.#seq);
      return use({ tree: this.#present.tree, view: present, seq: this.#seq });
    });
  }

  #before<T>(moment: Moment, use: (shown: ShownRoom) => T): Promise<T> {
    return this.#builder.readAt(moment, async (view) => {
      const folded = this.#past.get(view) ?? new FoldedTree();
      if (!this.#past.has(view)) {
        await lookAt(this.#room, folded, view, 0, view.seq ?? this.#room.seq);
        await folded.prepare(view);
        this.#past.set(view, folded);
      }
      return use({ tree: folded.tree, view, seq: view.seq });
    });
  }
}
