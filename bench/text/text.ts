import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchOptions, Column } from '../bench.js';
import type { Goal } from '../results/goals.js';
import { chooseTextEngines } from './engines.js';
import { type Contender, type Outcome, interleave } from '../measuring/harness.js';
import { type Row, toRow } from '../results/row.js';
import { type SavedText, documentContender, typeDocument } from './text-documents.js';
import { boundsOf, editContender, readTyping } from './text-edits.js';
import type { TextEngine } from './text-engine.js';
import { besideText, takesPart } from '../weft/beside-text.js';

const usualTraces = ['automerge-paper', 'rustcode.ascii', 'sveltecomponent', 'seph-blog1.ascii'];

const columns: readonly Column[] = [
  { figure: 'local_ops_s', title: 'local /s', digits: 0 },
  { figure: 'local_batch_ops_s', title: 'batch /s', digits: 0 },
  { figure: 'remote_ops_s', title: 'remote /s', digits: 0 },
  { figure: 'signed_ops_s', title: 'signed local /s', digits: 0 },
  { figure: 'signed_remote_ops_s', title: 'verified remote /s', digits: 0 },
  { figure: 'verify_s', title: 'bare verify /s', digits: 0 },
  { figure: 'room_ops_s', title: 'through a room /s', digits: 0 },
  { figure: 'message_bytes', title: 'message B', digits: 1 },
  { figure: 'pack_bytes', title: 'document B', digits: 0 },
  { figure: 'load_ms', title: 'load ms', digits: 2 },
  { figure: 'load_first_ms', title: 'first', digits: 1 },
  { figure: 'load_fresh_ms', title: 'fresh', digits: 1 },
  { figure: 'rss_mb', title: 'rss MB/copy', digits: 2 },
  { figure: 'heap_mb', title: 'heap MB/copy', digits: 2 },
];

const goals: readonly Goal[] = [
  { figure: 'local_ops_s', of: 'weft', least: 1, times: 'json-joy' },
  { figure: 'remote_ops_s', of: 'weft', least: 1, times: 'json-joy' },
  { figure: 'local_ops_s', of: 'weft', least: 5, times: 'yjs' },
  { figure: 'remote_ops_s', of: 'weft', least: 3.5, times: 'yjs' },
  {
    figure: 'room_ops_s',
    of: 'weft',
    form: 'through a room',
    least: 1,
    times: 'yjs',
    timesFigure: 'remote_ops_s',
  },
  { figure: 'rss_mb', of: 'weft', form: 'pack', most: 6 },
  { figure: 'load_ms', of: 'weft', most: 0.4, times: 'yjs' },
  { figure: 'load_fresh_ms', of: 'weft', most: 15 },
  { figure: 'rss_mb', of: 'weft', most: 0.5, times: 'yjs' },
];

export const textBench: Bench = {
  name: 'text',
  summary: 'one author types a recording, one reader receives it; the document is saved and opened',
  columns,
  goals,
  run: runText,
};

async function runText(options: BenchOptions): Promise<readonly Row[]> {
  const chosen = chooseTextEngines(options.libs, options.rivals);
  const engines = await Promise.all(chosen.map((entry) => entry.load()));
  const traces = options.traces.length > 0 ? options.traces : usualTraces;
  const folder = mkdtempSync(join(tmpdir(), 'weft-bench-'));
  try {
    const rows: Row[] = [];
    for (const name of traces) rows.push(...(await runTrace(name, engines, folder, options)));
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runTrace(
  name: string,
  engines: readonly TextEngine[],
  folder: string,
  options: BenchOptions,
): Promise<readonly Row[]> {
  const typing = readTyping(name, options.edits);
  const editing = new Map(engines.map((engine) => [engine, editContender(engine, typing)]));
  const saving = engines.flatMap((engine) => engine.forms.map((form) => ({ engine, form, ...toSave(engine, form) })));

  function toSave(engine: TextEngine, form: string): { readonly contender: Contender } {
    const saved: SavedText = {
      engine,
      form,
      trace: name,
      text: typing.textAfter(typing.edits),
      folder,
      build: () => typeDocument(engine, typing.trace.edits.slice(0, typing.edits)),
    };
    return { contender: documentContender(saved) };
  }

  const beside = takesPart(options.libs) ? besideText(typing) : [];
  const contenders = [...editing.values(), ...[...saving, ...beside].map(({ contender }) => contender)];
  const outcomes = await interleave(contenders, options.repeat, options.progress);
  const outcomeOf = (contender: Contender | undefined): Outcome[] =>
    outcomes.filter((outcome) => outcome.name === contender?.name);
  const bounds = options.edits === undefined ? [] : [`trace cut to ${typing.edits} edits`];
  const rows = engines.flatMap((engine) => {
    const edited = outcomeOf(editing.get(engine));
    const notes = [...bounds, ...boundsOf(engine, typing), ...engine.doesNot];
    const about = { bench: 'text', lib: engine.name, version: engine.version, trace: name };
    const documents = saving.filter((one) => one.engine === engine);
    if (documents.length === 0) return [toRow({ ...about, form: '' }, edited, notes)];
    return documents.map(({ form, contender }, index) =>
      toRow({ ...about, form }, [...(index === 0 ? edited : []), ...outcomeOf(contender)], index === 0 ? notes : []),
    );
  });
  const besides = beside.map(({ lib, version, form, notes, contender }) =>
    toRow({ bench: 'text', lib, version, trace: name, form }, outcomeOf(contender), [...bounds, ...notes]),
  );
  return [...rows, ...besides];
}
