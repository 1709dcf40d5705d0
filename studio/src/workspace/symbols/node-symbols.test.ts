import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeFiles } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { NodeProcesses } from '../programs/node-processes.js';
import { NodeSymbols, type SymbolsOptions, typescriptServer } from './node-symbols.js';
import type { SymbolQuery } from './symbols.js';

const SOURCE = {
  'tsconfig.json': '{"compilerOptions":{"module":"nodenext","strict":true}}',
  'src/animal.ts':
    'export interface Animal {\n  speak(): string;\n}\n\nexport function greet(name: string): string {\n  return name;\n}\n',
  'src/dog.ts': `import { type Animal, greet } from './animal.js';\nexport class Dog implements Animal {\n  speak(): string {\n    return greet('ü') + greet('x');\n  }\n}\n`,
  'notes.md': 'greet',
};

async function begun(files: Readonly<Record<string, string>> = SOURCE, options: SymbolsOptions = {}) {
  const base = await tempFolder();
  const folder = join(base, 'work');
  await mkdir(folder);
  await writeFiles(folder, files);
  const processes = new NodeProcesses(join(base, 'studio'), { graceMs: 200 });
  await processes.recover();
  onTestFinished(() => processes.close());
  const symbols = new NodeSymbols(processes, options);
  const names = new Set(Object.keys(files));
  const find = async (query: Omit<SymbolQuery, 'most'>, most = 100) =>
    symbols.find(folder, [...names].sort(), { ...query, most });
  const places = async (query: Omit<SymbolQuery, 'most'>) =>
    (await find(query)).locations.map(({ path, line, column }) => `${path}:${line}:${column}`);
  return { folder, names, symbols, find, places, running: () => readdir(join(base, 'studio', 'runs')) };
}

describe('symbols of TypeScript', () => {
  it('are found by their names or places: what defines, uses and implements them', async () => {
    const { find, places } = await begun();
    expect(await find({ question: 'definition', symbol: 'greet' })).toEqual({
      locations: [{ path: 'src/animal.ts', line: 5, column: 17, symbolName: 'greet', kind: 'function' }],
      truncated: false,
    });
    const used = { path: 'src/dog.ts', line: 4, column: 14 };
    expect(await places({ question: 'definition', ...used })).toEqual(['src/animal.ts:5:17']);
    const uses = ['src/animal.ts:5:17', 'src/dog.ts:1:23', 'src/dog.ts:4:12', 'src/dog.ts:4:25'];
    for (const how of [
      { symbol: 'greet' },
      used,
      { path: 'src/dog.ts', symbol: 'greet' },
      { ...used, column: undefined, symbol: 'greet' },
    ])
      expect(await places({ question: 'references', ...how })).toEqual(uses);
    // A line alone: all that is named in it.
    expect(await places({ question: 'definition', path: 'src/dog.ts', line: 4 })).toContain('src/animal.ts:5:17');
    expect(await places({ question: 'definition', path: 'src/dog.ts', line: 6 })).toEqual([]);
    expect(await places({ question: 'references', path: 'src/animal.ts', line: 5 })).toEqual(
      expect.arrayContaining([...uses, 'src/animal.ts:6:10']),
    );
    const { locations } = await find({ question: 'references', symbol: 'greet' });
    expect(locations[2]).toMatchObject({ symbolName: 'greet', containingSymbol: 'speak' });
    expect(await find({ question: 'implementation', symbol: 'Animal' })).toMatchObject({
      locations: [{ path: 'src/dog.ts', line: 2, symbolName: 'Dog', kind: 'class' }],
    });
    expect(await places({ question: 'references', symbol: 'nothing' })).toEqual([]);
    expect(await find({ question: 'references', symbol: 'greet' }, 2)).toMatchObject({
      truncated: true,
      locations: { length: 2 },
    });
  });

  it('are those of the files as they are now, also of one that the server was given', async () => {
    const { folder, names, places } = await begun();
    const greet = { question: 'references', symbol: 'greet', path: 'src/animal.ts' } as const;
    expect(await places(greet)).toHaveLength(4);
    await writeFiles(folder, { 'src/cat.ts': `import { greet } from './animal.js';\ngreet('c');\n` });
    names.add('src/cat.ts');
    expect(await places(greet)).toHaveLength(6);
    await writeFiles(folder, { 'src/animal.ts': `\n${SOURCE['src/animal.ts']}` });
    expect((await places(greet))[0]).toBe('src/animal.ts:6:17');
    await rm(join(folder, 'src/cat.ts'));
    names.delete('src/cat.ts');
    expect(await places(greet)).toHaveLength(4);
  });

  it('are found where nothing says which files belong together', async () => {
    const { places } = await begun({
      'a.js': 'export const one = 1;\n',
      'b.mjs': `import { one } from './a.js';\none;\n`,
    });
    expect(await places({ question: 'references', symbol: 'one' })).toEqual(['a.js:1:14', 'b.mjs:1:10', 'b.mjs:2:1']);
  });
});

