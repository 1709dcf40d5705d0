/** Sample repository of the demonstration: a small program with tests of its own. */
import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { NEW_REPOSITORIES } from '../workspace/git/calls/run-git.js';

const run = promisify(execFile);

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "calculator", "type": "module", "private": true, "scripts": { "test": "node --test" } }\n',
  'src/index.js': "export { add } from './add.js';\n",
  'src/add.js': 'export const add = (a, b) => a + b;\n',
  'test/add.test.js': testOf('add', 'assert.equal(add(2, 3), 5);\n'),
};

/** Makes the repository, unless it is there from an earlier run. */
export async function makeRepository(folder: string): Promise<void> {
  const isThere = await access(join(folder, '.git', 'refs', 'heads', 'main')).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--message=A calculator that adds');
}

/** Runs the repository's tests. Answers whether all passed, and their output. */
export async function runItsTests(folder: string): Promise<{ readonly passed: boolean; readonly output: string }> {
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...env } = process.env;
  // Within the single executable, node is whatever the user has installed.
  const node = /(^|[\\/])node(\.exe)?$/.test(process.execPath) ? process.execPath : 'node';
  try {
    const { stdout } = await run(node, ['--test'], { cwd: folder, env });
    return { passed: true, output: stdout };
  } catch (error) {
    return { passed: false, output: error instanceof Error ? error.message : String(error) };
  }
}

export function testOf(name: string, body: string): string {
  return (
    "import { test } from 'node:test';\nimport assert from 'node:assert/strict';\n" +
    `import { ${name} } from '../src/${name}.js';\n\ntest('${name}', () => {\n  ${body}});\n`
  );
}

async function git(folder: string, ...args: string[]): Promise<void> {
  const who = ['-c', 'user.name=Demo', '-c', 'user.email=demo@localhost'];
  await run('git', [...who, ...args], { cwd: folder, env: { ...process.env, ...NEW_REPOSITORIES } });
}
