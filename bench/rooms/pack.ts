// The whole history of a recording as one pack, and what the others save of it.
import type { Bench, BenchOptions, Column } from '../bench.js';
import type { Goal } from '../results/goals.js';
import { chooseTextEngines } from '../text/engines.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import { mustHold, timed } from '../measuring/harness.js';
import { packEntrants } from './pack-history.js';
import type { Row } from '../results/row.js';
import type { Figures } from '../measuring/statistics.js';
import { typeDocument } from '../text/text-documents.js';
import { type Typing, readTyping } from '../text/text-edits.js';
import type { TextEngine } from '../text/text-engine.js';

const usualTraces = ['automerge-paper', 'rustcode.ascii', 'sveltecomponent', 'seph-blog1.ascii'];

const columns: readonly Column[] = [
  { figure: 'pack_bytes', title: 'bytes', digits: 0 },
  { figure: 'edit_bytes', title: 'per edit', digits: 2 },
  { figure: 'encode_ms', title: 'encode ms', digits: 1 },
  { figure: 'encode_objects_ms', title: 'from objects ms', digits: 1 },
  { figure: 'decode_ms', title: 'decode and hash ms', digits: 1 },
  { figure: 'load_ms', title: 'receive or open ms', digits: 1 },
  { figure: 'load_nodes_s', title: 'nodes received /s', digits: 0 },
];

const goals: readonly Goal[] = [
  { figure: 'pack_bytes', of: 'weft', most: 100_000 },
  { figure: 'load_nodes_s', of: 'weft', least: 1_000_000 },
];

export const packBench: Bench = {
  name: 'pack',
  summary: 'the whole history of a recording as one pack: bytes, encoding, decoding, receiving',
  columns,
  goals,
  run: runPack,
};

async function runPack(options: BenchOptions): Promise<readonly Row[]> {
  const chosen = chooseTextEngines(options.libs, options.rivals).filter(({ name }) => !name.startsWith('weft'));
  const engines = await Promise.all(chosen.map((entry) => entry.load()));
  const rows: Row[] = [];
  for (const name of options.traces.length > 0 ? options.traces : usualTraces) {
    const typing = readTyping(name, options.edits);
    const cut = options.edits === undefined ? [] : [`trace cut to ${typing.edits} edits`];
    const entrants = [
      ...packEntrants(typing, options.libs),
      ...engines.flatMap((engine) => documentEntrants(engine, typing)),
    ];
    const noted = entrants.map((one) => ({ ...one, notes: [...cut, ...one.notes] }));
    rows.push(...(await runEntrants('pack', name, noted, options)));
  }
  return rows;
}

/** What another engine saves of the same typing, in each of its forms. */
function documentEntrants(engine: TextEngine, typing: Typing): readonly Entrant[] {
  const { name: lib, version, doesNot: notes } = engine;
  let typed: ReturnType<typeof typeDocument> | undefined;
  return engine.forms.map((form) => {
    const run = async (): Promise<Figures> => {
      typed ??= typeDocument(engine, typing.trace.edits.slice(0, typing.edits));
      return saveAndOpen(engine, form, await typed, typing);
    };
    return { lib, version, form, notes, contender: { name: `${lib} saves ${typing.trace.name} ${form}`, run } };
  });
}

async function saveAndOpen(
  engine: TextEngine,
  form: string,
  replica: Awaited<ReturnType<typeof typeDocument>>,
  { edits, textAfter }: Typing,
): Promise<Figures> {
  const { ms: encodeMs, result: bytes } = await timed(() => replica.save?.(form));
  if (bytes === undefined) throw new Error(`${engine.name} names the form ${form} and cannot save.`);
  const { ms: loadMs, result: opened } = await timed(async () => {
    const other = await engine.open(bytes, form);
    return { text: other.text(), free: () => other.free?.() };
  });
  opened.free();
  mustHold(opened.text === textAfter(edits), 'the opened text is not that of the recording');
  return { pack_bytes: bytes.length, edit_bytes: bytes.length / edits, encode_ms: encodeMs, load_ms: loadMs };
}