describe('symbols of TypeScript', () => {
  const platform = `typescript-${process.platform}-${process.arch}`;

  it.each(['node_modules/@typescript', 'node_modules/typescript/node_modules/@typescript'])(
    'are found by TypeScript 7 in %s',
    async (place) => {
      const base = await realpath(await tempFolder());
      await writeFiles(base, {
        'node_modules/typescript/package.json': '{}',
        [`${place}/${platform}/package.json`]: '{}',
      });
      const { command } = typescriptServer(createRequire(join(base, 'index.js')));
      expect(command).toEqual([join(base, place, platform, 'lib', 'tsc'), '--lsp', '--stdio']);
    },
  );

  it('are found by what the machine has where that is missing; who lacks that too is told what to install', async () => {
    const server = typescriptServer(createRequire(join(await tempFolder(), 'index.js')));
    expect(server.command).toEqual(['typescript-language-server', '--stdio']);
    const { find } = await begun(SOURCE, {
      servers: [{ ...server, command: ['/nowhere/typescript-language-server'] }],
    });
    await expect(find({ question: 'definition', symbol: 'greet' })).rejects.toMatchObject({
      reason: 'reject.program_not_started',
      message:
        '/nowhere/typescript-language-server could not be started: for symbols of TypeScript, run npm install typescript@7 where Weft is installed',
    });
  });
});

describe('symbols of other languages', () => {
  const server = (...args: string[]) => ({
    languageId: 'word',
    extensions: ['.word'],
    command: [
      process.execPath,
      fileURLToPath(new URL('../../testing/doors/word-server.mjs', import.meta.url)),
      ...args,
    ],
  });
  const FILES = { 'a.word': 'one\ndef two\n', 'b.ts': 'export const two = 2;\n' };

  it('are known of by the server that was configured', async () => {
    const { find } = await begun(FILES, { servers: [server()] });
    expect(await find({ question: 'definition', symbol: 'two' })).toMatchObject({
      locations: [{ path: 'a.word', line: 2, column: 5, symbolName: 'two' }, { path: 'b.ts' }],
    });
  });

  it('are refused, not passed over, where nothing knows them', async () => {
    const { find } = await begun({ 'a.py': 'def one(): pass' });
    const unsupported = { reason: 'reject.language_unsupported' };
    await expect(find({ question: 'definition', symbol: 'one' })).rejects.toMatchObject(unsupported);
    await expect(find({ question: 'definition', path: 'a.py', line: 1, column: 5 })).rejects.toMatchObject(unsupported);
  });

  it('come from another server when one has died', async () => {
    const { find, running } = await begun(FILES, { servers: [server('exit')] });
    for (let i = 0; i < 2; i++)
      await expect(find({ question: 'definition', symbol: 'two' })).rejects.toMatchObject({
        reason: 'reject.language_server_failed',
      });
    while ((await running()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('cost no process when nobody asks for them', async () => {
    const { find, running } = await begun(FILES, { servers: [server()], idleMs: 0 });
    await find({ question: 'definition', symbol: 'two' });
    while ((await running()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('cost few processes at once', async () => {
    const { folder, symbols, running } = await begun(FILES, { servers: [server()] });
    for (let i = 0; i < 6; i++) {
      const other = join(folder, `${i}`);
      await writeFiles(other, { 'a.word': 'def two' });
      const query = { question: 'definition', symbol: 'two', most: 1 } as const;
      expect((await symbols.find(other, ['a.word'], query)).locations).toHaveLength(1);
    }
    while ((await running()).length > 4) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await running()).toHaveLength(4);
  });
});
