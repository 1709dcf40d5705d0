/**
 * The order of the leaves and what is known of each without opening it: visible elements, lowest GAP, lowest DEPTH.
 *
 * Leaves are kept in groups of up to 64, groups in one ordered list, so a position is found by skipping groups,
 * then leaves. The number of groups is about spans / 2,000: at a million spans a lookup reads some hundred
 * integers in a row, which beats a deeper tree's cache misses and keeps every update O(1).
 *
 * Invariants: a group's sums and minima are those of its leaves; minima may only err on the low side, since they
 * are used to skip.
 */
export const GROUP = 64;
const NONE_BELOW = 0x7fffffff;

export class LeafDirectory {
  /** Visible elements of all leaves. */
  total = 0;
  leafCount = 1;
  first = 0;
  count = new Int32Array(1);
  visible = new Int32Array(1);
  minGap = new Int32Array(1).fill(NONE_BELOW);
  minDepth = new Int32Array(1).fill(NONE_BELOW);
  next = new Int32Array(1).fill(-1);
  previous = new Int32Array(1).fill(-1);
  group = new Int32Array(1);

  groupCount = 1;
  members = new Int32Array(GROUP);
  memberCount = new Int32Array(1).fill(1);
  groupVisible = new Int32Array(1);
  groupMinGap = new Int32Array(1).fill(NONE_BELOW);
  groupMinDepth = new Int32Array(1).fill(NONE_BELOW);
  /** Groups in document order, and each one's rank in that order. */
  order = new Int32Array(1);
  rank = new Int32Array(1);

  /** Answers of `seek`. */
  foundLeaf = 0;
  foundBefore = 0;

  addVisible(leaf: number, change: number): void {
    this.visible[leaf]! += change;
    this.groupVisible[this.group[leaf]!]! += change;
    this.total += change;
  }

  /** Notes the fields of a span that was put into the leaf. */
  lower(leaf: number, gap: number, depth: number): void {
    const group = this.group[leaf]!;
    if (gap < this.minGap[leaf]!) {
      this.minGap[leaf] = gap;
      if (gap < this.groupMinGap[group]!) this.groupMinGap[group] = gap;
    }
    if (depth < this.minDepth[leaf]!) {
      this.minDepth[leaf] = depth;
      if (depth < this.groupMinDepth[group]!) this.groupMinDepth[group] = depth;
    }
  }

  /** A leaf's lowest gap went up. */
  raiseGap(leaf: number, gap: number): void {
    const group = this.group[leaf]!;
    const was = this.minGap[leaf]!;
    this.minGap[leaf] = gap;
    if (was === this.groupMinGap[group]) this.#refreshGroup(group);
  }

  /** Finds the leaf of a visible position; the caller has checked that it is one. */
  seek(position: number): void {
    let before = 0;
    let rank = 0;
    let group = this.order[0]!;
    for (let sum = this.groupVisible[group]!; position >= before + sum; sum = this.groupVisible[group]!) {
      before += sum;
      group = this.order[++rank]!;
    }
    let member = group * GROUP;
    let leaf = this.members[member]!;
    for (let sum = this.visible[leaf]!; position >= before + sum; sum = this.visible[leaf]!) {
      before += sum;
      leaf = this.members[++member]!;
    }
    this.foundLeaf = leaf;
    this.foundBefore = before;
  }

  visibleBefore(leaf: number): number {
    const group = this.group[leaf]!;
    let before = 0;
    for (let rank = this.rank[group]! - 1; rank >= 0; rank--) before += this.groupVisible[this.order[rank]!]!;
    for (let at = group * GROUP; this.members[at] !== leaf; at++) before += this.visible[this.members[at]!]!;
    return before;
  }

  /** The leaf's index among the members of its group. */
  memberIndex(leaf: number): number {
    const base = this.group[leaf]! * GROUP;
    let at = base;
    while (this.members[at] !== leaf) at++;
    return at - base;
  }

