// How time and memory grow with what there is: one kind of work at sizes ten times each other, and the exponent of each.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { runEntrants } from '../measuring/entrant.js';
import { drawGrowth } from '../results/growth-picture.js';
import { collectGarbage } from '../measuring/harness.js';
import type { Row } from '../results/row.js';
import type { Figures } from '../measuring/statistics.js';
import { openStudio, writeRecord } from '../studio/studio.js';
import { startVendor, studioOfAgents } from '../studio/studio-of-agents.js';
import { WEFT_VERSION } from '../weft/engine.js';
import { type Grown, deliver, enterRoom, spent, openRooms, writeNodes } from '../weft/growing.js';

interface Series {
  readonly name: string;
  /** Smallest and greatest size; `--edits` lowers the latter, and raises that of a series which is chosen alone. */
  readonly sizes: readonly [least: number, most: number];
  readonly grow: (size: number) => Promise<Grown>;
}

const all: readonly Series[] = [
  { name: 'nodes', sizes: [1000, 1_000_000], grow: writeNodes },
  { name: 'rooms', sizes: [1, 10_000], grow: openRooms },
  { name: 'peers', sizes: [1, 1000], grow: deliver },
  { name: 'entering', sizes: [1, 1000], grow: enterRoom },
  { name: 'events', sizes: [100, 100_000], grow: startOn },
  { name: 'agents', sizes: [1, 100], grow: putToWork },
];

const columns: readonly Column[] = [
  { figure: 'size', title: 'how many', digits: 0 },
  { figure: 'ms', title: 'CPU ms', digits: 2 },
  { figure: 'mb', title: 'MB held', digits: 2 },
  { figure: 'time_exponent', title: 'exponent of time', digits: 2 },
  { figure: 'memory_exponent', title: 'of memory', digits: 2 },
];

export const growthBench: Bench = {
  name: 'growth',
  summary: 'what nodes, rooms, peers, and events and agents of a studio cost at sizes ten times each other',
  columns,
  picture: { file: 'growth.svg', draw: drawGrowth },
  run: runGrowth,
};

async function runGrowth(options: BenchOptions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const series of all) {
    if (options.traces.length > 0 && !options.traces.includes(series.name)) continue;
    rows.push(...(await runSeries(series, options)));
  }
  if (rows.length > 0) return rows;
  throw new Error(
    `No scenario is called ${options.traces.join(', ')}: choose among ${all.map(({ name }) => name).join(', ')}.`,
  );
}

async function runSeries({ name, sizes, grow }: Series, options: BenchOptions): Promise<readonly Row[]> {
  const wanted = options.edits ?? sizes[1];
  const most = options.traces.length === 1 ? wanted : Math.min(wanted, sizes[1]);
  const about = { lib: 'weft', version: WEFT_VERSION, notes: [] };
  const entrants = [];
  for (const size of sizesUpTo(sizes[0], most)) {
    const run = async (): Promise<Figures> => ({ size, ...(await grown(grow, size)) });
    entrants.push({ ...about, form: String(size), contender: { name: `${name}, ${size}`, run } });
  }
  const rows = await runEntrants('growth', name, entrants, options);
  const last = rows.at(-1);
  return last ? [...rows.slice(0, -1), { ...last, figures: { ...last.figures, ...exponents(rows) } }] : rows;
}

function sizesUpTo(least: number, most: number): number[] {
  const sizes: number[] = [];
  for (let size = least; size < most; size *= 10) sizes.push(size);
  return [...sizes, most];
}

/** Time and memory of what is still held; the work of a tenth of it comes before, so that it is compiled. */
async function grown(grow: Series['grow'], size: number): Promise<Figures> {
  await (await grow(Math.max(1, Math.min(1000, Math.round(size / 10))))).end();
  const before = heldBytes();
  const { ms, end } = await grow(size);
  const mb = Math.max(0, heldBytes() - before) / 1e6;
  await end();
  return { ms, mb };
}

function heldBytes(): number {
  for (let i = 0; i < 2; i++) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Exponents of a series by its three greatest sizes: below them stands what every run costs once. */
export function exponents(rows: readonly Pick<Row, 'figures'>[]): Figures {
  const counted = rows.slice(-3).map(({ figures }) => figures);
  const of = (figure: string): number | undefined =>
    slope(
      counted.flatMap((one) => (one[figure]! > 0 ? [[Math.log(one['size']!), Math.log(one[figure]!)] as const] : [])),
    );
  const [time, memory] = [of('ms'), of('mb')];
  return {
    ...(time !== undefined && { time_exponent: time }),
    ...(memory !== undefined && { memory_exponent: memory }),
  };
}

/** Slope of the line that lies closest to the points; undefined for fewer than two. */
function slope(points: readonly (readonly [number, number])[]): number | undefined {
  if (points.length < 2) return undefined;
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const both = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return both / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

/** Starts a studio on so many events. */
async function startOn(events: number): Promise<Grown> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  await writeRecord(folder, events, Math.max(1, Math.round(events / 100)));
  collectGarbage();
  const { ms, result } = await spent(() => openStudio(folder));
  const { host, studio } = result;
  const end = async (): Promise<void> => {
    await studio.close();
    await host.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { ms, end };
}

/** Puts so many agents of a studio to work, until each waits for its model: that says nothing. */
async function putToWork(agents: number): Promise<Grown> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  const vendor = await startVendor(() => undefined);
  const studio = await studioOfAgents(folder, vendor, agents);
  collectGarbage();
  const { ms } = await spent(async () => {
    for (let i = 0; i < agents; i++) await studio.begin(`goal ${i}`);
    while (vendor.open() < agents) await delay(5);
  });
  const end = async (): Promise<void> => {
    await studio.close();
    vendor.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { ms, end };
}
