import { describe, expect, it } from 'vitest';
import { Random } from '../../crdt/sequence/testing/random.js';
import { exchange, join, newRoom, textOf } from '../../testing/replicas.js';
import type { Step } from '../../crdt/delta.js';
import type { NodeId } from '../../graph/node.js';
import type { Replica } from '../replica/replica.js';
import type { ChangeEvent } from './change.js';

/** What an observer who knows nothing but events takes a replica to hold. */
class Mirror {
  readonly texts = new Map<string, string>();
  readonly lists = new Map<string, unknown[]>();
  readonly registers = new Map<string, unknown>();
  readonly events: ChangeEvent[] = [];

  constructor(replica: Replica) {
    replica.observe({ prefix: '' }, (event) => this.#take(event));
  }

  #take(event: ChangeEvent): void {
    this.events.push(event);
    for (const change of event.changes) {
      if (change.kind === 'register') {
        expect(this.registers.get(change.key)).toEqual(change.before);
        this.registers.set(change.key, change.after);
      } else if (change.kind === 'text') {
        const units = after<string>([...this.#text(change.key)], change.delta, (text) => text.split(''));
        this.texts.set(change.key, units.join(''));
      } else
        this.lists.set(
          change.key,
          after(this.lists.get(change.key) ?? [], change.delta, (items) => [...items]),
        );
    }
  }

  #text(key: string): string[] {
    return (this.texts.get(key) ?? '').split('');
  }
}

/** Items as a delta leaves them; it must fit. */
function after<Content>(before: unknown[], delta: readonly Step<Content>[], items: (content: Content) => unknown[]) {
  const now: unknown[] = [];
  let at = 0;
  for (const step of delta) {
    if ('insert' in step) now.push(...items(step.insert));
    else if ('retain' in step) now.push(...before.slice(at, (at += step.retain)));
    else at += step.delete;
    expect(at).toBeLessThanOrEqual(before.length);
  }
  return [...now, ...before.slice(at)];
}

function edit(replica: Replica, random: Random): void {
  const [text, list] = [replica.text('t'), replica.list('l')];
  const kind = random.below(7);
  if (kind === 0) replica.set(`k${random.below(3)}`, random.below(5));
  else if (kind === 1) replica.delete(`k${random.below(3)}`);
  else if (kind === 2) text.insert(random.below(text.length + 1), 'abcdefgh'.slice(random.below(7)));
  else if (kind === 3 && text.length > 0) {
    const at = random.below(text.length);
    text.delete(at, 1 + random.below(Math.min(6, text.length - at)));
  } else if (kind === 4) list.insert(random.below(list.length + 1), random.below(99), { deep: [random.below(9)] });
  else if (kind === 5 && list.length > 0) list.delete(random.below(list.length));
  else if (kind === 6 && list.length > 0) list.move(random.below(list.length), random.below(list.length));
}

const three = async (): Promise<Replica[]> => {
  const room = await newRoom();
  return Promise.all([join(room), join(room), join(room)]);
};

describe('change events', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))(
    '[CE1] [CE2] tell all that an observer needs to hold what the replica holds, schedule %s',
    async (seed) => {
      const random = new Random(seed);
      const replicas = await three();
      const mirrors = replicas.map((replica) => new Mirror(replica));
      for (let round = 0; round < 12; round++) {
        for (const replica of replicas) {
          const edits = (): void => {
            for (let left = random.below(6); left > 0; left--) edit(replica, random);
          };
          if (random.chance(50)) edits();
          else replica.batch(edits);
        }
        if (random.chance(60)) await exchange(...replicas);
        for (const [i, replica] of replicas.entries()) {
          expect(mirrors[i]!.texts.get('t') ?? '').toBe(textOf(replica));
          expect(mirrors[i]!.lists.get('l') ?? []).toEqual(replica.list('l').toArray());
          const held = [...mirrors[i]!.registers].filter(([, value]) => value !== undefined).sort();
          expect(held).toEqual([...replica.entries('k')]);
        }
      }
      expect(new Set(replicas.map(({ stateHash }) => stateHash)).size).toBeGreaterThan(0);
      expect(mirrors.every(({ events }) => events.some(({ source }) => source === 'remote'))).toBe(true);
    },
  );

  it('[CE1] come once for a batch and once for a merge, whatever that takes, with origin and authors', async () => {
    const [one, two] = await three();
    const [here, there] = [new Mirror(one!), new Mirror(two!)];
    const origin = { name: 'view' };
    one!.transact(() => {
      one!.set('k', 1);
      one!.text('t').insert(0, 'hello');
      expect(one!.text('t').toString()).toBe('hello'); // a node is closed for that
      one!.text('t').delete(1, 3);
      one!.list('l').push('a', 'b');
      expect(here.events).toEqual([]);
    }, origin);
    const changes = [
      { kind: 'register', key: 'k', before: undefined, after: 1 },
      { kind: 'list', key: 'l', delta: [{ insert: ['a', 'b'] }] },
      { kind: 'text', key: 't', delta: [{ insert: 'ho' }] },
    ];
    expect(here.events).toMatchObject([{ source: 'local', origin, changes }]);
    expect(here.events[0]!.origin).toBe(origin);
    one!.text('t').insert(2, '!');
    await exchange(one!, two!);
    expect(there.events).toHaveLength(1);
    expect(there.events).toMatchObject([{ source: 'remote', origin: undefined }]);
    expect(there.events[0]!.changes.slice(0, 2)).toEqual(changes.slice(0, 2));
    expect(there.events[0]!.authors).toEqual(here.events[0]!.authors);
    expect(there.events[0]!.changes.at(-1)).toMatchObject({ delta: [{ insert: 'ho!' }] });
  });

  it('[CE1] are for the keys that were asked for, and end when told', async () => {
    const [one] = await three();
    const heard: string[] = [];
    const note = (event: ChangeEvent): void => void heard.push(...event.changes.map(({ key }) => key));
    const stop = one!.observe('a', note);
    one!.observe({ prefix: 'n/' }, note);
    for (const key of ['a', 'ab', 'n/1', 'n', 'n/2']) one!.set(key, 1);
    expect(heard).toEqual(['a', 'n/1', 'n/2']);
    stop();
    one!.set('a', 2);
    expect(heard).toHaveLength(3);
    one!.set('n/1', 1); // the same value again changes nothing
    expect(heard).toHaveLength(3);
  });

  it('[CE1] of what a listener writes come after all have heard what came before', async () => {
    const [one] = await three();
    const heard: string[] = [];
    one!.observe('a', () => one!.set('b', 1));
    one!.observe({ prefix: '' }, ({ changes }) => heard.push(changes.map(({ key }) => key).join()));
    one!.set('a', 1);
    expect(heard).toEqual(['a', 'b']);
  });

  it('[CE3] tell what is taken back when nodes are refused, and what was written on top and stayed', async () => {
    const [one] = await three();
    one!.set('kept', 1);
    one!.text('t').insert(0, 'stays');
    await one!.seal();
    one!.confirm();
    const mirror = new Mirror(one!);
    mirror.texts.set('t', 'stays');
    mirror.registers.set('kept', 1);
    const written: string[] = [];
    const write = (edit: () => void): void => {
      edit();
      written.push(...one!.frontier);
    };
    write(() => one!.text('t').insert(5, ' gone'));
    write(() => one!.set('kept', 2));
    write(() => one!.text('t').insert(0, 'it '));
    await one!.seal();
    one!.confirm(
      undefined,
      written.map((id, i) => ({ id: id as NodeId, reason: i === 0 ? 'policy-denied' : 'missing-parent' })),
    );
    expect(mirror.events.at(-1)).toMatchObject({ source: 'refused', authors: [] });
    expect(mirror.texts.get('t')).toBe(textOf(one!));
    expect([textOf(one!), one!.get('kept')]).toEqual(['it stays', 2]);
    one!.text('t').insert(0, '> ');
    expect(mirror.texts.get('t')).toBe('> it stays');
  });
});

