/** Tools of agents, called as a model calls them: by name, with text as the answer, on a branch of a real repository. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAgentDoor } from '../../doors/tools/agent.js';
import { agent } from '../../record/aggregates/agent/agent.js';
import { git, gitRepository, writeFiles } from '../../testing/git/git-repository.js';
import { openRecord } from '../../testing/record/open-record.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { cancelTree } from '../../rules/queue/cancel.js';
import { EndWithUnit } from '../../rules/runs/end-with-unit.js';
import { operationTable } from '../table.js';
import { SHOWN_INSTEAD, agentTable } from './table.js';

const FILES = {
  'src/sum.js': 'export function sum(a, b) {\n  return a - b;\n}\n',
  'src/app.js': "import { sum } from './sum.js';\n\nconsole.log(sum(1, 2));\n",
  'docs/a.md': '# A\n',
  'long.txt': Array.from({ length: 5000 }, (_, index) => `line ${index + 1}\n`).join(''),
};

async function atWork(files: Readonly<Record<string, string>> = FILES, unit: object = {}) {
  const record = await openRecord(undefined, { folder: await tempFolder() });
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, files);
  await record.call('repository.register', { path: user });
  const made = (await record.call('workunit.create', { goal: 'x', ...unit })) as {
    workUnitId: string;
    branchId: string;
  };
  const about = { agentId: 'a-1', agentType: 'worker', workUnitId: made.workUnitId, profileId: 'worker' };
  await record.change((change) => change.run(agent, 'a-1', 'spawn', about));
  const door = createAgentDoor(operationTable, record.shared, { table: agentTable, shownInstead: SHOWN_INSTEAD });
  const call = async (name: string, input: Readonly<Record<string, unknown>> = {}) => {
    const { text, isError } = await door.call({
      agentId: 'a-1',
      workUnitId: made.workUnitId,
      allowed: [],
      name,
      input,
    });
    return isError ? `refused: ${text}` : text;
  };
  const folder = async (): Promise<string> => {
    const { workingDirectory } = (await record.call('workspace.path', { branchId: made.branchId })) as {
      workingDirectory: string;
    };
    return workingDirectory;
  };
  return {
    ...record,
    ask: record.call,
    ...made,
    user,
    door,
    call,
    folder,
    textIn: async (path: string) => readFile(join(await folder(), path), 'utf8'),
  };
}

describe('tools of agents', () => {
  it('are listed in place of those of the contract that do the same, which still answer', async () => {
    const { door, call } = await atWork();
    const names = door.tools([]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(agentTable.map(({ tool }) => tool)));
    for (const name of Object.values(SHOWN_INSTEAD).flat()) expect(names).not.toContain(`svc_v1_${name}`);
    for (const [own, others] of Object.entries(SHOWN_INSTEAD)) {
      expect(agentTable.map(({ tool }) => tool)).toContain(own);
      for (const name of others) expect(operationTable.map(({ tool }) => tool)).toContain(name);
    }
    expect(door.tools(['workspace_read']).map(({ name }) => name)).toEqual(['svc_v1_workspace_read']);
    expect(await call('svc_v1_workspace_read', { path: 'docs/a.md' })).toContain('"content":"# A\\n"');
    expect(agentTable.filter(({ tool }) => operationTable.some((other) => other.tool === tool))).toEqual([]);
  });

  it('are for agents with work alone, and say in words what is wrong', async () => {
    const { door, call } = await atWork();
    const stranger = await door.call({ agentId: 'a-2', allowed: [], name: 'view', input: { path: 'docs/a.md' } });
    expect(stranger).toMatchObject({ isError: true, text: expect.stringContaining('works on no unit') as string });
    const hidden = await door.call({ agentId: 'a-1', allowed: ['glob'], name: 'view', input: { path: 'docs/a.md' } });
    expect(hidden).toMatchObject({
      isError: true,
      text: expect.stringContaining('view is not allowed here') as string,
    });
    expect(await call('view', { file: 'x' })).toMatch(/^refused: Refused: .*path.*\(reject\.invalid_input\)$/s);
  });
});

describe('reading', () => {
  it('shows lines with their numbers, and says how to see the rest', async () => {
    const { call } = await atWork();
    expect(await call('view', { path: 'src/sum.js' })).toBe(
      'src/sum.js, 3 lines\n1\texport function sum(a, b) {\n2\t  return a - b;\n3\t}',
    );
    const part = await call('view', { path: 'long.txt', from: 10, lines: 2 });
    expect(part).toBe('long.txt, lines 10-11 of 5000; the rest: from 12\n10\tline 10\n11\tline 11');
    expect(await call('view', { path: 'long.txt' })).toMatch(/^long\.txt, lines 1-2000 of 5000; the rest: from 2001\n/);
    expect(await call('view', { path: 'long.txt', from: 6000 })).toMatch(/has 5000 lines/);
    expect(await call('view', { path: '.' })).toBe(
      'The root is a folder of 4 files:\ndocs/ (1 files)\nlong.txt\nsrc/ (2 files)',
    );
    expect(await call('view', { path: 'lib/sum.js' })).toMatch(
      /^refused: .*there is no file lib\/sum\.js; there is src\/sum\.js/,
    );
    expect(await call('view', { path: '../x' })).toMatch(/reject\.path_outside_repository/);
  });

  it('finds files by name and by content', async () => {
    const { call } = await atWork();
    expect(await call('glob', { pattern: '*.js' })).toBe('2 files\nsrc/app.js\nsrc/sum.js');
    expect(await call('glob', { pattern: '*.py' })).toBe('No file matches *.py.');
    expect(await call('grep', { pattern: 'sum\\(' })).toBe(
      '2 places in 2 files\nsrc/app.js\n3: console.log(sum(1, 2));\nsrc/sum.js\n1: export function sum(a, b) {',
    );
    expect(await call('grep', { pattern: 'RETURN', ignoreCase: true, context: 1, glob: '*.js' })).toBe(
      '1 places in 1 files\nsrc/sum.js\n1- export function sum(a, b) {\n2:   return a - b;\n3- }',
    );
    expect(await call('grep', { pattern: 'sum(', literal: true, path: 'docs' })).toBe('Nothing matches.');
    expect(await call('grep', { pattern: 'line', most: 3 })).toMatch(/^3 places in 1 files; there are more: narrow/);
    expect(await call('grep', { pattern: '(' })).toMatch(/^refused: .*unclosed/s);
    expect(await call('glob', { path: 'docs' })).toBe('1 files\ndocs/a.md');
    expect(await call('grep', { pattern: 'sum|A', glob: '*.md' })).toBe('1 places in 1 files\ndocs/a.md\n1: # A');
  });

  it('finds symbols as their language sees them', async () => {
    const { call } = await atWork();
    const found = await call('symbols', { ask: 'definition', name: 'sum', path: 'src/app.js' });
    expect(found).toMatch(/src\/sum\.js:1: export function sum\(a, b\) \{ {2}\(function\)/);
    expect(await call('symbols', { ask: 'references' })).toMatch(/name: is needed, or a path and a line/);
    const uses = await call('symbols', { ask: 'references', name: 'sum' });
    expect(await call('symbols', { ask: 'references', name: 'sum', path: 'docs/a.md' })).toMatch(/^refused: /);
    expect(uses.split('\n').map((line) => line.split(': ')[0])).toEqual([
      '3 places',
      ...['src/app.js:1', 'src/app.js:3', 'src/sum.js:1'],
    ]);
    // By the place where it stands.
    const at = (path: string, line: number) => call('symbols', { ask: 'definition', path, line });
    expect(await at('src/app.js', 3)).toMatch(/^1 places\nsrc\/sum\.js:1: export function sum/);
    expect(await at('src/app.js', 2)).toMatch(/^No definition was found/);
    expect(await at('src/none.js', 1)).toMatch(/^refused: .*there is no file src\/none\.js/);
  });

  it('shows what is declared, with members, those files first that others use most', async () => {
    const { call } = await atWork({
      ...FILES,
      'src/a.js':
        'import {\n  sum,\n} from "./sum.js";\nexport class Door {\n  open() {\n    const inside = 1;\n    return inside;\n  }\n}\n',
    });
    const all = await call('symbols', { ask: 'outline' });
    expect(all.split('\n')).toEqual([
      '2 files that declare something, those first that others use most:',
      'src/sum.js',
      '  1: export function sum(a, b) {  (function)',
      'src/a.js',
      '  4: export class Door {  (class)',
      '    5: open() {  (method)',
    ]);
    expect(await call('symbols', { ask: 'outline', path: 'src/a.js' })).toMatch(/^1 files .*\nsrc\/a\.js\n/);
    expect(await call('symbols', { ask: 'outline', path: 'docs' })).toMatch(/^refused: .*no symbols are known/);
    expect(await call('symbols', { ask: 'outline', path: 'nowhere' })).toMatch(/^refused: .*there is no file nowhere/);
  });

  it('shows the past: commits, what they changed, and who wrote a line', async () => {
    const { call, user, record } = await past();
    const log = await call('git_log', { path: 'src/sum.js' });
    expect(log.split('\n').map((line) => line.replace(/^\S+ \S+ /, ''))).toEqual(['T: Turn it round', 'T: First']);
    const [commit = ''] = log.split(' ');
    expect(await call('git_log', { most: 1 })).toMatch(/\n\[there are more: skip 1\]$/);
    expect(await call('git_show', { commit })).toMatch(
      /Turn it round\n\nBecause\.\n\ndiff --git.*-  return a - b;\n\+ {2}return b - a;/s,
    );
    expect(await call('git_show', { commit, path: 'docs' })).not.toContain('return');
    const [newest = '', first = ''] = (await call('git_log', {})).split('\n').map((line) => line.split(' ')[0]);
    expect(await call('git_log', { skip: 1 })).toMatch(new RegExp(`^${first} \\S+ T: First$`));
    expect(await call('git_log', { from: first })).toMatch(new RegExp(`^${first} \\S+ T: First$`));
    expect(await call('git_log', { path: 'docs' })).toMatch(new RegExp(`^${first} \\S+ T: First$`));
    expect(newest).toBe(commit);
    expect(await call('git_blame', { path: 'src/sum.js', from: 2, to: 2 })).toMatch(
      new RegExp(`^${commit} .* \\(Turn it round\\) 2\t  return b - a;$`),
    );
    expect(await call('git_blame', { path: 'none' })).toMatch(/no text file none/);
    expect(await call('git_show', { commit: 'main; ls' })).toMatch(/no commit is called main; ls; git_log names them/);
    void [user, record];
  });

  async function past() {
    const record = await openRecord(undefined, { folder: await tempFolder() });
    const user = join(await tempFolder(), 'user');
    await gitRepository(user, FILES);
    await git(user, 'commit', '--quiet', '--amend', '-m', 'First');
    await writeFiles(user, { 'src/sum.js': FILES['src/sum.js'].replace('a - b', 'b - a') });
    await git(user, 'commit', '--quiet', '-a', '-m', 'Turn it round\n\nBecause.');
    await record.call('repository.register', { path: user });
    const { workUnitId } = (await record.call('workunit.create', { goal: 'x' })) as { workUnitId: string };
    const about = { agentId: 'a-1', agentType: 'worker', workUnitId, profileId: 'worker' };
    await record.change((change) => change.run(agent, 'a-1', 'spawn', about));
    const door = createAgentDoor(operationTable, record.shared, { table: agentTable, shownInstead: SHOWN_INSTEAD });
    const call = async (name: string, input: Readonly<Record<string, unknown>>) =>
      (await door.call({ agentId: 'a-1', workUnitId, allowed: [], name, input })).text;
    return { record, user, call };
  }
});

describe('writing', () => {
  it('edits what is there, shows what has become of it, and what is there instead where it does not fit', async () => {
    const { call, textIn } = await atWork();
    const edits = [{ old: 'return a - b;', new: 'return a + b;' }];
    expect(await call('edit', { path: 'src/sum.js', edits })).toBe(
      'src/sum.js is changed:\n1\texport function sum(a, b) {\n2\t  return a + b;\n3\t}',
    );
    expect(await textIn('src/sum.js')).toBe(FILES['src/sum.js'].replace('-', '+'));
    expect(await call('edit', { path: 'src/sum.js', edits })).toMatch(
      /^refused: Refused: src\/sum\.js: the old text is not in the file. The nearest lines are:\n2\t {2}return a \+ b;/,
    );
    const loose = [
      { old: 'export function sum(a, b) {\n      return a + b;', new: 'export function sum(a, b) {\n      return b;' },
    ];
    expect(await call('edit', { path: 'src/sum.js', edits: loose })).toMatch(/\(indentation taken as it is there\)/);
    expect(await call('edit', { path: 'none', edits })).toMatch(/there is no file none/);
  });

  it('writes whole files and parts of them; who has not read a file does not write over it', async () => {
    const { call, textIn } = await atWork();
    expect(await call('write', { path: 'new.txt', text: 'one\n' })).toBe('new.txt is made; it has 1 lines.');
    expect(await call('write', { path: 'new.txt', text: 'two', append: true })).toBe(
      'new.txt is added to; it has 2 lines.',
    );
    expect(await textIn('new.txt')).toBe('one\ntwo');
    expect(await call('write', { path: 'docs/a.md', text: 'x' })).toMatch(/reject\.not_read/);
    await call('view', { path: 'docs/a.md' });
    expect(await call('write', { path: 'docs/a.md', text: 'x' })).toBe('docs/a.md is written anew; it has 1 lines.');
    await call('view', { path: 'long.txt', from: 2 });
    expect(await call('write', { path: 'long.txt', text: 'x' })).toMatch(/reject\.not_read/);
  });

  it('patches several files, all of them or none', async () => {
    const { call, textIn, folder } = await atWork();
    const patch = [
      '*** Begin Patch',
      '*** Update File: src/sum.js',
      '@@ export function sum',
      '-  return a - b;',
      '+  return a + b;',
      '*** Update File: docs/a.md',
      '*** Move to: docs/b.md',
      '@@',
      ' # A',
      '+More.',
      '*** Add File: src/more.js',
      '+export const more = 1;',
      '*** End Patch',
    ].join('\n');
    const broken = patch.replace('-  return a - b;', '-  return a * b;');
    expect(await call('patch', { patch: broken })).toMatch(
      /^refused: Refused: src\/sum\.js: .*nearest lines are:\n2\t/s,
    );
    expect(await textIn('docs/a.md')).toBe('# A\n');
    const late = patch.replace(' # A', ' # Z Z');
    expect(await call('patch', { patch: late })).toMatch(/^refused: Refused: docs\/a\.md/);
    expect(await textIn('src/sum.js')).toBe(FILES['src/sum.js']);
    expect(await call('patch', { patch })).toMatch(
      /^src\/sum\.js is changed\n.*\n\ndocs\/a\.md is moved to docs\/b\.md\n.*src\/more\.js is made\.$/s,
    );
    expect(await textIn('src/more.js')).toBe('export const more = 1;\n');
    expect(await textIn('docs/b.md')).toBe('# A\nMore.\n');
    await expect(stat(join(await folder(), 'docs/a.md'))).rejects.toThrow();
    expect(await call('patch', { patch: 'nonsense' })).toMatch(/no file is named in the patch/);
    await call('patch', { patch: '*** Add File: last.txt\n+to the end' });
    expect(await textIn('last.txt')).toBe('to the end\n');
  });

  it('moves and deletes, and takes nothing for gone that is there', async () => {
    const { call, textIn } = await atWork();
    expect(await call('move', { from: 'src/sum.js', to: 'lib/add.js' })).toMatch(/^src\/sum\.js is lib\/add\.js now\./);
    expect(await textIn('lib/add.js')).toBe(FILES['src/sum.js']);
    expect(await call('move', { from: 'src/app.js', to: 'docs/a.md' })).toMatch(/docs\/a\.md is there already/);
    expect(await call('delete', { path: 'src/app.js' })).toBe('src/app.js is deleted.');
    expect(await call('delete', { path: 'src/app.js' })).toMatch(/there is no file src\/app\.js/);
    expect(await call('glob', { pattern: '*.js' })).toBe('1 files\nlib/add.js');
  });

  it('stays within the files of the work', async () => {
    const { call, textIn } = await atWork(FILES, { fileScope: ['src/**'] });
    expect(await call('edit', { path: 'docs/a.md', edits: [{ old: 'A', new: 'B' }] })).toMatch(
      /reject\.outside_file_scope/,
    );
    const patch = '*** Update File: src/sum.js\n-  return a - b;\n+  return b;\n*** Add File: x\n+x';
    expect(await call('patch', { patch })).toMatch(/reject\.outside_file_scope/);
    expect(await call('move', { from: 'src/sum.js', to: 'x.js' })).toMatch(/reject\.outside_file_scope/);
    expect(await textIn('src/sum.js').catch(() => FILES['src/sum.js'])).toBe(FILES['src/sum.js']);
  });

  it('shows what was changed since the branch began, saved or not', async () => {
    const { call, ask, branchId } = await atWork();
    expect(await call('diff')).toBe('Nothing has changed.');
    await call('write', { path: 'new.txt', text: 'one\n' });
    await call('edit', { path: 'src/sum.js', edits: [{ old: 'a - b', new: 'a + b' }] });
    expect(await call('diff')).toMatch(
      /^2 files\nAdded {4}new\.txt\nModified src\/sum\.js\n\ndiff --git .*\+one\n.*\+ {2}return a \+ b;/s,
    );
    expect(await call('diff', { path: 'new.txt' })).not.toContain('sum.js');
    expect(await call('diff', { against: 'main' })).toContain('+one');
    await ask('branch.create', { name: 'so-far', fromBranchId: branchId });
    expect(await call('diff', { against: 'so-far' })).toBe('Nothing has changed.');
  });
});

describe('running', () => {
  it('runs commands, and keeps what they wrote', async () => {
    const { call } = await atWork();
    expect(await call('run', { command: 'ls', folder: 'docs' })).toMatch(/\na\.md\n$/);
    const told = await call('run', { command: 'echo out; echo err >&2; exit 3' });
    expect(told).toMatch(/^run 2 \(echo out; .*\) ended with exit code 3 after \d+\.\d s\.\n/);
    expect(told.split('\n').slice(1).toSorted()).toEqual(['', 'err', 'out']);
    expect(await call('run', { command: 'true' })).toMatch(/^run 3 .* exit code 0 .*\nIt has written nothing\.$/);
    const long = await call('run', { command: 'i=0; while [ $i -lt 9000 ]; do i=$((i+1)); echo "row $i"; done' });
    expect(long).toMatch(
      /row 1\n.*\[\d+ characters in \d+ lines left out; run_output shows them for run 4\]\n.*row 9000/s,
    );
    expect(await call('run_output', { run: '4', from: 5000, lines: 2 })).toMatch(
      /exit code 0\.\nlines 5000-5001 of 9000\n5000\trow 5000\n5001\trow 5001$/,
    );
    expect(await call('run_output', { run: 'run 4', containing: 'row 899', lines: 2 })).toMatch(
      /8998\trow 8998\n8999\trow 8999$/,
    );
    expect(await call('run_output', { run: '9' })).toMatch(/no run is called 9; known are 1, 2, 3, 4/);
    expect(await call('run', { command: 'sleep 60', seconds: 1 })).toMatch(
      /was stopped after 1 seconds\. Give it more, or run it in the/,
    );
  });

  it.each(['build', 'test', 'lint'])('%s is done in the folder that is named, for as long as is said', async (name) => {
    const { call } = await atWork();
    expect(await call(name, { command: 'ls', root: 'docs' })).toMatch(/ in docs \(ls\): passed.*\na\.md\n/s);
    expect(await call(name, { command: 'sleep 60', seconds: 1 })).toMatch(/: stopped, because it took too long/);
  });

  it('leaves commands running, waits for what they write, and stops them', async () => {
    const { call, folder } = await atWork();
    const command = 'while [ ! -e go ]; do sleep 0.02; done; echo ready; sleep 600';
    expect(await call('run', { command, background: true })).toMatch(/^run 1 \(.*\) runs\.\n/);
    const waiting = call('run_output', { run: '1', wait: 60, until: 'ready' });
    await writeFile(join(await folder(), 'go'), '');
    expect(await waiting).toMatch(/^run 1 .* runs\.\nlines 1-1 of 1\n1\tready$/);
    expect(await call('run_stop', { run: '1' })).toMatch(/is stopped\.$/);
    expect(await call('run_output', { run: '1', wait: 60 })).toMatch(/^run 1 .* was stopped\./);
  });

  it('ends what runs when the work is over', async () => {
    const { call, workUnitId, branchId, records, shared, change } = await atWork();
    await call('run', { command: 'sleep 600', background: true });
    const key = { repositoryId: records.branches.get(branchId)?.repositoryId ?? '', branchId };
    const [command] = shared.programs.commands.running(key);
    const follower = new EndWithUnit(records, shared.programs);
    await change((open) => cancelTree(open, records, workUnitId));
    follower.fold({
      id: workUnitId,
      key: '',
      aggregate: 'work-unit',
      position: 0,
      event: {},
      meta: { at: '', by: '' },
    });
    expect(await command?.running.ended).toMatchObject({ why: 'stopped' });
    await expect.poll(() => shared.programs.commands.running(key)).toEqual([]);
  });

  it('prove nothing by a command of their own that succeeds, and against it by one that fails', async () => {
    const { call, ask, records } = await atWork();
    const proofs = () => records.evidence.all().map(({ kind, success }) => [kind, success]);
    for (const name of ['build', 'test', 'lint']) await call(name, { command: 'true' });
    expect(records.executions.all()).toHaveLength(3);
    expect(proofs()).toEqual([]);
    for (const name of ['build', 'test']) await call(name, { command: 'false' });
    expect(proofs()).toEqual([
      ['Build', false],
      ['Test', false],
    ]);
    await ask('option.change', { testCommand: 'echo "the project" && true' });
    await call('test');
    expect(proofs().slice(2)).toEqual([['Test', true]]);
  });

  it('names the tests that fail, and what has changed since', async () => {
    const { call, records } = await atWork({
      ...FILES,
      'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test --test-reporter=tap' } }),
      'test/sum.test.js': [
        "import { test } from 'node:test';",
        "import assert from 'node:assert/strict';",
        "import { sum } from '../src/sum.js';",
        "test('adds', () => assert.equal(sum(1, 2), 3));",
        "test('keeps', () => assert.equal(sum(1, 0), 1));",
        '',
      ].join('\n'),
    });
    const failed = await call('test');
    expect(failed).toMatch(
      /^Test in \. \(npm .*\): failed with exit code 1; 1 passed, 1 failed, 0 skipped\n- adds — test\/sum\.test\.js:4 — /,
    );
    const [, name = ''] = /Recorded as run (\S+)\.$/.exec(failed) ?? [];
    expect(records.executions.get(name)).toBeDefined();
    expect(await call('run_output', { run: name, containing: 'not ok' })).toContain('not ok');
    await call('edit', { path: 'src/sum.js', edits: [{ old: 'a - b', new: 'a + b' }] });
    expect(await call('test')).toMatch(
      /: passed; 2 passed, 0 failed, 0 skipped\nSince the last run: no longer fails: adds\n/,
    );
    expect(await call('build', { command: 'echo "src/sum.js:2:3: error: no"; exit 1' })).toMatch(
      /^Build in \. .*: failed with exit code 1\n- src\/sum\.js:2 — no\n/,
    );
    expect(await call('lint', { command: 'true' })).toMatch(/^Lint in \. \(true\): passed/);
  });

  it('names files as they are found from the root, whichever project has named them', async () => {
    const { call } = await atWork({
      'services/api/package.json': JSON.stringify({
        scripts: { build: `echo "src/a.ts(2,3): error TS1: no"; exit 1` },
      }),
      'services/api/src/a.ts': 'a\n',
    });
    expect(await call('build')).toContain('\n- services/api/src/a.ts:2 — TS1: no\n');
  });
});

it('a fact that is to be remembered waits for a person, with how it is known', async () => {
  const { call, records } = await atWork();
  expect(await call('remember', { text: 'Tests need a database.', why: 'They failed without one.' })).toMatch(
    /: a person will confirm or refuse it; go on$/,
  );
  expect(records.memories.all()).toMatchObject([
    { text: 'Tests need a database.', why: 'They failed without one.', agentId: 'a-1', status: 'Proposed' },
  ]);
});

describe('the to-do list', () => {
  it('is shown to people as what the agent does', async () => {
    const { call, records } = await atWork();
    const steps = [
      { text: 'read', state: 'done' },
      { text: 'write', state: 'doing' },
    ];
    expect(await call('todo', { steps })).toBe('1 of 2 steps are done.\n[x] read\n[>] write');
    expect(records.agents.get('a-1')?.currentActivity).toBe('write (1 of 2)');
    await call('todo', { steps: steps.map(({ text }) => ({ text, state: 'done' })) });
    expect(records.agents.get('a-1')?.currentActivity).toBe('all steps are done (2 of 2)');
  });
});

describe('a proposal', () => {
  const PROJECT = {
    ...FILES,
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node check.js' } }),
    'check.js': "import { sum } from './src/sum.js';\n\nif (sum(1, 2) !== 3) throw new Error('no sum');\n",
  };
  const propose = { sourceBranch: 'mine', targetBranch: 'main', summary: 'done' };

  it('rests on what the host has run: a test in a way of its own proves nothing', async () => {
    const { call, records, ask } = await atWork(PROJECT);
    await ask('option.change', { requireTestBeforeProposal: true });
    await call('write', { path: 'new.txt', text: 'x' });
    for (const [name, input] of [
      ['test', { command: 'true' }],
      ['svc_v1_workspace_test', { testCommand: 'true' }],
      ['svc_v1_workspace_exec', { test: true, environmentVariables: { NODE_OPTIONS: '--check' } }],
    ] as const)
      await call(name, input);
    expect(records.executions.all().map(({ asAsked }) => asAsked)).toEqual([true, true, true]);
    await call('svc_v1_merge_propose', propose);
    expect(records.proposals.all()).toMatchObject([
      { status: 'Rejected', reviewNotes: expect.stringContaining('the test has failed') as string },
    ]);
  });

  it('holds no change outside of the scope, whatever has written it: such are taken back, and told', async () => {
    const { call, records, textIn, folder } = await atWork(PROJECT, { fileScope: ['src/**'] });
    await call('edit', { path: 'src/sum.js', edits: [{ old: 'a - b', new: 'a + b' }] });
    await call('run', { command: 'echo gone > check.js; rm docs/a.md; echo x > extra.txt' });
    const refused = await call('svc_v1_merge_propose', propose);
    expect(refused).toMatch(/check\.js, docs\/a\.md, extra\.txt were changed outside of the scope .* taken back/);
    expect(records.proposals.all()).toEqual([]);
    expect(await textIn('check.js')).toBe(PROJECT['check.js']);
    expect(await textIn('docs/a.md')).toBe(FILES['docs/a.md']);
    await expect(stat(join(await folder(), 'extra.txt'))).rejects.toThrow();
    await call('svc_v1_merge_propose', propose);
    expect(records.proposals.all()).toMatchObject([{ filesTouched: ['src/sum.js'] }]);
  });

  it('says what it takes away from the tests, whatever its author says', async () => {
    const { call, records, ask } = await atWork({ ...PROJECT, 'test/sum.test.js': 'assert(sum(1, 2) === 3);\n' });
    await call('delete', { path: 'test/sum.test.js' });
    await call('svc_v1_merge_propose', { ...propose, summary: 'All tests pass.' });
    const proposalId = records.proposals.all()[0]?.proposalId ?? '';
    expect(await ask('merge.get', { proposalId })).toMatchObject({
      troubles: [{ kind: 'LostTests', text: 'test/sum.test.js is deleted, with 1 checks' }],
    });
  });
});

describe('a review', () => {
  async function proposed() {
    const rig = await atWork();
    await rig.call('view', { path: 'src/sum.js' });
    await rig.call('edit', { path: 'src/sum.js', edits: [{ old: 'a - b', new: 'a + b' }] });
    const offer = { sourceBranch: rig.branchId, targetBranch: 'main', summary: 's', workUnitId: rig.workUnitId };
    const { proposalId } = (await rig.ask('merge.propose', offer)) as { proposalId: string };
    const about = { agentId: 'a-2', agentType: 'reviewer', workUnitId: rig.workUnitId, profileId: 'reviewer' };
    await rig.change((change) => change.run(agent, 'a-2', 'spawn', about));
    const review = async (input: Readonly<Record<string, unknown>>) => {
      const asked = { agentId: 'a-2', workUnitId: rig.workUnitId, allowed: [], name: 'review' };
      return (await rig.door.call({ ...asked, input: { verificationResults: 'npm test passes', ...input } })).text;
    };
    return { ...rig, review, stored: () => rig.records.proposals.get(proposalId)! };
  }

  it('that rejects names file and line of each finding, or why there is none, as its author reads them', async () => {
    const { review, stored, records, workUnitId } = await proposed();
    const decision = 'Rejected';
    const text = 'sum(0.1, 0.2) is not 0.3';
    expect(await review({ decision, findings: [] })).toContain('a rejection says what is wrong');
    expect(await review({ decision, findings: [{ severity: 'major', text }] })).toContain('finding 1 has no place');
    expect(await review({ decision, findings: [{ severity: 'major', path: 'src/sum.js', text }] })).toContain(
      'finding 1 has no place',
    );
    expect(await review({ decision, findings: [{ severity: 'major', path: 'sum.js', line: 2, text }] })).toContain(
      'there is no file sum.js',
    );
    expect(stored().status).toBe('Draft');
    const findings = [
      { severity: 'major', path: 'src/sum.js', line: 2, text },
      { severity: 'minor', placeless: 'no test is there yet', text: 'nothing tests sums' },
    ];
    expect(await review({ decision, findings })).toBe(`${stored().proposalId} is Rejected.`);
    const notes = `src/sum.js:2: major: ${text}\nminor: nothing tests sums (no test is there yet)`;
    expect(stored()).toMatchObject({ status: 'Rejected', reviewNotes: notes, verificationResults: 'npm test passes' });
    expect(records.artifacts.where('owner', workUnitId).map(({ body }) => body)).toContain(notes);
  });

  it('that approves has its lesser findings, or none', async () => {
    const { review, stored } = await proposed();
    expect(await review({ decision: 'Approved', findings: [], proposalId: 'of-others' })).toContain(
      'of your work unit',
    );
    expect(await review({ decision: 'Approved', findings: [] })).toContain('is Approved');
    expect(stored().reviewNotes ?? '').toBe('');
  });
});
