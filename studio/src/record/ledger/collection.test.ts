import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Tallies, type TallyEvent } from '../../testing/tally.js';

const meta = { at: 'then', by: 'operate' };

function fold(tallies: Tallies, id: string, event: unknown): 'folded' | 'unreadable' {
  const position = tallies.version(id);
  return tallies.fold({ key: `studio/tally/${id}/${position}`, aggregate: 'tally', id, position, event, meta });
}

const opened = (id: string, tags: string[] = [], workUnitId?: string): TallyEvent => ({
  type: 'TallyOpened',
  v: 1,
  id,
  tags,
  ...(workUnitId === undefined ? {} : { workUnitId }),
});
const idsOf = (found: readonly { id: string }[]): string[] => found.map(({ id }) => id);

describe('a collection', () => {
  it('holds what the events of each stream add up to, and how many there were', () => {
    const tallies = new Tallies();
    expect([tallies.get('a'), tallies.version('a')]).toEqual([undefined, 0]);
    fold(tallies, 'a', opened('a'));
    fold(tallies, 'b', opened('b'));
    fold(tallies, 'a', { type: 'TallyAdded', v: 1, much: 3 });
    expect(tallies.get('a')).toMatchObject({ sum: 3, ...meta });
    expect([tallies.version('a'), tallies.version('b')]).toEqual([2, 1]);
    expect(idsOf(tallies.all())).toEqual(['a', 'b']);
  });

  it('finds by an index of one key, of many, and of none', () => {
    const tallies = new Tallies();
    fold(tallies, 'a', opened('a', ['red', 'blue'], 'wu-1'));
    fold(tallies, 'b', opened('b', ['red']));
    expect(idsOf(tallies.where('tag', 'red'))).toEqual(['a', 'b']);
    expect(idsOf(tallies.where('tag', 'blue'))).toEqual(['a']);
    expect(idsOf(tallies.where('workUnit', 'wu-1'))).toEqual(['a']);
    expect(tallies.where('tag', 'green')).toEqual([]);
  });

  it('keeps the place of what stays under a key', () => {
    const tallies = new Tallies();
    for (const id of ['a', 'b']) fold(tallies, id, opened(id, ['red']));
    fold(tallies, 'a', { type: 'TallyTagged', v: 1, tags: ['blue', 'red'] });
    expect(idsOf(tallies.where('tag', 'red'))).toEqual(['a', 'b']);
  });

  it('lists nothing of what has ended, and remembers that it was', () => {
    const tallies = new Tallies();
    fold(tallies, 'a', opened('a', ['red']));
    fold(tallies, 'a', { type: 'TallyEnded', v: 1 });
    expect([tallies.get('a'), tallies.all(), tallies.where('tag', 'red')]).toEqual([undefined, [], []]);
    expect(tallies.version('a')).toBe(2);
  });

  it('closes a stream at the first event that it cannot read, and leaves it as it was before', () => {
    const tallies = new Tallies();
    fold(tallies, 'a', opened('a'));
    expect(fold(tallies, 'a', { type: 'TallyHalved', v: 1 })).toBe('unreadable');
    expect(fold(tallies, 'a', { type: 'TallyAdded', v: 1, much: 3 })).toBe('unreadable');
    expect(tallies.get('a')).toMatchObject({ sum: 0 });
    expect(tallies.closedBy('a')).toBe('studio/tally/a/1');
    expect(tallies.closedBy('b')).toBeUndefined();
  });

  const id = fc.constantFrom('a', 'b', 'c');
  const tags = fc.array(fc.constantFrom('red', 'blue', 'green'), { maxLength: 3 });
  const event: fc.Arbitrary<[string, TallyEvent]> = fc.oneof(
    fc.tuple(id, tags).map(([one, tags]): [string, TallyEvent] => [one, opened(one, tags)]),
    fc.tuple(id, tags).map(([one, tags]): [string, TallyEvent] => [one, { type: 'TallyTagged', v: 1, tags }]),
    id.map((one): [string, TallyEvent] => [one, { type: 'TallyEnded', v: 1 }]),
  );
  const some = fc.array(event, { maxLength: 30 });

  it('is what it was when what was folded ahead is taken back, and folds it as it would have', () => {
    fc.assert(
      fc.property(some, some, (durable, ahead) => {
        const [tallies, other] = [new Tallies(), new Tallies()];
        const shown = (one: Tallies) => [
          ...['red', 'blue', 'green'].map((tag) => idsOf(one.where('tag', tag))),
          ...[one.all(), ['a', 'b', 'c'].map((name) => one.version(name))],
        ];
        for (const [one, what] of durable) for (const each of [tallies, other]) fold(each, one, what);
        const before = shown(tallies);
        for (const [name, event] of ahead) {
          const position = tallies.version(name);
          tallies.foldAhead({ key: '', aggregate: 'tally', id: name, position, event, meta });
          fold(other, name, event);
          expect(shown(tallies)).toEqual(shown(other));
        }
        tallies.takeBack();
        expect(shown(tallies)).toEqual(before);
        for (const [one, what] of ahead) fold(tallies, one, what);
        expect(shown(tallies)).toEqual(shown(other));
      }),
    );
  });

  it('has in each index exactly what a look at everything finds', () => {
    fc.assert(
      fc.property(some, (events) => {
        const tallies = new Tallies();
        for (const [one, what] of events) fold(tallies, one, what);
        for (const tag of ['red', 'blue', 'green']) {
          const found = idsOf(tallies.where('tag', tag)).sort();
          expect(found).toEqual(idsOf(tallies.all().filter(({ tags }) => tags.includes(tag))).sort());
        }
      }),
    );
  });
});
