import { describe, expect, it } from 'vitest';
import { interleave, mustHold, perSecond } from './harness.js';
import { toJsonLine, toRow } from '../results/row.js';

const silent = (): void => undefined;

describe('interleave', () => {
  it('runs A B C, A B C and takes medians', async () => {
    const order: string[] = [];
    const contender = (name: string, values: number[]) => ({
      name,
      run: () => {
        order.push(name);
        return Promise.resolve({ ops: values.shift() ?? NaN });
      },
    });
    const outcomes = await interleave([contender('A', [1, 9, 2]), contender('B', [5, 5, 5])], 3, silent);
    expect(order).toEqual(['A', 'B', 'A', 'B', 'A', 'B']);
    expect(outcomes.map(({ figures }) => figures)).toEqual([{ ops: 2 }, { ops: 5 }]);
    expect(outcomes.map(({ runs }) => runs)).toEqual([3, 3]);
  });

  it('takes a contender out when a check fails, and goes on with the others', async () => {
    let runs = 0;
    const wrong = {
      name: 'wrong',
      run: () => {
        runs += 1;
        mustHold(runs < 2, 'the text is not that of the recording');
        return Promise.resolve({ ops: 7 });
      },
    };
    const right = { name: 'right', run: () => Promise.resolve({ ops: 1 }) };
    const [failed, held] = await interleave([wrong, right], 3, silent);
    expect(failed).toMatchObject({ runs: 1, figures: { ops: 7 }, failure: 'the text is not that of the recording' });
    expect(held).toMatchObject({ runs: 3, failure: undefined });
    expect(runs).toBe(2);
  });
});

describe('a row', () => {
  const about = { bench: 'text', lib: 'x', version: '1', trace: 't', form: '' };
  const outcome = { name: 'x', runs: 3, failure: undefined, figures: { ops: 1234567.89 }, spread: { ops: 0.05 } };

  it('joins outcomes and is one flat line of JSON', () => {
    const row = toRow(
      about,
      [outcome, { ...outcome, runs: 2, figures: { load_ms: 1 }, spread: { load_ms: 0 } }],
      ['a', 'b'],
    );
    expect(JSON.parse(toJsonLine(row))).toEqual({
      ...about,
      checked: true,
      runs: 2,
      note: 'a; b',
      ops: 1_234_570,
      load_ms: 1,
      spread: { ops: 0.05, load_ms: 0 },
    });
  });

  it('is unchecked and says why when a run failed, and when nothing ran', () => {
    expect(toRow(about, [{ ...outcome, failure: 'wrong text' }], [])).toMatchObject({
      checked: false,
      note: 'FAILED: wrong text',
    });
    expect(toRow(about, [], [])).toMatchObject({ checked: false, runs: 0 });
  });
});

describe('perSecond', () => {
  it('counts per 1,000 ms', () => {
    expect(perSecond(50, 250)).toBe(200);
  });
});
