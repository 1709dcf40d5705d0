import { describe, expect, it } from 'vitest';
import { fuzz } from './run.mjs';

/** Inputs tried for each decoder; `fuzz.long.test.ts` and `npm run fuzz` try more. */
const RUNS = 30;

describe('decoders', () => {
  it('take or refuse whatever is kept in the corpus, and what a few thousand changes make of it', async () => {
    const seed = 7;
    // Not a bound on time: only what never answers is a fault here.
    const { said, code } = await fuzz(['--seed', String(seed), '--runs', String(RUNS), '--patience', '60000']);
    expect(code, `npm run fuzz -- --seed ${seed}\n${said}`).toBe(0);
  });

  it('that crash, ask for too much or never answer are found', async () => {
    const faults = /FAULT broken-decoders .*(a bug|asks for \d+ bytes|takes more than)/g;
    const { said, code } = await fuzz(['--seed', '1', '--runs', '3000', '--broken', '--patience', '200']);
    expect(code).toBe(1);
    expect(new Set([...said.matchAll(faults)].map(([, what = '']) => what.replaceAll(/\d+/g, 'n')))).toEqual(
      new Set(['a bug', 'asks for n bytes', 'takes more than']),
    );
  });
});