  /** A new empty leaf directly before or after another one, in the same group. */
  addBeside(leaf: number, after: boolean): number {
    const fresh = this.leafCount++;
    if (fresh === this.count.length) this.reserveLeaves(fresh * 2);
    if (this.memberCount[this.group[leaf]!] === GROUP) this.#splitGroup(this.group[leaf]!);
    const group = this.group[leaf]!;
    const at = group * GROUP + this.memberIndex(leaf) + (after ? 1 : 0);
    this.members.copyWithin(at + 1, at, group * GROUP + this.memberCount[group]!);
    this.members[at] = fresh;
    this.memberCount[group]!++;
    this.group[fresh] = group;
    const before = after ? leaf : this.previous[leaf]!;
    const behind = after ? this.next[leaf]! : leaf;
    this.previous[fresh] = before;
    this.next[fresh] = behind;
    if (before >= 0) this.next[before] = fresh;
    else this.first = fresh;
    if (behind >= 0) this.previous[behind] = fresh;
    return fresh;
  }

  /** Lays out `leaves` leaves in order, their columns already filled from 0 on: the bulk way in. */
  arrange(leaves: number): void {
    this.leafCount = leaves;
    // Three quarters full: the first edits after loading should not split every group they touch.
    const perGroup = (GROUP * 3) / 4;
    this.groupCount = Math.ceil(leaves / perGroup);
    this.#reserveGroups(this.groupCount);
    this.total = 0;
    for (let leaf = 0; leaf < leaves; leaf++) {
      const group = Math.floor(leaf / perGroup);
      this.previous[leaf] = leaf - 1;
      this.next[leaf] = leaf + 1 < leaves ? leaf + 1 : -1;
      this.group[leaf] = group;
      this.members[group * GROUP + (leaf % perGroup)] = leaf;
      this.memberCount[group] = (leaf % perGroup) + 1;
      this.total += this.visible[leaf]!;
    }
    for (let group = 0; group < this.groupCount; group++) {
      this.order[group] = group;
      this.rank[group] = group;
      this.#refreshGroup(group);
    }
  }

  reserveLeaves(capacity: number): void {
    this.count = resized(this.count, capacity);
    this.visible = resized(this.visible, capacity);
    this.minGap = resized(this.minGap, capacity);
    this.minDepth = resized(this.minDepth, capacity);
    this.next = resized(this.next, capacity);
    this.previous = resized(this.previous, capacity);
    this.group = resized(this.group, capacity);
  }

  #reserveGroups(capacity: number): void {
    this.members = resized(this.members, capacity * GROUP);
    this.memberCount = resized(this.memberCount, capacity);
    this.groupVisible = resized(this.groupVisible, capacity);
    this.groupMinGap = resized(this.groupMinGap, capacity);
    this.groupMinDepth = resized(this.groupMinDepth, capacity);
    this.order = resized(this.order, capacity);
    this.rank = resized(this.rank, capacity);
  }

  #splitGroup(group: number): void {
    const fresh = this.groupCount++;
    if (fresh === this.rank.length) this.#reserveGroups(fresh * 2);
    const half = GROUP / 2;
    this.members.copyWithin(fresh * GROUP, group * GROUP + half, (group + 1) * GROUP);
    this.memberCount[group] = half;
    this.memberCount[fresh] = GROUP - half;
    for (let at = fresh * GROUP; at < fresh * GROUP + GROUP - half; at++) this.group[this.members[at]!] = fresh;
    const rank = this.rank[group]! + 1;
    this.order.copyWithin(rank + 1, rank, fresh);
    this.order[rank] = fresh;
    for (let at = rank; at <= fresh; at++) this.rank[this.order[at]!] = at;
    this.#refreshGroup(group);
    this.#refreshGroup(fresh);
  }

  #refreshGroup(group: number): void {
    let visible = 0;
    let gap = NONE_BELOW;
    let depth = NONE_BELOW;
    for (let at = group * GROUP; at < group * GROUP + this.memberCount[group]!; at++) {
      const leaf = this.members[at]!;
      visible += this.visible[leaf]!;
      if (this.minGap[leaf]! < gap) gap = this.minGap[leaf]!;
      if (this.minDepth[leaf]! < depth) depth = this.minDepth[leaf]!;
    }
    this.groupVisible[group] = visible;
    this.groupMinGap[group] = gap;
    this.groupMinDepth[group] = depth;
  }
}

function resized(column: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(column.length > length ? column.subarray(0, length) : column);
  return larger;
}
