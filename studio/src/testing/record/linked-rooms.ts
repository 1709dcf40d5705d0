/** Rooms of two hosts, each with its own copy, where what one writes comes to the other when a test says so. */
import type { Commit, NodeId, Room } from '@weft/core';

/** What a host has written and the other has not heard of. */
class Link {
  readonly #to: Room;
  readonly #from: ReadonlySet<NodeId>;
  readonly #waiting: Promise<Parameters<Room['adopt']>[0]>[] = [];
  readonly stop: () => void;
  #sent = 0;
  /** What comes from the other is not sent back. */
  isTaking = false;
  back: Link | undefined;

  constructor(from: Room, to: Room) {
    this.#to = to;
    this.#from = new Set([from.genesis.id]);
    const { packed } = from;
    this.stop = from.onCommit((commit: Commit) => {
      if (this.isTaking) return;
      // What begins the room goes with what was written in it first.
      const first = this.#sent === 0 ? 0 : commit.from;
      this.#sent++;
      this.#waiting.push(packed.copyOf(first, commit.to, packed.closing(first)));
    });
  }

  async deliver(): Promise<boolean> {
    const nodes = await this.#waiting.shift();
    if (!nodes) return false;
    this.back!.isTaking = true;
    const refused = await this.#to.adopt(nodes, this.#from, () => ({ before: [], behind: [] }));
    this.back!.isTaking = false;
    if (refused.length > 0) throw new Error(`${refused.length} nodes were refused`);
    return true;
  }
}

export function linked(a: Room, b: Room): readonly [Link, Link] {
  const links = [new Link(a, b), new Link(b, a)] as const;
  links[0].back = links[1];
  links[1].back = links[0];
  return links;
}

/** Until nothing is on its way. */
export async function deliverAll(links: readonly Link[]): Promise<void> {
  for (let more = true; more;) {
    more = false;
    for (const link of links) while (await link.deliver()) more = true;
  }
}
