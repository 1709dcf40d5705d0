/** The rules of this folder, held against the checkout. One file, so that each source file is read and parsed once. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unlistedDiskUsers } from './disk-users.js';
import { circleExceptions, exportExceptions, importExceptions, unexcused, unlistedExceptions } from './exceptions.js';
import { emptyNames } from './file-names.js';
import { importCycles } from './import-cycles.js';
import { emptyRows, importBreaches } from './import-directions.js';
import { layers } from './layers.js';
import { lockGaps, pinnedDownloads } from './lock-files.js';
import { machineTraces } from './machine-traces.js';
import { importsOf, loadedWith, packageOf } from './imports.js';
import { neutralPackages, runtimeTies } from './neutral-entries.js';
import { checkout, isSource, readTree, select } from './source-tree.js';
import { brokenCitations } from './spec-rules.js';
import { untypedEdges } from './untyped-edges.js';
import { unlistedExports } from './unlisted-exports.js';
import { unusedExports } from './unused-exports.js';
import { unlistedBranchWriters } from './branch-writers.js';
import { unlistedWriters } from './user-ref-writers.js';

const files = readTree();
// Parsed before the first test, which would else be taken for a slow one.
for (const [path, text] of select(files, isSource)) importsOf(path, text);

describe('this tree', () => {
  it('has names that say what is inside', () => {
    expect(emptyNames(files)).toEqual([]);
  });

  it('imports what its layers allow', () => {
    expect(unexcused(importBreaches(files), importExceptions)).toEqual([]);
  });

  it('has a file for each row of the table of layers', () => {
    expect(emptyRows(files, [...layers.values()])).toEqual([]);
  });

  it('has no circle of imports of values', () => {
    expect(importCycles(files, 'of values')).toEqual([]);
  });

  it('has no circle of imports of types but those listed', () => {
    expect(unexcused(importCycles(files, 'of values and types'), circleExceptions)).toEqual([]);
  });

  it('exports what another file uses', () => {
    expect(unexcused(unusedExports(files), exportExceptions)).toEqual([]);
  });

  it('exports nothing without its name', () => {
    expect(unexcused(unlistedExports(files), unlistedExceptions)).toEqual([]);
  });

  it('tells neither the compiler nor the linter to look away', () => {
    expect(untypedEdges(files)).toEqual([]);
  });

  it('touches the disk, and starts programs, where it is listed how no path leads elsewhere', () => {
    expect(unlistedDiskUsers(files)).toEqual([]);
    const stranger = new Map([['studio/src/rules/new.ts', "import { open } from 'node:fs/promises';\nvoid open;\n"]]);
    expect(unlistedDiskUsers(stranger)).toContain('studio/src/rules/new.ts touches the disk or starts programs');
  });

  it('writes to branches of work where it is listed what keeps an agent within its scope', () => {
    expect(unlistedBranchWriters(files)).toEqual([]);
    const stranger = new Map([
      ['studio/src/operations/new.ts', 'await editBranch(context, branch, edits, message);\n'],
    ]);
    expect(unlistedBranchWriters(new Map([...files, ...stranger]))).toEqual([
      'operations/new.ts editBranch: what keeps an agent within its scope there?',
    ]);
  });

  it('writes to branches of the user where it is listed on whose word', () => {
    expect(unlistedWriters(files)).toEqual([]);
    const stranger = new Map([
      ['studio/src/rules/new.ts', 'await advanceMain(context, main, from, to, warrant);\n'],
      ['studio/src/operations/new.ts', 'await context.disk.user.create(folder, name, commit, false);\n'],
      ['studio/src/workspace/git/new.ts', "const args = ['push', '--force'];\n"],
    ]);
    const lines = unlistedWriters(new Map([...files, ...stranger]));
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      'rules/new.ts advanceMain',
      'operations/new.ts context.disk.user.create',
      'new.ts push',
    ]);
  });

  it('names no machine', () => {
    expect(machineTraces(files, [checkout.replace(/\/$/, '')])).toEqual([]);
  });

  it('has lock files without addresses and without gaps', () => {
    expect([...files.keys()].filter((path) => path.endsWith('package-lock.json'))).toContain('package-lock.json');
    expect(pinnedDownloads(files)).toEqual([]);
    expect(lockGaps(files)).toEqual([]);
  });

  it('has a test for each rule of core/SPEC.md, and a rule for each that is cited', () => {
    const inScope = select(files, (path) =>
      /^((core|server)\/src|test\/(conformance|contracts|convergence|laws)|conformance)\//.test(path),
    );
    expect(brokenCitations(files.get('core/SPEC.md') ?? '', inScope)).toEqual([]);
  });
});

it('each neutral package is one that the core imports', () => {
  const core = [...select(files, (path) => path.startsWith('core/src/'))];
  const imported = core.flatMap(([path, text]) => importsOf(path, text)).map(({ specifier }) => packageOf(specifier));
  expect(imported).toEqual(expect.arrayContaining([...neutralPackages]));
});

describe.each(['index', 'memory', 'client', 'page', 'keys'])('the entry %s of the core runs everywhere', (entry) => {
  it('in source', () => {
    expect(runtimeTies(`core/src/${entry}.ts`, files)).toEqual([]);
  });

  it('as built', () => {
    const folder = join(checkout, 'core', 'dist');
    expect(existsSync(folder), 'core is not built: run npm run build').toBe(true);
    const scripts = readdirSync(folder).filter((file) => file.endsWith('.js'));
    const built = new Map(scripts.map((file) => [`core/dist/${file}`, readFileSync(join(folder, file), 'utf8')]));
    expect(runtimeTies(`core/dist/${entry}.js`, built)).toEqual([]);
  });
});

/** Commands that need the room server or the studio themselves, or what they are made of. */
const heavy =
  /\/(archive|backup|bench|cold|demo|doctor|gc|measure|migrate|pack|replay|room|serve|studio|token|up|words)\.ts$/;
const isCommand = (path: string): boolean => /^cli\/src\/commands\/[^/]+\.ts$/.test(path) && !heavy.test(path);
const commands = [...files.keys()].filter((path) => isCommand(path) && isSource(path) && !path.includes('.test.'));

it.each([...commands, 'cli/src/main.ts'])('%s loads neither the room server nor the studio', (entry) => {
  const light = ['@weft/core/clock', '@weft/server/patience', '@weft/studio-client'];
  expect(loadedWith(entry, files).filter((name) => !light.includes(name))).toEqual([]);
});
