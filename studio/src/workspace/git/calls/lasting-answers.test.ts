import { describe, expect, it } from 'vitest';
import { LastingAnswers } from './lasting-answers.js';

interface Answer {
  readonly bytes: Uint8Array;
}

function bench() {
  const asked: string[] = [];
  const answers = new LastingAnswers<Answer>();
  const of = (question: string, length = 1): Promise<Answer> =>
    answers.of(
      question,
      () => {
        asked.push(question);
        return Promise.resolve({ bytes: new Uint8Array(length) });
      },
      ({ bytes }) => bytes.length !== 2,
    );
  return { answers, asked, of };
}

describe('answers that last', () => {
  it('are asked for once, unless they do not last', async () => {
    const { asked, of } = bench();
    expect(await of('a')).toBe(await of('a'));
    await of('brief', 2);
    await of('brief', 2);
    expect(asked).toEqual(['a', 'brief', 'brief']);
  });

  it('are bounded by number and bytes; what was used longest ago goes, and the longest are not kept', async () => {
    const { asked, of } = bench();
    await of('used');
    for (let n = 0; n < 1_999; n++) await of(`n ${n}`);
    await of('used');
    await of('one more');
    asked.length = 0;
    await of('used');
    await of('n 0');
    expect(asked).toEqual(['n 0']);
    for (let n = 0; n < 10; n++) await of(`long ${n}`, (2 << 20) / 8 - 10);
    await of('too long', 2 << 20);
    asked.length = 0;
    for (const question of ['too long', 'long 0', 'long 9', 'used']) await of(question);
    expect(asked).toEqual(['too long', 'long 0', 'used']);
  });

  it('are forgotten together with what is being asked meanwhile', async () => {
    const { answers, asked, of } = bench();
    await of('a');
    const late = of('b');
    answers.forget();
    await late;
    await of('a');
    await of('b');
    expect(asked).toEqual(['a', 'b', 'a', 'b']);
  });
});
