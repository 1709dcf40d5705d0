/** What callers choose by: of two things that differ in one field of the input alone, each call has its own. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operationTable } from '../operations/table.js';
import { Answers } from '../testing/answers.js';
import { gitRepository } from '../testing/git-repository.js';
import { npmProject } from '../testing/npm-project.js';
import { tempFolder } from '../testing/temp-folder.js';
import { openTestFront } from '../testing/test-front.js';
import { boundTools, callTool } from './tools/tools.js';

/** Two repositories, with a branch in each, and a unit in the second. */
async function twoRepositories() {
  const opened = await openTestFront();
  const answers = new Answers(opened);
  const of: Answers['of'] = (id, input) => answers.of(id, input);
  const base = await tempFolder();
  const ids: string[] = [];
  for (const name of ['one', 'two']) {
    const path = join(base, name);
    const files = {
      'a.ts': `export const ${name} = '${name}';\n`,
      [`${name}.ts`]: 'x\n',
      'package.json': npmProject({
        build: `echo built-${name}`,
        test: `echo tested-${name}`,
        lint: `echo linted-${name}`,
      }),
    };
    await gitRepository(path, files);
    const { repositoryId } = await of('repository.register', { path });
    await of('branch.create', { name: `side-${name}`, fromBranchId: 'main', repositoryId });
    ids.push(repositoryId!);
  }
  const [first = '', second = ''] = ids;
  const { workUnitId } = await of('workunit.create', { goal: 'g', repositoryId: second });
  const admin = { name: 'admin', kind: 'person', scope: 'admin', internal: true } as const;
  /** Whether a call is refused, over its tool where it has one. */
  const refuses = async (id: string, input: object): Promise<boolean> => {
    const tool = boundTools(operationTable, 'internal').find(({ operation }) => operation.id === id);
    if (!tool) return /^reject\./.test(String(await answers.refused(id, input)));
    const asked = { caller: admin, requestId: 'req-1' };
    return (await callTool(tool, { ...input }, asked, opened.shared)).isError === true;
  };
  return { ...opened, of, answers, refuses, first, second, workUnitId, base };
}

type World = Awaited<ReturnType<typeof twoRepositories>>;

/** What of the two a call saw, by what stands in the answer. */
const seen = (answer: unknown): string[] => {
  const text = JSON.stringify(answer);
  return ['one', 'two'].filter((name) => new RegExp(`\\b${name}\\b|-${name}\\b|/${name}"`).test(text));
};

describe('by the repository', () => {
  const SHOWN: readonly (readonly [string, object])[] = [
    ['workspace.read', { path: 'a.ts' }],
    ['workspace.readMany', { paths: ['a.ts'] }],
    ['workspace.listFiles', {}],
    ['workspace.search', { query: 'export' }],
    ['workspace.build', {}],
    ['workspace.test', {}],
    ['workspace.exec', {}],
  ];
  const NAMED: readonly (readonly [string, object])[] = [
    ...SHOWN,
    ['workspace.profile', {}],
    ['workspace.profileRescan', {}],
    ['workspace.exists', { path: 'a.ts' }],
    ['workspace.path', {}],
    ['workspace.write', { path: 'new.ts', content: 'x' }],
    ['workspace.replace', { path: 'a.ts', oldText: 'export', newText: 'const' }],
    ['workspace.remove', { path: 'a.ts' }],
    ['workspace.run', { runCommand: 'true' }],
    ['workspace.runStop', {}],
    ['workspace.runOutput', { rootPath: '.' }],
    ['workspace.execLatest', {}],
    ['workspace.symbolDefinition', { symbol: 'one' }],
    ['workspace.symbolReferences', { symbol: 'one' }],
    ['workspace.symbolImplementation', { symbol: 'one' }],
    ['branch.checkout', {}],
    ['branch.status', {}],
    ['branch.materializeFile', { path: 'a.ts' }],
    ['branch.resyncFiles', { files: [{ path: 'b.ts', content: 'x' }] }],
    ['state.markKnownGood', { description: 'd' }],
  ];

  it.each(SHOWN)('%s shows the one that is named', async (id, input) => {
    const { of, first, second } = await twoRepositories();
    for (const [repositoryId, name] of [
      [first, 'one'],
      [second, 'two'],
    ] as const)
      expect(seen(await of(id, { branchId: 'main', repositoryId, ...input }))).toEqual([name]);
  });

  it('a branch of another than the one that is named is none', async () => {
    const { refuses, second } = await twoRepositories();
    for (const [id, input] of NAMED)
      expect([id, await refuses(id, { branchId: 'side-one', repositoryId: second, ...input })]).toEqual([id, true]);
  });

  it('a branch is made in the one that is named', async () => {
    const { of, second } = await twoRepositories();
    await of('branch.create', { name: 'late', fromBranchId: 'main', repositoryId: second });
    expect(seen(await of('workspace.listFiles', { branchId: 'late' }))).toEqual(['two']);
  });
});

