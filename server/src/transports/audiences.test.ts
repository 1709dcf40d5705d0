/** Which calls are made, and how many: topics as native code would keep them. What real sockets get is in many-readers.test.ts. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Audiences, type Reader, type Sent, type Topic } from './audiences.js';

class Native {
  readonly topics = new Map<string, Set<Kept>>();
  readonly audiences = new Audiences((topic, frame) => this.publish(topic, frame));
  published = 0;
  sent = 0;
  /** How often a reader has entered or left a topic. */
  moves = 0;
  looks = 0;

  publish(topic: string, frame: Sent, author?: Kept): void {
    this.published += 1;
    for (const member of this.topics.get(topic) ?? []) if (member !== author) member.received.push(frame);
  }

  readers(count: number): Kept[] {
    return Array.from({ length: count }, () => new Kept(this));
  }

  async turns(count: number, act: (turn: number) => void): Promise<void> {
    for (let turn = 0; turn < count; turn++) {
      act(turn);
      await nextTurn();
    }
  }
}

class Kept implements Reader {
  topic: Topic | undefined;
  steadyTurns = 0;
  readonly written: Sent[] = [];
  readonly received: Sent[] = [];
  private outgoing: Sent[] | undefined;

  constructor(private readonly native: Native) {}

  get frames(): readonly Sent[] {
    return this.outgoing ?? [];
  }

  write(frame: Sent): void {
    this.written.push(frame);
    if (!this.outgoing) this.native.audiences.add(this);
    (this.outgoing ??= []).push(frame);
  }

  /** What a socket does with too much for one turn. */
  transmit(): void {
    this.native.sent += this.frames.length;
    this.received.push(...this.frames);
    if (this.outgoing) this.outgoing = [];
  }

  flush(): void {
    this.transmit();
    this.settle();
  }

  settle(): void {
    this.outgoing = undefined;
  }

  look(): void {
    this.native.looks += 1;
  }

  subscribe({ name }: Topic): void {
    this.native.moves += 1;
    this.native.topics.set(name, (this.native.topics.get(name) ?? new Set()).add(this));
  }

  unsubscribe({ name }: Topic): void {
    this.native.moves += 1;
    this.native.topics.get(name)?.delete(this);
  }

  publish({ name }: Topic, frame: Sent): void {
    this.native.publish(name, frame, this);
  }
}

function tell(readers: readonly Kept[], frame: Sent, but: readonly Kept[] = []): void {
  for (const reader of readers) if (!but.includes(reader)) reader.write(frame);
}

describe('Audiences', () => {
  it('a few readers are sent their frames each, and belong to no topic', async () => {
    const native = new Native();
    const readers = native.readers(7);
    await native.turns(50, (turn) => tell(readers, `${turn}`));
    expect(native).toMatchObject({ sent: 350, published: 0, moves: 0 });
  });

  it('many who get the same for some turns get it by one call a frame from then on, and are looked at now and then', async () => {
    const native = new Native();
    const readers = native.readers(50);
    await native.turns(8, (turn) => tell(readers, `${turn}`));
    expect(native).toMatchObject({ sent: 400, published: 0, moves: 50 });
    await native.turns(200, () => tell(readers, Buffer.alloc(1000)));
    expect(native).toMatchObject({ sent: 400, published: 200, moves: 50, looks: 150 });
  });

  it('readers of two encodings, or of two rooms, are members of two topics', async () => {
    const native = new Native();
    const readers = native.readers(40);
    await native.turns(20, (turn) => {
      const bytes = Buffer.from(`${turn}`);
      for (const [i, reader] of readers.entries()) reader.write(i % 2 === 0 ? bytes : `${turn}`);
    });
    expect(native).toMatchObject({ sent: 320, published: 24, moves: 40 });
  });

  it('authors who take turns stay members, and one who goes on alone is none any more', async () => {
    const native = new Native();
    const readers = native.readers(20);
    await native.turns(8, (turn) => tell(readers, `${turn}`));
    await native.turns(100, (turn) => tell(readers, `${turn}`, [readers[turn % 20]!]));
    expect(native).toMatchObject({ sent: 160, published: 100, moves: 20 });
    await native.turns(100, (turn) => tell(readers, `${turn}`, [readers[0]!]));
    expect(native).toMatchObject({ sent: 160, published: 200, moves: 21 });
    for (const reader of readers) expect(reader.received).toEqual(reader.written);
  });

  it.each([2, 5, 16, 40])(
    'with %i of 50 who write at once, readers move once in eight turns at most',
    async (writers) => {
      const native = new Native();
      const readers = native.readers(50);
      await native.turns(200, (turn) => {
        const authors = readers.filter((_, i) => ((i + 1) * (turn + 7) * 31) % 50 < writers);
        for (const [i, author] of authors.entries()) tell(readers, `${turn}, ${i}`, [author]);
      });
      expect(native.moves).toBeLessThanOrEqual((50 * 200) / 8);
      for (const reader of readers) expect(reader.received).toEqual(reader.written);
    },
  );

  it('a frame for a part of a room drives nobody out of what goes to the whole', async () => {
    const native = new Native();
    const readers = native.readers(50);
    await native.turns(100, (turn) => tell(turn % 2 === 0 ? readers : readers.slice(0, 10), `${turn}`));
    expect(native.moves).toBe(50);
    for (const reader of readers) expect(reader.received).toEqual(reader.written);
  });

  it('two topics whose members have come to get the same become one', async () => {
    const native = new Native();
    const [some, others] = [native.readers(10), native.readers(10)];
    await native.turns(10, (turn) => {
      tell(some, `${turn}`);
      tell(others, `not ${turn}`);
    });
    await native.turns(30, (turn) => tell([...some, ...others], `${turn}`));
    expect([...native.topics.values()].map((members) => members.size)).toEqual([20, 0]);
    for (const reader of [...some, ...others]) expect(reader.received).toEqual(reader.written);
  });

  const act = fc.oneof(
    { weight: 4, arbitrary: fc.record({ to: fc.constant(-1), but: fc.subarray([0, 1, 7, 8, 15], { maxLength: 2 }) }) },
    { weight: 1, arbitrary: fc.record({ to: fc.nat(15), but: fc.constant<number[]>([]) }) },
  );

  it('whatever is written to whom, each is sent just that, in order', async () => {
    const turns = fc.array(fc.array(act, { maxLength: 3 }), { minLength: 30, maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(turns, async (all) => {
        const native = new Native();
        const readers = native.readers(16);
        let frames = 0;
        for (const acts of all) {
          for (const { to, but } of acts) {
            const frame = `${++frames}`;
            if (to < 0)
              tell(
                readers,
                frame,
                but.map((i) => readers[i]!),
              );
            else readers[to]!.write(frame);
            if (frames % 13 === 0) for (const reader of readers) reader.transmit();
          }
          await nextTurn();
        }
        for (const reader of readers) expect(reader.received).toEqual(reader.written);
      }),
      { numRuns: 25 },
    );
  });
});
