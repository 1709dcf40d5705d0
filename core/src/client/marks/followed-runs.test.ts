/** Runs that are followed are those that are worked out anew. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { MarkRun } from '../../crdt/mark-runs.js';
import type { Mark } from '../../crdt/marks.js';
import { exchange, join, newRoom } from '../../testing/replicas.js';
import type { Replica } from '../replica/replica.js';
import { FollowedRuns } from './followed-runs.js';
import { richText } from './rich-text.js';

/** Runs with the writes that they speak of; neighbours of which the same is said are one. */
function said(runs: readonly MarkRun[]) {
  const joined: { from: number; to: number; marks: string }[] = [];
  for (const { from, to, marks } of runs) {
    const names = [...marks].map(([name, { mark }]) => `${name}=${mark.node}.${mark.op}`).sort();
    const last = joined.at(-1);
    if (last?.to === from && last.marks === names.join()) last.to = to;
    else joined.push({ from, to, marks: names.join() });
  }
  return joined;
}

type Said = ReturnType<typeof said>;

/** Follows the text `t` of a replica; answers what is said after each change, both ways, and how often nothing had to be worked out anew. */
function followed(replica: Replica): {
  readonly compared: readonly (readonly [Said, Said])[];
  readonly count: () => number;
} {
  const { text } = replica.richParts('t');
  const runs = new FollowedRuns(text);
  const compared: (readonly [Said, Said])[] = [];
  const written = (): readonly Mark[] => [...(text.marks?.all() ?? [])];
  let [count, before] = [0, written()];
  replica.observe('t', ({ changes }) => {
    for (const change of changes) {
      if (change.kind !== 'text') continue;
      const now = written();
      const isMarked = now.length !== before.length || now.some((mark, i) => mark !== before[i]);
      before = now;
      if (!isMarked && runs.follow(change.delta)) count++;
      else runs.refresh();
      compared.push([said(runs.runs), said(new FollowedRuns(text).runs)]);
    }
  });
  return { compared, count: () => count };
}

const edits = fc.array(
  fc.record({
    what: fc.constantFrom('insert', 'insert', 'insert', 'delete', 'delete', 'mark'),
    at: fc.nat(40),
    count: fc.integer({ min: 1, max: 8 }),
    name: fc.constantFrom('bold', 'link', 'block'),
    expand: fc.constantFrom('after', 'before', 'both', 'none'),
    who: fc.nat(1),
  }),
  { minLength: 10, maxLength: 60 },
);

describe('followed runs', () => {
  it('[MK1] are those that are worked out anew, whoever types and deletes where', async () => {
    const room = await newRoom();
    let [all, least] = [0, 0];
    await fc.assert(
      fc.asyncProperty(edits, fc.integer({ min: 1, max: 6 }), async (plan, together) => {
        const replicas = await Promise.all([join(room), join(room)]);
        for (const replica of replicas) richText(replica, 't');
        replicas[0].text('t').insert(0, 'twenty characters of it');
        const counts = replicas.map(followed);
        for (let i = 0; i < plan.length; i += together) {
          const one = replicas[plan[i]!.who]!;
          const isMarking = plan[i]!.what === 'mark';
          one.transact(() => {
            for (const { what, at, count, name, expand } of plan.slice(i, i + together)) {
              const text = one.text('t');
              const from = Math.min(at, text.length);
              const many = Math.min(count, text.length - from);
              if (isMarking) richText(one, 't').mark(from, many, name, i, { expand });
              else if (what === 'delete') text.delete(from, many);
              else text.insert(from, 'abcdefgh'.slice(0, count));
            }
          });
          if (i % 3 === 0) await exchange(...replicas);
        }
        await exchange(...replicas);
        for (const { compared } of counts) for (const [one, other] of compared) expect(one).toEqual(other);
        all += plan.length;
        least += counts.reduce((sum, { count }) => sum + count(), 0);
      }),
      { numRuns: process.env['TESTS_LONG'] ? 100 : 40 },
    );
    expect(least).toBeGreaterThan(all / 10);
  });

  it('[MK4] cost a keystroke in a text of many marks no look at those', async () => {
    const one = await join(await newRoom());
    const lines = 500;
    one.text('t').insert(0, 'a line\n'.repeat(lines));
    const text = richText(one, 't');
    one.transact(() => {
      for (let i = 0; i < lines; i++) text.mark(7 * i, 1, 'block', i, { expand: 'none' });
    });
    const deltas: unknown[] = [];
    one.observe('t', ({ changes }) => changes.forEach((change) => change.kind === 'text' && deltas.push(change.delta)));
    const { marks } = one.richParts('t').text;
    const compare = vi.fn(marks!.compare);
    Object.defineProperty(marks, 'compare', { value: compare });
    one.text('t').insert(700, 'x');
    one.text('t').delete(3, 2);
    expect(compare).not.toHaveBeenCalled();
    expect(deltas).toEqual([
      [{ retain: 700 }, { insert: 'x' }],
      [{ retain: 3 }, { delete: 2 }],
    ]);
    expect(text.spans(698, 701)).toEqual([
      { text: 'x', marks: {} },
      { text: 'a', marks: { block: 100 } },
      { text: ' ', marks: {} },
    ]);
  });
});
