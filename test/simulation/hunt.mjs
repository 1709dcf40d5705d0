// `node test/simulation/hunt.mjs [word]`: plants each bug, looks for it with one seed after the other, and answers what was found.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { bundled } from './bundled.mjs';
import { planted } from './planted.mjs';

const run = promisify(execFile);
const SEEDS = 60;
const STEPS = 2500;

/**
 * What the simulator says of the engine with one bug planted; undefined when it says nothing.
 * @param {(typeof planted)[number]} bug
 * @returns {Promise<{ seed: number, played: number, seconds: number, law: string, message: string } | undefined>}
 */
export async function hunt(bug, seeds = SEEDS) {
  const program = await bundled(bug);
  try {
    const args = ['--seed', '1', '--seeds', String(seeds), '--steps', String(STEPS), '--hunt'];
    const { stdout } = await run(process.execPath, [program, ...args], { timeout: 300_000 });
    return stdout.startsWith('{') ? JSON.parse(stdout) : undefined;
  } finally {
    await rm(program, { force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const [, , word = ''] = process.argv;
  let missed = 0;
  for (const bug of planted.filter(({ name }) => name.includes(word))) {
    const found = await hunt(bug).catch((error) => ({ law: 'none', message: String(error.message).slice(0, 300) }));
    const isRight = found !== undefined && bug.laws.includes(found.law);
    if (!isRight) missed++;
    console.log(isRight ? 'found ' : 'MISSED', bug.name, JSON.stringify(found)?.slice(0, 260));
  }
  process.exitCode = missed === 0 ? 0 : 1;
}
