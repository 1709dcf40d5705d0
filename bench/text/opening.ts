// Rooms that lie on a disk: how long until somebody is in, and what they take there.
import type { Bench, BenchOptions, Column } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import type { Row } from '../results/row.js';
import { WEFT_VERSION } from '../weft/engine.js';
import { RoomOnDisk } from '../weft/opening.js';

type Edit = Parameters<typeof RoomOnDisk.make>[1];

const NODES = 260_000;

/** Edit of a text: a character at one of many places. */
export const editText: Edit = (replica, number) => {
  const text = replica.text('text');
  const place = number % 500 === 0 ? (number * 7919) % (text.length + 1) : Math.min(text.length, 1 + (number % 500));
  if (number % 10 === 9) text.delete(place === text.length ? place - 1 : place, 1);
  else text.insert(place, 'x');
};

/** Rooms by the edit that makes each of their nodes. */
const ROOMS: Readonly<Record<string, Edit>> = {
  text: editText,
  keys: (replica, number) => replica.set(`key/${number}`, number),
};

const columns: readonly Column[] = [
  { figure: 'welcome_ms', title: 'from an image: welcome ms', digits: 0 },
  { figure: 'joined_ms', title: 'everything ms', digits: 0 },
  { figure: 'again_ms', title: 'the next peer ms', digits: 0 },
  { figure: 'log_welcome_ms', title: 'from the log: welcome ms', digits: 0 },
  { figure: 'compact_ms', title: 'compacted ms', digits: 0 },
  { figure: 'sent_kb', title: 'sent KB', digits: 0 },
  { figure: 'log_mb', title: 'log MB', digits: 2 },
  { figure: 'image_mb', title: 'image MB', digits: 1 },
];

export const openingBench: Bench = {
  name: 'opening',
  summary: 'a peer enters a room of 260,000 nodes that lies on a disk',
  columns,
  run: runOpening,
};

async function runOpening(options: BenchOptions): Promise<readonly Row[]> {
  const nodes = Math.min(options.edits ?? NODES, NODES);
  const rows: Row[] = [];
  for (const [name, edit] of Object.entries(ROOMS)) {
    if (options.traces.length > 0 && !options.traces.includes(name)) continue;
    const room = await RoomOnDisk.make(nodes, edit);
    const contender = { name: `weft, a room of ${nodes} nodes: ${name}`, run: () => room.measure() };
    const entrant: Entrant = { lib: 'weft', version: WEFT_VERSION, form: 'level', notes: [], contender };
    rows.push(...(await runEntrants('opening', name, [entrant], options).finally(() => room.remove())));
  }
  return rows;
}
