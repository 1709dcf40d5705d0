// Scenario `map`: many authors set the keys of one map without having seen each other; a fresh replica merges what each
// of them wrote, in random order.
import type { BenchOptions } from '../bench.js';
import type { Entrant } from '../measuring/entrant.js';
import { mustHold, perSecond, timed } from '../measuring/harness.js';
import type { MapEngine, MapEngineEntry, MapReplica, MapSet } from './map-engine.js';
import { type Random, seeded, shuffled, wholeBelow } from '../measuring/random.js';
import { loadYjsMap } from '../rivals/yjs-map.js';
import type { Figures } from '../measuring/statistics.js';
import { weftMaps } from '../weft/map.js';

const SETS = 100_000;
const AUTHORS = 100;
/** Average number of writes to a key. */
const SETS_PER_KEY = 10;

const entries: readonly MapEngineEntry[] = [...weftMaps, { name: 'yjs', installed: true, load: loadYjsMap }];

export async function mapEntrants({ rivals, libs, edits }: BenchOptions): Promise<readonly Entrant[]> {
  const wanted = entries.filter(
    ({ name, installed }) => (rivals || !installed) && (!libs.length || libs.includes(name)),
  );
  const plan = planSets(Math.min(edits ?? SETS, SETS), seeded(20));
  const engines = await Promise.all(wanted.map((entry) => entry.load()));
  return engines.map((engine) => {
    const { name: lib, version, doesNot: notes } = engine;
    const contender = { name: `${lib} merges maps`, run: () => setAndMerge(engine, plan) };
    return { lib, version, form: '', notes, contender };
  });
}

/** Plan of what each author sets, in order. Every value is another, so that it tells who set it and when. */
export function planSets(sets: number, random: Random): readonly (readonly MapSet[])[] {
  const keys = Math.max(1, Math.floor(sets / SETS_PER_KEY));
  const authors: MapSet[][] = Array.from({ length: Math.min(AUTHORS, sets) }, () => []);
  for (let value = 0; value < sets; value += 1) {
    authors[value % authors.length]?.push({ key: `key-${wholeBelow(random, keys)}`, value });
  }
  return authors;
}

async function setAndMerge(engine: MapEngine, plan: readonly (readonly MapSet[])[]): Promise<Figures> {
  const count = plan.reduce((sum, sets) => sum + sets.length, 0);
  const authors = await Promise.all(plan.map((_sets, agent) => engine.create(agent)));
  const { ms: setMs, result: packs } = await timed(() => setAll(authors, plan));
  const [first, second] = [await engine.create(plan.length), await engine.create(plan.length + 1)];
  const order = shuffled(packs, seeded(21));
  const { ms } = await timed(() => first.receiveEach(order));
  await second.receiveEach(shuffled(packs, seeded(22)));

  mustHold(mayResult(first.entries(), plan), 'a merged key has a value that nobody wrote to it last');
  mustHold(sameEntries(first.entries(), second.entries()), 'two orders of the same packs end with different maps');
  return {
    local_ops_s: perSecond(count, setMs),
    remote_ops_s: perSecond(count, ms),
    remote_ms: ms,
    pack_bytes: packs.reduce((sum, pack) => sum + pack.length, 0),
  };
}

/** Writes of all authors, timed with the packing: what they wrote is not theirs to send before it is packed. */
async function setAll(authors: readonly MapReplica[], plan: readonly (readonly MapSet[])[]): Promise<Uint8Array[]> {
  const packs: Uint8Array[] = [];
  for (const [agent, author] of authors.entries()) {
    await author.setEach(plan[agent] ?? []);
    packs.push(await author.pack());
  }
  return packs;
}

/** Whether every key that was set is there, with what one of its authors wrote to it last. */
export function mayResult(found: ReadonlyMap<string, unknown>, plan: readonly (readonly MapSet[])[]): boolean {
  const lasts = new Map<string, Set<unknown>>();
  for (const sets of plan) {
    for (const [key, value] of new Map(sets.map((set) => [set.key, set.value]))) {
      lasts.set(key, (lasts.get(key) ?? new Set()).add(value));
    }
  }
  return found.size === lasts.size && [...lasts].every(([key, values]) => values.has(found.get(key)));
}

export function sameEntries(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.has(key) && other.get(key) === value);
}
