// `npm run sim:planted [words]`: plants each bug, looks for it with one seed after the other, and writes down in docs/proof.md what
// was found; with words, only those whose name has them, and nothing is written.
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundled } from './bundled.mjs';
import { planted } from './planted.mjs';

const run = promisify(execFile);
const SEEDS = 100;
const STEPS = 2500;
const PATIENCE_MS = 300_000;
const page = join(import.meta.dirname, '..', '..', 'docs', 'proof.md');
const [FROM, TO] = ['<!-- planted: begin -->', '<!-- planted: end -->'];

/**
 * What the simulator says of the engine with one bug planted; undefined when it says nothing within the seeds, or in five minutes.
 * @param {(typeof planted)[number]} bug
 * @returns {Promise<{ seed: number, played: number, law: string, message: string } | undefined>}
 */
export async function hunt(bug) {
  const program = await bundled(bug);
  try {
    const args = ['--seed', '1', '--seeds', String(SEEDS), '--steps', String(STEPS), '--hunt'];
    const { stdout } = await run(process.execPath, [program, ...args], { timeout: PATIENCE_MS });
    return stdout.startsWith('{') ? JSON.parse(stdout) : undefined;
  } catch (error) {
    if (error.killed) return undefined;
    throw error;
  } finally {
    await rm(program, { force: true });
  }
}

async function all() {
  const words = process.argv.slice(2).join(' ');
  const rows = ['| planted | found by | seed | steps until then |', '| --- | --- | ---: | ---: |'];
  let missed = 0;
  for (const bug of planted.filter(({ name }) => name.includes(words))) {
    const found = await hunt(bug);
    const isRight = found !== undefined && bug.laws.includes(found.law);
    if (!isRight) missed++;
    console.log(isRight ? 'found ' : 'MISSED', bug.name, found ? `${found.seed}: ${found.message.slice(0, 160)}` : '');
    const by = found ? `\`${found.law}\`` : 'nothing yet';
    rows.push(`| ${bug.name} | ${by} | ${found?.seed ?? ''} | ${found?.played.toLocaleString('en') ?? ''} |`);
  }
  if (words === '') await write(rows);
  process.exitCode = missed === 0 ? 0 : 1;
}

async function write(rows) {
  const text = await readFile(page, 'utf8');
  const [before, rest] = text.split(FROM);
  const after = rest.split(TO)[1];
  await writeFile(page, `${before}${FROM}\n\n${rows.join('\n')}\n\n${TO}${after}`);
}

if (process.argv[1] === import.meta.filename) await all();
