/** Every block of code on a page that people read is compiled here, or run by the test that is named here. */
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readModelFile } from '@weft/studio';
import { checkout } from '../architecture/source-tree.js';
import { tempFolder } from '../support/temp-folder.js';
import { blocksOf, onFreePorts, projectFolder, runProgram } from './page-code.js';

const guides = readdirSync(join(checkout, 'docs/guide')).filter((name) => name.endsWith('.md'));
const pages = [
  'README.md',
  ...guides.map((name) => `docs/guide/${name}`),
  ...['core', 'server', 'studio', 'cli', 'client/web', 'client/studio', 'client/face'].map(
    (name) => `${name}/README.md`,
  ),
];

/** Who runs or reads the blocks of a page in a language; TypeScript is compiled below, whoever else runs it. */
const runBy: Readonly<Record<string, string>> = {
  'README.md sh': '../e2e/newcomer.system.test.ts',
  'cli/README.md sh': 'guides.system.test.ts',
  'docs/guide/agents.md json': 'every-block.test.ts',
  'docs/guide/agents.md sh': '../e2e/own-key.system.test.ts',
  'docs/guide/client.md html': 'from-nothing.system.test.ts',
  'docs/guide/client.md js': 'from-nothing.system.test.ts',
  'docs/guide/client.md sh': 'from-nothing.system.test.ts',
  'docs/guide/entry.md json': '../../server/src/entry/webhook-entry.test.ts',
  'docs/guide/entry.md sh': 'guides.system.test.ts',
  'docs/guide/forges.md sh': 'guides.system.test.ts',
  'docs/guide/operating.md json': '../e2e/operate.system.test.ts',
  'docs/guide/operating.md sh': '../e2e/operate.system.test.ts',
  'docs/guide/room-server.md sh': 'guides.system.test.ts',
  'docs/guide/scripts.md jsonl': '../e2e/words-for-people.test.ts',
  'docs/guide/studio.md sh': 'guides.system.test.ts',
  'studio/README.md sh': 'guides.system.test.ts',
};

const textOf = (page: string): string => readFileSync(join(checkout, page), 'utf8');

function languagesOf(page: string): Set<string> {
  const fences = textOf(page).matchAll(/^```(.*)\n(?:.*\n)*?^```$/gm);
  return new Set([...fences].map(([, language = '']) => language));
}

it('each block is of a kind that somebody runs', () => {
  const others = pages.flatMap((page) =>
    [...languagesOf(page)].filter((language) => language !== 'ts').map((language) => `${page} ${language}`),
  );
  expect(others.sort()).toEqual(Object.keys(runBy).sort());
  for (const [block, test] of Object.entries(runBy)) {
    expect(readFileSync(join(import.meta.dirname, test), 'utf8'), block).toContain(block.split(' ')[0]);
  }
});

it('every program of a page compiles, with what it imports and no more', async () => {
  const folder = await tempFolder();
  await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  const programs = pages.filter((page) => languagesOf(page).has('ts'));
  expect(programs.length).toBeGreaterThan(6);
  for (const page of programs) {
    // Blocks of a page follow each other, so names and imports of one are those of the next.
    const source = `${blocksOf(page, 'ts').join('\n')}\nexport {};\n`;
    const file = join(folder, 'pages', `${page.replace('.md', '').replaceAll('/', '-')}.ts`);
    await mkdir(join(folder, 'pages'), { recursive: true });
    await writeFile(file, source);
  }
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(checkout, 'node_modules/@types')],
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['pages'] }));
  expect(await typeErrors(folder)).toBe('');
});

function typeErrors(folder: string): Promise<string> {
  const compiler = join(checkout, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '-p', folder], { cwd: folder }, (_failed, out) => resolve(out));
  });
}

it('docs/guide/agents.md has a file of models that a studio takes', async () => {
  const [block = ''] = blocksOf('docs/guide/agents.md', 'json');
  const file = join(await tempFolder(), 'models.json');
  await writeFile(file, block);
  await writeFile(join(file, '..', 'openai.key'), 'none', { mode: 0o600 });
  const { agents } = await readModelFile(file);
  expect(agents).toMatchObject({ budgets: { goal: { microUsd: 5_000_000, milliseconds: 7_200_000 } } });
});

it('core/README.md has a room in three lines', async () => {
  const [program = ''] = blocksOf('core/README.md', 'ts');
  expect(await runProgram(await projectFolder(), program)).toBe('Road map\n');
});

it('server/README.md starts a server, and one with links to blobs', async () => {
  const program = blocksOf('server/README.md', 'ts').join('\n');
  const elsewhere = await onFreePorts(program, [7879, 7880, 9100]);
  const source = elsewhere.replace("metricsAddr: '", "listen: '127.0.0.1:0', metricsAddr: '");
  const said = await runProgram(await projectFolder(), `${source}\nprocess.exit();`);
  expect(said).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/ws\/<room>\n$/);
});
