/** Many replicas, any causal order of delivery, every answer checked against the naive tree. */
import { describe, expect, it } from 'vitest';
import { Sequence } from './sequence.js';
import { LEFT, RIGHT } from './span-layout.js';
import { columnsOf, documentOf, mustHaveSameAnswers, mustHaveSameDocument } from './testing/compare.js';
import { NaiveTree } from './testing/naive-tree.js';
import { Random } from './testing/random.js';
import { Site, Stamps } from './testing/site.js';

interface Plan {
  readonly authors: number;
  readonly edits: number;
  /** Out of 100 steps, how many are edits; the rest are deliveries. */
  readonly editing: number;
}

function run(seed: number, { authors, edits, editing }: Plan): number {
  const random = new Random(seed);
  const stamps = new Stamps();
  const sites = Array.from({ length: authors }, (_, author) => new Site(author, authors, stamps));
  const isCurrent = (site: Site): boolean =>
    site.arrived.every((count, author) => count === sites[author]?.edits.length);
  let made = 0;
  let applied = 0;
  while (made < edits || !sites.every(isCurrent)) {
    const site = random.pick(sites);
    if (made < edits && random.chance(editing)) {
      site.edit(random);
      made++;
    } else {
      const author = random.below(authors);
      if (site.receive(author, sites[author]?.edits[site.arrived[author] ?? 0])) applied++;
    }
    if (random.chance(1)) mustHaveSameDocument(site.sequence, site.tree, `seed ${seed}`);
    // A replica that is put away and loaded again must go on as if nothing had happened.
    if (random.below(400) === 0) site.sequence = Sequence.load(stamps.order, site.sequence.save());
  }
  const first = documentOf(sites[0]!.sequence);
  for (const site of sites) {
    expect(documentOf(site.sequence), `seed ${seed}`).toBe(first);
    expect(columnsOf(site.sequence), `seed ${seed}`).toBe(columnsOf(sites[0]!.sequence));
  }
  mustHaveSameAnswers(random.pick(sites).sequence, sites[0]!.tree, `seed ${seed}`);
  return made + applied;
}

function runAll(firstSeed: number, seeds: number, plan: Plan): number {
  let operations = 0;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    try {
      operations += run(seed, plan);
    } catch (cause) {
      throw new Error(`seed ${seed} of ${JSON.stringify(plan)}`, { cause });
    }
  }
  return operations;
}

describe('replicas converge to the naive tree', () => {
  it('with three authors who hear of each other soon', () => {
    expect(runAll(1, 250, { authors: 3, edits: 100, editing: 20 })).toBeGreaterThan(60_000);
  });

  it('with authors who work apart for long', () => {
    expect(runAll(10_000, 120, { authors: 4, edits: 160, editing: 60 })).toBeGreaterThan(60_000);
  });

  it('with many authors', () => {
    expect(runAll(20_000, 30, { authors: 9, edits: 300, editing: 40 })).toBeGreaterThan(60_000);
  });

  it('with documents of many leaves and groups', () => {
    expect(runAll(30_000, 2, { authors: 3, edits: 6_000, editing: 50 })).toBeGreaterThan(30_000);
  });
});

describe('siblings near the start of a long run whose later parts are cut up', () => {
  // Here the spans around the contested place are far deeper than it, so nothing but exact bookkeeping leads back to it.
  it.each([
    ['after a delete in the middle', [[12, 3]]],
    ['after a delete up to the cuts', [[12, 990]]],
    ['after backspacing towards them', Array.from({ length: 900 }, (_, i) => [911 - i, 1])],
    ['after deleting forwards', Array.from({ length: 900 }, (_, i) => [12 + i, 1])],
  ] as [string, [counter: number, count: number][]][])('%s', (_, deletes) => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = new Random(seed);
      const stamps = new Stamps();
      const sequence = new Sequence(stamps.order);
      const tree = new NaiveTree(stamps.order);
      const insert = (...change: Parameters<Sequence['insert']>): void => {
        stamps.give(change[0], change[1], change[2], random.below(1000));
        sequence.insert(...change);
        tree.insert(...change);
      };
      insert(0, 0, 1200, -1, 0, RIGHT);
      for (let counter = 1199; counter > 1000; counter--) insert(1, counter, 1, 0, counter, LEFT);
      for (const [counter, count] of deletes)
        expect(sequence.delete(0, counter, count)).toBe(tree.delete(0, counter, count));
      for (let counter = 0; counter < 20; counter++) insert(2, counter * 2, 1, 0, 11, RIGHT);
      for (let counter = 0; counter < 20; counter++) insert(3, counter * 2, 1, 0, 13, RIGHT);
      mustHaveSameDocument(sequence, tree, `seed ${seed}`);
    }
  });
});
