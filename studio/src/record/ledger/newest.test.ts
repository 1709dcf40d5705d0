import { describe, expect, it } from 'vitest';
import { command } from '../aggregates/command/command.js';
import { Newest } from './newest.js';

const meta = { at: 'then', by: 'operate' };
const answered = (n: number) => ({ operation: 'o', input: 'i', answer: n });

/** So many, of which three are at hand, and what was read of their room. */
function answers(count: number) {
  const [room, read] = [new Map<string, unknown>(), [] as string[]];
  const newest = new Newest(command, 3);
  newest.readsFrom((key) => {
    read.push(key);
    return room.get(key);
  });
  for (let n = 0; n < count; n++) {
    const [id, key] = [`c${n}`, `studio/command/c${n}/0`];
    const event = { type: 'CommandAnswered', v: 1, ...answered(n), meta };
    room.set(key, event);
    expect(newest.fold({ key, aggregate: 'command', id, position: 0, event, meta })).toBe('folded');
  }
  return { newest, read };
}

describe('the newest streams', () => {
  it('are at hand, and the others are read again, whole', () => {
    const { newest, read } = answers(10);
    expect(newest.all()).toEqual([7, 8, 9].map(answered));
    expect([newest.get('c9'), read]).toEqual([answered(9), []]);
    expect([newest.get('c0'), newest.version('c0'), newest.version('c9')]).toEqual([answered(0), 1, 1]);
    expect(new Set(read)).toEqual(new Set(['studio/command/c0/0']));
    expect(newest.all()).toHaveLength(3);
  });

  it('know nothing of what never was, or is no event', () => {
    const { newest } = answers(1);
    expect([newest.get('never'), newest.version('never')]).toEqual([undefined, 0]);
    newest.readsFrom(() => ({ type: 'SomethingNew', v: 2 }));
    expect([newest.get('never'), newest.version('never')]).toEqual([undefined, 0]);
  });
});
