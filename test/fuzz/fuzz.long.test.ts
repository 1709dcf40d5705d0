import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fuzz } from './run.mjs';

const RUNS = 20_000;

describe(`${RUNS.toLocaleString('en')} changed inputs of each decoder`, () => {
  it.each([
    ['led by coverage', ['--guided', '--patience', '5000']],
    ['by chance alone', ['--patience', '1000']],
  ])('are taken or refused, %s', async (_, flags) => {
    const seed = randomInt(1_000_000);
    const { said, code } = await fuzz(['--seed', String(seed), '--runs', String(RUNS), ...flags]);
    expect(code, `npm run fuzz -- --seed ${seed} ${flags.join(' ')}\n${said}`).toBe(0);
  });
});
