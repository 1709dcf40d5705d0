import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConcurrentTrace, loadSequentialTrace, textAfter } from './trace.js';

async function folderWith(name: string, content: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const bytes = content instanceof Uint8Array ? content : gzipSync(JSON.stringify(content));
  await writeFile(join(folder, `${name}.json.gz`), bytes);
  return folder;
}

const time = '2024-01-01T00:00:00Z';

type Known = readonly [name: string, edits: number, length: number];

/** Recordings that take a second to be read. */
const GREAT: readonly Known[] = [
  ['automerge-paper', 259_778, 104_852],
  ['seph-blog1.ascii', 137_993, 56_769],
];

describe('the recordings in bench/traces', () => {
  it.each<Known>([
    ...(process.env['TESTS_LONG'] ? GREAT : []),
    ['rustcode.ascii', 40_173, 65_218],
    ['sveltecomponent', 19_749, 18_451],
    ['friendsforever_flat.ascii', 26_078, 21_362],
    ['clownschool_flat.ascii', 23_182, 21_148],
  ])('%s has as many edits and characters as it is known for', (name, edits, length) => {
    const trace = loadSequentialTrace(name);
    expect(trace.edits).toHaveLength(edits);
    expect(trace.end).toHaveLength(length);
  });

  // The longer ones are in the long suite.
  it.each(['sveltecomponent', 'friendsforever_flat.ascii', 'clownschool_flat.ascii'])(
    '%s ends with its own final text',
    (name) => {
      const { edits, end } = loadSequentialTrace(name);
      expect(textAfter(edits)).toBe(end);
    },
  );

  it.each([
    ['friendsforever.concurrent', 2, 26_078, 2_258],
    ['clownschool.concurrent', 3, 23_136, 3_628],
  ])('%s has its authors and merges', (name, agents, transactions, merges) => {
    const trace = loadConcurrentTrace(name);
    expect(trace.agents).toBe(agents);
    expect(trace.transactions).toHaveLength(transactions);
    expect(trace.transactions.filter(({ parents }) => parents.length > 1)).toHaveLength(merges);
  });
});

describe('loading a trace', () => {
  it('makes the text at the start the first edit', async () => {
    const txns = [{ time, patches: [[0, 1, 'A']] }];
    const folder = await folderWith('small', { startContent: 'abc', endContent: 'Abc', txns });
    const { edits, end } = loadSequentialTrace('small', folder);
    expect(edits[0]).toEqual({ position: 0, deleted: 0, inserted: 'abc', at: Date.parse(time) });
    expect(textAfter(edits)).toBe(end);
  });

  it('names what there is when a trace is missing', () => {
    expect(() => loadSequentialTrace('nowhere')).toThrow(/no trace nowhere: choose one of .*automerge-paper/);
  });

  it('refuses a file that is no gzip, and one of another shape', async () => {
    const damaged = await folderWith('small', new Uint8Array([1, 2, 3]));
    expect(() => loadSequentialTrace('small', damaged)).toThrow('small.json.gz is damaged');
    const other = await folderWith('small', {
      startContent: '',
      endContent: '',
      txns: [{ time, patches: [[-1, 0, 'a']] }],
    });
    expect(() => loadSequentialTrace('small', other)).toThrow('Trace small has another shape');
    expect(() => loadSequentialTrace('friendsforever.concurrent')).toThrow('another shape');
  });

  it('refuses parents that come later and agents that are not announced', async () => {
    const txn = { parents: [], agent: 0, numChildren: 0, time, patches: [] };
    const ahead = { kind: 'concurrent', endContent: '', numAgents: 1, txns: [{ ...txn, parents: [0] }] };
    expect(() => loadConcurrentTrace('x', '/nowhere')).toThrow();
    const first = await folderWith('x', ahead);
    expect(() => loadConcurrentTrace('x', first)).toThrow('transaction 0 comes before one of its parents');
    const second = await folderWith('x', { ...ahead, txns: [{ ...txn, agent: 1 }] });
    expect(() => loadConcurrentTrace('x', second)).toThrow('transaction 0 is by agent 1 of 1');
  });
});

describe('textAfter', () => {
  it('replaces, inserts and deletes', () => {
    const at = 0;
    const edits = [
      { position: 0, deleted: 0, inserted: 'hello', at },
      { position: 1, deleted: 3, inserted: 'EL', at },
      { position: 3, deleted: 1, inserted: '', at },
    ];
    expect(textAfter(edits)).toBe('hEL');
  });

  it('refuses an edit beyond the text', () => {
    expect(() => textAfter([{ position: 0, deleted: 1, inserted: '', at: 0 }])).toThrow('deletes 1 of a text of 0');
  });
});
