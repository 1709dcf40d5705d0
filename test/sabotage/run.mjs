// `npm run sabotage [words]`: sabotages the sources one by one, runs the test file that must notice, and writes down in docs/proof.md
// which test did; with words, only those whose name has them, and nothing is written.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sabotages } from './table.mjs';

const root = join(import.meta.dirname, '..', '..');
const page = join(root, 'docs', 'proof.md');
const [FROM, TO] = ['<!-- sabotages: begin -->', '<!-- sabotages: end -->'];
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');

/**
 * The first test that fails with the sabotage; undefined when none does.
 * @param {(typeof sabotages)[number]} sabotage
 * @returns {Promise<string | undefined>}
 */
export async function noticed(sabotage) {
  const folder = await mkdtemp(join(tmpdir(), 'sabotage-'));
  const report = join(folder, 'report.json');
  const args = [vitest, 'run', '--config', join(root, 'vitest.sabotage.config.ts'), sabotage.caughtBy];
  const env = { ...process.env, SABOTAGE: String(sabotages.indexOf(sabotage)) };
  try {
    const said = await new Promise((resolve) => {
      const told = ['--reporter=json', `--outputFile=${report}`];
      execFile(process.execPath, [...args, ...told], { cwd: root, env }, (_, out, err) => resolve(out + err));
    });
    const text = await readFile(report, 'utf8').catch(() => undefined);
    if (text === undefined) throw new Error(`${sabotage.name}: nothing ran\n${said}`);
    const tests = JSON.parse(text).testResults.flatMap((file) => file.assertionResults);
    if (tests.length === 0) throw new Error(`${sabotage.name}: nothing ran\n${said}`);
    return tests.find(({ status }) => status === 'failed')?.title;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function all() {
  const words = process.argv.slice(2).join(' ');
  const rows = [];
  for (const sabotage of sabotages.filter(({ name }) => name.includes(words))) {
    const test = await noticed(sabotage);
    console.log(test === undefined ? 'MISSED' : 'noticed', sabotage.name, test ?? '');
    if (test === undefined) process.exitCode = 1;
    rows.push(`| ${sabotage.name} | ${test === undefined ? 'nothing' : `\`${test}\``} | \`${sabotage.caughtBy}\` |`);
  }
  if (words !== '') return;
  const text = await readFile(page, 'utf8');
  const [before, rest] = text.split(FROM);
  const head = ['| sabotage | noticed by | in |', '| --- | --- | --- |'];
  await writeFile(page, `${before}${FROM}\n\n${[...head, ...rows].join('\n')}\n\n${TO}${rest.split(TO)[1]}`);
}

if (process.argv[1] === import.meta.filename) await all();
