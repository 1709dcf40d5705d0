/** A file that both sides changed: what is merged by itself, what is left to a person, and what he makes of it. */
import { describe, expect, it } from 'vitest';
import { isSettled, mergeMarked, placesIn, settle, withBreaksOf } from './three-way.js';

const BASE = 'one\ntwo\nthree\nfour\nfive\nsix\n';

describe('three-way merge', () => {
  it('takes what one side changed, and what both changed alike', () => {
    const landed = BASE.replace('one', '1').replace('six', '6');
    const coming = BASE.replace('three', '3').replace('six', '6');
    expect(mergeMarked(landed, BASE, coming)).toBe('1\ntwo\n3\nfour\nfive\n6\n');
  });

  it('marks where both changed the same lines, and each place is settled by itself', () => {
    const landed = BASE.replace('two', 'zwei').replace('five', 'fünf');
    const coming = BASE.replace('two', 'deux').replace('five', 'cinq');
    const merged = mergeMarked(landed, BASE, coming) ?? '';
    expect(isSettled(merged, [landed, coming])).toBe(false);
    const [first, second] = placesIn(merged);
    expect(first).toMatchObject({ at: 1, landed: ['zwei'], before: ['two'], coming: ['deux'] });
    expect(second).toMatchObject({ landed: ['fünf'], before: ['five'], coming: ['cinq'] });
    // Two hands: one place by its button, and the next one found again in what that left.
    const half = settle(merged, first!, [...first!.landed, ...first!.coming]);
    const [left, ...more] = placesIn(half);
    expect(more).toEqual([]);
    const whole = settle(half, left!, left!.before);
    expect(whole).toBe('one\nzwei\ndeux\nthree\nfour\nfive\nsix\n');
    expect(isSettled(whole, [landed, coming])).toBe(true);
  });

  it('begins with nothing where both sides made the file', () => {
    const merged = mergeMarked('a\n', '', 'b\n') ?? '';
    expect(placesIn(merged)).toMatchObject([{ at: 0, landed: ['a'], coming: ['b'] }]);
    expect(settle(merged, placesIn(merged)[0]!, ['a', 'b'])).toBe('a\nb\n');
  });

  it('calls a place that was cut by hand none, and its result not settled', () => {
    const merged = mergeMarked('a\n', 'x\n', 'b\n') ?? '';
    const cut = merged.replace('=======\n', '');
    expect(placesIn(cut)).toEqual([]);
    expect(isSettled(cut, ['a\n', 'b\n'])).toBe(false);
  });

  it('leaves alone a file that has such marks of its own, and takes headings underlined by equals signs', () => {
    const guide = 'Conflicts\n=======\n<<<<<<< yours\n';
    expect(mergeMarked(`${guide}a\n`, guide, `${guide}b\n`)).toBeUndefined();
    expect(isSettled(`${guide}a\n`, [`${guide}a\n`, `${guide}b\n`])).toBe(true);
    expect(isSettled('Conflicts\n=======\n', ['Conflicts\n', ''])).toBe(true);
  });

  it('has the line breaks of its sides, where these have one kind', () => {
    expect(withBreaksOf(['a\r\nb\r\n', 'a\r\n', ''], '1\r\n2\n')).toBe('1\r\n2\r\n');
    expect(withBreaksOf(['a\r\nb\n', 'a\r\n'], '1\r\n2\n')).toBe('1\r\n2\n');
    expect(withBreaksOf(['a\n', 'b'], '1\r\n2\n')).toBe('1\r\n2\n');
  });

  it('leaves alone what would take too long to compare', () => {
    const blank = '\n'.repeat(3_000);
    expect(mergeMarked(blank, blank, blank)).toBeUndefined();
    const long = Array.from({ length: 7_000 }, (_, at) => `line ${at}`);
    expect(mergeMarked(`${long.join('\n')}\nlanded`, long.join('\n'), `new\n${long.join('\n')}`)).toBeUndefined();
    const fits = long.slice(0, 3_000).join('\n');
    expect(mergeMarked(`${fits}\nlanded`, fits, `new\n${fits}`)).toBe(`new\n${fits}\nlanded`);
  });
});
