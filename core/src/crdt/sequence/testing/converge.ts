/** Replicas that edit one sequence and hear of each other, in any causal order, checked against the naive tree. */
import { Sequence } from '../sequence.js';
import { columnsOf, documentOf, mustHaveSameAnswers, mustHaveSameDocument } from './compare.js';
import { Random } from './random.js';
import { Site, Stamps } from './site.js';

export interface Plan {
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
  const [first] = sites;
  for (const { sequence } of sites) {
    if (documentOf(sequence) !== documentOf(first!.sequence)) throw new Error('two documents at the end');
    if (columnsOf(sequence) !== columnsOf(first!.sequence)) throw new Error('two forms of one document at the end');
  }
  mustHaveSameAnswers(random.pick(sites).sequence, first!.tree, `seed ${seed}`);
  return made + applied;
}

/** Answers how many edits were made and applied. Fails with the seed of whatever does not converge. */
export function converge(firstSeed: number, seeds: number, plan: Plan): number {
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
