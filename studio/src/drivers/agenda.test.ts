import { describe, expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { Agenda } from './agenda.js';

function opened() {
  const clock = new ManualClock(0);
  const done: string[] = [];
  const log: unknown[] = [];
  const agenda = new Agenda(clock, (entry) => log.push(entry));
  const note = (name: string) => () => {
    done.push(name);
    return Promise.resolve();
  };
  return { clock, done, log, agenda, note };
}

describe('an agenda', () => {
  it('does what is due, in the order of its times, once', () => {
    const { clock, done, agenda, note } = opened();
    agenda.put('b', 200, note('b'));
    agenda.put('a', 100, note('a'));
    agenda.put('c', 90_000, note('c'));
    clock.pass(99);
    expect(done).toEqual([]);
    clock.pass(101);
    expect(done).toEqual(['a', 'b']);
    clock.pass(200_000);
    expect(done).toEqual(['a', 'b', 'c']);
  });

  it('does not do what was dropped, put off, or left when it was closed', () => {
    const { clock, done, agenda, note } = opened();
    agenda.put('a', 100, note('a'));
    agenda.put('b', 100, note('b'));
    agenda.put('c', 100, note('c'));
    agenda.drop('a');
    agenda.put('b', 300, note('later'));
    clock.pass(150);
    expect(done).toEqual(['c']);
    agenda.put('d', 400, note('d'));
    clock.pass(200);
    expect(done).toEqual(['c', 'later']);
    agenda.close();
    agenda.put('e', 400, note('e'));
    clock.pass(1000);
    expect(done).toEqual(['c', 'later']);
  });

  it('fault 6: notices within a minute that the clock has jumped', () => {
    const { clock, done, agenda, note } = opened();
    agenda.put('a', 3_600_000, note('a'));
    clock.jump(3_600_000);
    clock.pass(60_000);
    expect(done).toEqual(['a']);
    agenda.put('b', clock.now() + 1000, note('b'));
    clock.jump(-3_600_000);
    clock.pass(60_000);
    expect(done).toEqual(['a']);
  });

  it('goes on after something has failed, says so, and tries it again', async () => {
    const { clock, done, log, agenda, note } = opened();
    const failing = (name: string) => () =>
      log.length < 2 ? Promise.reject(new Error('no')) : note(`${name} again`)();
    agenda.put('a', 1, failing('a'));
    agenda.put('b', 2, note('b'));
    agenda.put('c', 2, failing('c'));
    clock.pass(2);
    // What takes its place is not undone.
    agenda.put('c', 5, note('in place of c'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual(['b']);
    expect(log).toMatchObject([
      { level: 'error', about: { key: 'a' } },
      { level: 'error', about: { key: 'c' } },
    ]);
    clock.pass(60_000);
    expect(done).toEqual(['b', 'in place of c', 'a again']);
  });
});