describe('anchors', () => {
  it('[CE4] stay with their character through whatever others write, delete and save', async () => {
    const random = new Random(7);
    const [one, two, three_] = await three();
    let next = 0x4e00;
    const unit = (): string => String.fromCharCode(next++);
    one!.text('t').insert(0, Array.from({ length: 40 }, unit).join(''));
    await exchange(one!, two!, three_!);
    const text = textOf(one!);
    const marks = Array.from({ length: 30 }, () => random.below(text.length));
    const before = marks.map((at) => one!.text('t').anchorAt(at + 1, 'before'));
    const behind = marks.map((at) => one!.text('t').anchorAt(at, 'after'));
    for (let round = 0; round < 30; round++) {
      for (const replica of [one!, two!, three_!]) {
        const editor = replica.text('t');
        if (random.chance(60)) editor.insert(random.below(editor.length + 1), unit() + unit());
        else if (editor.length > 0) editor.delete(random.below(editor.length), 1);
      }
      if (random.chance(40)) await exchange(one!, two!, three_!);
    }
    await exchange(one!, two!, three_!);
    const now = textOf(two!);
    const place = [two!.text('t').positionsOf(before), two!.text('t').positionsOf(behind)];
    for (const [i, at] of marks.entries()) {
      const found = now.indexOf(text[at]!);
      if (found >= 0) expect([place[0]![i], place[1]![i]]).toEqual([found + 1, found]);
      else expect(place[0]![i]).toBe(place[1]![i]);
    }
    expect(marks.some((at) => !now.includes(text[at]!))).toBe(true);
    expect(one!.text('t').positionsOf([...before, ...behind])).toEqual(place.flat());
  });

  it('[CE4] name the ends of a text, and nothing for what is no anchor of it', async () => {
    const [one] = await three();
    const text = one!.text('t');
    const ends = [text.anchorAt(0), text.anchorAt(0, 'after')];
    text.insert(0, 'abc');
    expect(text.positionsOf(ends)).toEqual([0, 3]);
    const anchor = text.anchorAt(2);
    expect(one!.text('other').positionsOf([anchor, 'x', '', `b${'A'.repeat(43)}.0`])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(() => text.anchorAt(4)).toThrow(RangeError);
  });
});