describe('by the work unit', () => {
  it('each word about a workspace is about its branch', async () => {
    const at: World = await twoRepositories();
    const { of, workUnitId } = at;
    const unit = { workUnitId };
    expect(seen(await of('workspace.listFiles', unit))).toEqual(['two']);
    expect(seen(await of('workspace.readMany', { ...unit, paths: ['a.ts'] }))).toEqual(['two']);
    for (const id of ['workspace.profile', 'workspace.profileRescan']) await of(id, unit);
    for (const name of ['Definition', 'References', 'Implementation'])
      await of(`workspace.symbol${name}`, { ...unit, symbol: 'two' });
    const { resultId } = await of('workspace.build', unit);
    expect(seen(await of('workspace.execOutput', { ...unit, resultId }))).toEqual(['two']);
    await of('workspace.run', { ...unit, runCommand: 'echo up; exec sleep 1000', timeoutSeconds: 1 });
    await of('workspace.runOutput', { ...unit, rootPath: '.' });
    await of('workspace.runStop', { ...unit, rootPath: '.' });
    expect(seen(await of('workspace.test', unit))).toEqual(['two']);
    const exists = async (path: string) =>
      (await of<{ exists: boolean }>('workspace.exists', { ...unit, path })).exists;
    expect([await exists('two.ts'), await exists('one.ts')]).toEqual([true, false]);
    await of('workspace.replace', { ...unit, path: 'a.ts', oldText: 'export', newText: 'const', expectedMatches: 1 });
    // It stands there more often than that.
    const often = { ...unit, path: 'a.ts', oldText: 't', newText: 'u' };
    expect(await at.refuses('workspace.replace', { ...often, expectedMatches: 1 })).toBe(true);
    expect(await at.refuses('workspace.replace', { ...often, expectedMatches: 5 })).toBe(true);
    await of('workspace.remove', { ...unit, path: 'two.ts' });
    expect(await exists('two.ts')).toBe(false);
    expect(JSON.stringify(await of('workspace.diff', { ...unit, targetBranchId: 'main' }))).toContain('two.ts');
  });
});

describe('by what is asked for', () => {
  it('finds what is looked for', async () => {
    const { of, first } = await twoRepositories();
    const at = { branchId: 'side-one', repositoryId: first };
    await of('branch.resyncFiles', {
      ...at,
      files: [{ path: 'deep/x.txt', content: 'before\nNeedle here\nafter\nneedle again\n' }],
    });
    const found = async (input: object) =>
      JSON.stringify(await of('workspace.search', { ...at, query: 'needle', ...input }));
    expect(await found({ caseSensitive: true })).not.toBe(await found({ caseSensitive: false }));
    expect(await found({ maxResults: 1 })).not.toBe(await found({}));
    expect(await found({ contextLines: 1 })).not.toBe(await found({ contextLines: 0 }));
    expect(await found({ path: 'other' })).not.toContain('deep/x.txt');
    expect(await found({ path: 'deep' })).toContain('deep/x.txt');
  });
});
