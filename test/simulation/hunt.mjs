// `npm run sim:planted [words]`: plants each bug, looks for it with one seed after the other, and writes down in docs/proof.md what
// was found, each as soon as it is known; with words, only those whose name has them.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundled } from './bundled.mjs';
import { planted } from './planted.mjs';

const run = promisify(execFile);
const SEEDS = 100;
const STEPS = 2500;
const PATIENCE_MS = 300_000;
const AT_ONCE = 1;
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
    if (bug.world === 'studio') args.push('--studio');
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
  const left = planted.filter(({ name }) => name.includes(words));
  let missed = 0;
  const worker = async () => {
    for (let bug = left.shift(); bug; bug = left.shift()) {
      const finding = await hunt(bug);
      const isRight = finding !== undefined && bug.laws.includes(finding.law);
      if (!isRight) missed++;
      const said = finding ? `${finding.seed}: ${finding.message.slice(0, 160)}` : '';
      console.log(isRight ? 'found ' : 'MISSED', bug.name, said);
      note(bug, isRight ? finding : undefined);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  process.exitCode = missed === 0 ? 0 : 1;
}

function rowOf({ name }, finding) {
  if (!finding) return `| ${name} | nothing yet | | |`;
  const { law, seed, played } = finding;
  return `| ${name} | \`${law}\` | ${seed} | ${played.toLocaleString('en')} |`;
}

/** Puts one row anew; those of other bugs stay, and those of bugs that are planted no more go. */
function note(bug, finding) {
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(FROM);
  const [table, after] = rest.split(TO);
  const known = new Map(table.split('\n').map((row) => [row.split('|')[1]?.trim(), row.replaceAll(/ +/g, ' ')]));
  const rows = planted.map((each) =>
    each === bug ? rowOf(bug, finding) : (known.get(each.name) ?? `| ${each.name} | not looked for yet | | |`),
  );
  const head = ['| planted | found by | seed | steps until then |', '| --- | --- | ---: | ---: |'];
  writeFileSync(page, `${before}${FROM}\n\n${[...head, ...rows].join('\n')}\n\n${TO}${after}`);
}

if (process.argv[1] === import.meta.filename) await all();
