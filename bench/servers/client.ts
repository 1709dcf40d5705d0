// What a page pays for a client before it does anything: lines of an application's own, and bytes that it loads.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import * as z from 'zod';
import type { Browser } from 'playwright-core';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { startChromium } from '../face/page.js';
import { runEntrants } from '../measuring/entrant.js';
import { benchFolder } from '../measuring/folder.js';
import type { Figures } from '../measuring/statistics.js';
import type { Row } from '../results/row.js';
import { WEFT_VERSION } from '../weft/engine.js';
import { enterRoom } from './entering-page.js';
import { FIRST_TEXT_TRACE, firstText } from './first-text.js';

const NODES = 10_000;
const clients = join(benchFolder, 'rivals', 'clients');
const apps = join(clients, 'apps');

/** Package whose version stands for the client. */
const PACKAGES: Readonly<Record<string, string>> = {
  'yjs-hocuspocus': '@hocuspocus/provider',
  'automerge-repo': '@automerge/automerge-repo',
  jazz: 'jazz-tools',
  liveblocks: '@liveblocks/client',
};

const columns: readonly Column[] = [
  { figure: 'lines', title: 'lines', digits: 0 },
  { figure: 'first_kb', title: 'KB loaded at first', digits: 1 },
  { figure: 'later_kb', title: 'KB later, if at all', digits: 1 },
  { figure: 'text_ms', title: 'first text ms', digits: 0 },
  { figure: 'joined_ms', title: 'joined ms', digits: 0 },
  { figure: 'long_tasks', title: 'tasks over 50 ms', digits: 0 },
  { figure: 'longest_ms', title: 'longest task ms', digits: 0 },
];

export const clientBench: Bench = {
  name: 'client',
  summary: `one page without an editor, in each client: lines, and bytes that it loads (gzip); a page that enters a room of ${NODES} writes, and one that shows what its device has`,
  columns,
  run: runClients,
};

async function runClients(options: BenchOptions): Promise<readonly Row[]> {
  const takesPart = (trace: string): boolean => options.traces.length === 0 || options.traces.includes(trace);
  const isOurs = options.libs.every((lib) => lib === 'weft');
  return [
    ...(takesPart('page') ? await weighAll(options) : []),
    ...(takesPart('entering') && isOurs ? await enterAnew(options) : []),
    ...(takesPart('first-text') && isOurs ? await showAgain(options) : []),
  ];
}

function enterAnew(options: BenchOptions): Promise<readonly Row[]> {
  const nodes = Math.min(NODES, options.edits ?? NODES);
  const note = `${nodes} writes in a room, a browser that was never there`;
  return inChromium('entering', note, (browser) => enterRoom(browser, nodes), options);
}

function showAgain(options: BenchOptions): Promise<readonly Row[]> {
  const note = `${FIRST_TEXT_TRACE}, kept by IndexedDB; a page that begins anew, and no server`;
  return inChromium('first-text', note, (browser) => firstText(browser, options.edits), options);
}

async function inChromium(
  trace: string,
  note: string,
  measure: (browser: Browser) => Promise<Figures>,
  options: BenchOptions,
): Promise<readonly Row[]> {
  const browser = await startChromium();
  const run = (): Promise<Figures> => measure(browser);
  const entrant = { lib: 'weft', version: WEFT_VERSION, form: '', notes: [note], contender: { name: 'weft', run } };
  try {
    return await runEntrants('client', trace, [entrant], options);
  } finally {
    await browser.close();
  }
}

async function weighAll({ rivals, libs, progress }: BenchOptions): Promise<readonly Row[]> {
  const names = readdirSync(apps).filter((file) => file.endsWith('.js'));
  const rows: Row[] = [];
  for (const file of names.toSorted((one, other) => Number(other === 'weft.js') - Number(one === 'weft.js'))) {
    const lib = basename(file, '.js');
    if ((lib !== 'weft' && !rivals) || (libs.length > 0 && !libs.includes(lib))) continue;
    progress(`${lib}: bundling`);
    rows.push(await weigh(lib, join(apps, file)));
  }
  return rows;
}

async function weigh(lib: string, file: string): Promise<Row> {
  const lines = readFileSync(file, 'utf8').split('\n');
  const lacks = lines[0]?.startsWith('// ') ? lines[0].slice(3) : '';
  const { first, later } = await bundled(file);
  return {
    bench: 'client',
    lib,
    version: lib === 'weft' ? WEFT_VERSION : versionOf(PACKAGES[lib] ?? lib),
    trace: 'page',
    form: '',
    checked: true,
    runs: 1,
    note: lacks,
    figures: {
      lines: lines.filter((line) => line !== '' && !line.startsWith('//')).length,
      first_kb: first / 1000,
      later_kb: later / 1000,
    },
    spread: {},
  };
}

function versionOf(name: string): string {
  const manifest = readFileSync(join(clients, 'node_modules', name, 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}

/** Bytes of a page, bundled by the settings of the test of our own sizes: what the entry imports is loaded at first, WebAssembly that it names too. Each file is compressed by itself. */
async function bundled(file: string): Promise<{ readonly first: number; readonly later: number }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    outdir: apps,
    loader: { '.wasm': 'file' },
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const { outputs } = metafile;
  const entry = Object.keys(outputs).filter((path) => basename(outputs[path]?.entryPoint ?? '') === basename(file));
  const first = new Set(entry);
  for (const path of first)
    for (const { kind, path: needed, external } of outputs[path]?.imports ?? [])
      if (kind !== 'dynamic-import' && external !== true) first.add(needed);
  const names = new Set([...first].map((path) => basename(path)));
  const weigh = (isFirst: boolean): number =>
    outputFiles
      .filter(({ path }) => names.has(basename(path)) === isFirst)
      .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
  return { first: weigh(true), later: weigh(false) };
}
