import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runSuite } from '../../.ci/again.mjs';
import { countTests, readReport } from '../../.ci/report.mjs';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'node_modules', '.weft', `again-${process.pid}`);
const report = join(folder, 'report.json');

/** A real run over the files of the folder; it counts how often each of them was loaded. */
function run(args: readonly string[], file: string): Promise<boolean> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=./.ci/reporter.mjs', '--root', root, '--dir', folder];
  const env = { ...process.env, TESTS_REPORT: file };
  const done = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', join(folder, 'config.mjs'), ...reporters, ...args],
    {
      cwd: root,
      env,
    },
  );
  return Promise.resolve(done.status === 0);
}

async function testFile(name: string, body: string): Promise<void> {
  const loaded = JSON.stringify(join(folder, `${name}.loaded`));
  await writeFile(
    join(folder, `${name}.test.mjs`),
    `import { appendFileSync, readFileSync } from 'node:fs';
     import { expect, test } from 'vitest';
     appendFileSync(${loaded}, '.');
     const times = readFileSync(${loaded}).length;
     ${body}`,
  );
}

const timesLoaded = async (name: string) => (await readFile(join(folder, `${name}.loaded`), 'utf8')).length;

const inFolder = (name: string) => join(folder, `${name}.test.mjs`).slice(root.length + 1);

beforeEach(async () => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'config.mjs'), `export default { test: { include: ['**/*.test.mjs'], exclude: [] } };`);
  // A whole run has asked for it, for its own suites.
  vi.stubEnv('TESTS_AGAIN', undefined);
  vi.spyOn(console, 'log').mockReturnValue();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

describe('a suite with failures', () => {
  test('runs them once more where that is asked for, and tells which held then', async () => {
    vi.stubEnv('TESTS_AGAIN', '1');
    await testFile('steady', `test('holds', () => {});`);
    await testFile('chance', `test('fails once', () => expect(times).toBe(2)); test('beside it', () => {});`);
    await testFile(
      'outside',
      `test('holds', () => {}); if (times === 1) void Promise.reject(new Error('nobody waits'));`,
    );
    await testFile('unloadable', `if (times === 1) throw new Error('not yet'); test('is there', () => {});`);

    expect(await runSuite(run, report)).toBe(true);

    const counts = countTests(readReport(report));
    expect(counts).toMatchObject({ passed: 5, failed: 0 });
    expect([...counts.unsteady].sort()).toEqual([
      `${inFolder('chance')}: fails once: expected 1 to be 2 // Object.is equality`,
      `${inFolder('outside')}: nobody waits`,
      `${inFolder('unloadable')}: outside its tests`,
    ]);
    expect(await timesLoaded('steady')).toBe(1);
  });

  test('runs each in a process that no other one has left anything in', async () => {
    vi.stubEnv('TESTS_AGAIN', '1');
    await writeFile(
      join(folder, 'config.mjs'),
      `export default { test: { include: ['**/*.test.mjs'], exclude: [], isolate: false } };`,
    );
    const body = `test('finds nothing', () => {
      expect(times).toBe(2);
      expect(globalThis.left).toBeUndefined();
      globalThis.left = true;
    });`;
    for (const name of ['one', 'other']) await testFile(name, body);
    expect(await runSuite(run, report)).toBe(true);
    expect(countTests(readReport(report))).toMatchObject({ passed: 2, failed: 0 });
  });

  test('has failed where one fails again', async () => {
    vi.stubEnv('TESTS_AGAIN', '1');
    await testFile('chance', `test('fails once', () => expect(times).toBe(2));`);
    await testFile('wrong', `test('is wrong', () => expect(times).toBe(0));`);

    expect(await runSuite(run, report)).toBe(false);
    expect(countTests(readReport(report))).toEqual({
      passed: 1,
      failed: 1,
      unsteady: [`${inFolder('chance')}: fails once: expected 1 to be 2 // Object.is equality`],
    });
  });

  test('has failed at once where nobody asked, or where too much has failed for chance', async () => {
    await testFile('chance', `test('fails once', () => expect(times).toBe(2));`);
    expect(await runSuite(run, report)).toBe(false);
    expect(countTests(readReport(report))).toEqual({ passed: 0, failed: 1, unsteady: [] });

    vi.stubEnv('TESTS_AGAIN', '1');
    await testFile('many', `for (let n = 0; n < 9; n++) test('is wrong ' + n, () => expect(times).toBe(0));`);
    expect(await runSuite(run, report)).toBe(false);
    expect(await timesLoaded('many')).toBe(1);
    expect(countTests(readReport(report))).toMatchObject({ passed: 1, failed: 9 });
  });

  test('counts a failure that no test tells', async () => {
    await testFile('steady', `test('holds', () => {});`);
    const ending = async (args: readonly string[], file: string) => (await run(args, file)) && false;
    expect(await runSuite(ending, report)).toBe(false);
    expect(countTests(readReport(report))).toMatchObject({ passed: 1, failed: 1 });
  });
});
