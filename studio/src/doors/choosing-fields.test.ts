/** What callers choose by: of two things that differ in one field of the input alone, each call has its own. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operationTable } from '../operations/table.js';
import { Answers } from '../testing/doors/answers.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { npmProject } from '../testing/git/npm-project.js';
import { tempFolder } from '../testing/temp-folder.js';
import { openTestFront } from '../testing/doors/test-front.js';
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
  /** What a call is refused for, over its tool where it has one. */
  const refusal = async (id: string, input: object): Promise<unknown> => {
    const tool = boundTools(operationTable, 'internal').find(({ operation }) => operation.id === id);
    if (!tool) return answers.refused(id, input);
    const asked = { caller: admin, requestId: 'req-1' };
    const { content } = await callTool(tool, { ...input }, asked, opened.shared);
    const [said] = content;
    return said?.type === 'text' ? (JSON.parse(said.text) as { code?: unknown }).code : undefined;
  };
  return { ...opened, of, answers, refusal, first, second, workUnitId, base };
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
    ['workspace.execOutput', { resultId: 'none' }],
    ['workspace.diff', { targetBranchId: 'side-one' }],
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
    const { refusal, second } = await twoRepositories();
    for (const [id, input] of NAMED)
      expect([id, await refusal(id, { branchId: 'side-one', repositoryId: second, ...input })]).toEqual([
        id,
        'reject.branch_not_found',
      ]);
  });

  it('what is said of all is said of the one that is named, and refused where none is', async () => {
    const { of, refusal, first, second, workUnitId } = await twoRepositories();
    const { branchId } = await of('workunit.get', { workUnitId });
    await of('branch.resyncFiles', { branchId, files: [{ path: 'new.ts', content: 'x\n' }] });
    const offer = { sourceBranch: '-', targetBranch: 'candidate', summary: 's', workUnitId };
    const { proposalId } = await of('merge.propose', offer);
    await of('merge.review', { proposalId, decision: 'Approved' });
    await of('merge.apply', { proposalId });
    /** Answers about the second repository and about the first. */
    const both = async (id: string, input: object = {}) => {
      expect([id, await refusal(id, input)]).toEqual([id, expect.stringMatching(/^reject\./)]);
      return [await of(id, { ...input, repositoryId: second }), await of(id, { ...input, repositoryId: first })];
    };
    expect(await both('candidate.pending')).toMatchObject([[{ proposalId }], []]);
    expect(await both('candidate.promote')).toMatchObject([{ proposalIds: [proposalId] }, { proposalIds: [] }]);
    await of('branch.resyncFiles', { branchId: 'side-two', files: [{ path: 'new.ts', content: 'y\n' }] });
    const [collisions, none] = await both('branch.collisions');
    expect([JSON.stringify(collisions), none]).toEqual([expect.stringContaining('side-two'), []]);
    for (const id of ['co-modification.compute', 'repository-conflict.list'])
      expect(await both(id)).toMatchObject([{ repositoryId: second }, { repositoryId: first }]);
    expect(await both('memory.add', { text: 't' })).toMatchObject([{ repositoryId: second }, { repositoryId: first }]);
    const rule = { title: 't', body: 'b' };
    expect(await both('constraint.create', { ...rule, repoSpecific: true })).toMatchObject([
      { repositoryId: second },
      { repositoryId: first },
    ]);
    const [begun] = (await both('external-goal.run', { goal: 'g' })) as { workUnitId: string }[];
    expect(await of('workunit.get', { workUnitId: begun?.workUnitId })).toMatchObject({ repositoryId: second });
  });

  it('a rule for a repository that is named is for that one alone', async () => {
    const { of, refusal, second } = await twoRepositories();
    const rule = { title: 't', body: 'b', repositoryId: second };
    const { artifactId } = await of('constraint.create', rule);
    expect(await of('constraint.list')).toMatchObject([{ artifactId, repositoryId: second, appliesToAllRepos: false }]);
    for (const [id, input] of [
      ['constraint.create', rule],
      ['constraint.scope', { artifactId, repositoryId: second }],
    ] as const)
      expect([id, await refusal(id, { ...input, repoSpecific: false })]).toEqual([id, 'reject.invalid_input']);
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
    expect(await at.refusal('workspace.replace', { ...often, expectedMatches: 1 })).toBe('reject.text_not_found');
    expect(await at.refusal('workspace.replace', { ...often, expectedMatches: 5 })).toBe('reject.text_not_found');
    await of('workspace.replace', { ...often, expectedMatches: 4 });
    await of('workspace.remove', { ...unit, path: 'two.ts' });
    expect(await exists('two.ts')).toBe(false);
    expect(JSON.stringify(await of('workspace.diff', { ...unit, targetBranchId: 'main' }))).toContain('two.ts');
    const { branchId: sourceBranchId } = await of('workunit.get', unit);
    expect(JSON.stringify(await of('workspace.diff', { sourceBranchId, targetBranchId: 'main' }))).toContain('two.ts');
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
