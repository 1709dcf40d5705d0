import { describe, expect, it } from 'vitest';
import { type Promised, check } from './check.js';
import type { History, Join, Logged, Operation, Seen, Write } from './history.js';

const node = (id: string, lamport: number, kind: 'set' | 'append', value: string, author = 'a'): Logged => {
  return { id, author, lamport, writes: [{ kind, key: kind === 'set' ? 'r' : 'l', value }] };
};
const write = (client: string, at: number, until: number | undefined, kind: Write['kind'], value: string): Write => {
  return { client, at, kind, key: kind === 'set' ? 'r' : 'l', value, ...(until === undefined ? {} : { until }) };
};
const seen = (r: string | undefined, ...list: string[]): Seen => ({ registers: r === undefined ? {} : { r }, list });
const read = (client: string, at: number, what: Seen): Operation => {
  return { client, at, until: at, kind: 'read', seen: what };
};
const join = (client: string, at: number, until: number, seq: number, what: Seen): Join => {
  return { client, at, until, kind: 'join', seq, seen: what };
};

/** Two clients: each sets the register and appends once, one after the other; a third joins in between, and in the end. */
const right: History = {
  operations: [
    write('ada', 1, 4, 'set', 'a1'),
    write('ada', 2, 5, 'append', 'a2'),
    read('ada', 3, seen('a1', 'a2')),
    join('new-1', 6, 7, 3, seen('a1', 'a2')),
    write('bob', 8, 12, 'set', 'b1'),
    write('bob', 9, 13, 'append', 'b2'),
    read('bob', 10, seen('b1', 'a2', 'b2')),
    read('ada', 11, seen('a1', 'a2')),
    read('ada', 14, seen('b1', 'a2', 'b2')),
    write('bob', 15, undefined, 'set', 'b3'),
    join('new-2', 16, 17, 5, seen('b1', 'a2', 'b2')),
  ],
  log: {
    records: [
      { seq: 0, count: 3 },
      { seq: 3, count: 2 },
    ],
    nodes: [
      { id: '0', author: 's', lamport: 0, writes: [] },
      node('1', 1, 'set', 'a1'),
      node('2', 2, 'append', 'a2'),
      node('3', 3, 'set', 'b1', 'b'),
      node('4', 4, 'append', 'b2', 'b'),
    ],
  },
  last: [
    { who: 'ada', seen: seen('b1', 'a2', 'b2') },
    { who: 'new', seen: seen('b1', 'a2', 'b2') },
  ],
};

const { operations, log, last } = right;
const [genesis, ...nodes] = log.nodes as [Logged, Logged, Logged, Logged, Logged];
const withNodes = (...others: Logged[]): History => {
  const all = [genesis, ...others];
  return { ...right, log: { records: [{ seq: 0, count: all.length }], nodes: all } };
};
const withOperations = (change: (one: Operation) => Operation | undefined): History => {
  return { ...right, operations: operations.flatMap((one) => change(one) ?? []) };
};
const sees = (at: number, what: Seen): History =>
  withOperations((one) => (one.at === at ? ({ ...one, seen: what } as Operation) : one));

/** What each promise is there for. */
const broken: Readonly<Record<Promised, History>> = {
  'no-gap': {
    ...right,
    log: {
      ...log,
      records: [
        { seq: 0, count: 3 },
        { seq: 4, count: 1 },
      ],
    },
  },
  durable: withNodes(...nodes.slice(0, 3)),
  once: withNodes(...nodes, { ...nodes[3]!, id: '5' }),
  asked: withNodes(...nodes, node('5', 5, 'set', 'nobody’s')),
  'own-order': withNodes(nodes[1]!, nodes[0]!, ...nodes.slice(2)),
  'real-time': withNodes(nodes[2]!, nodes[3]!, nodes[0]!, nodes[1]!),
  'seen-is-durable': sees(14, seen('b3', 'a2', 'b2')),
  'own-writes': sees(10, seen('a1', 'a2', 'b2')),
  'never-back': { ...right, operations: [...operations, read('ada', 18, seen('a1', 'a2', 'b2'))] },
  'joins-see-all': sees(16, seen('a1', 'a2', 'b2')),
  'seq-never-back': withOperations((one) => (one.kind === 'join' && one.at === 16 ? { ...one, seq: 2 } : one)),
  'list-order': sees(14, seen('b1', 'b2', 'a2')),
  converged: { ...right, last: [...last, { who: 'cyd', seen: seen('a1', 'a2', 'b2') }] },
};

describe('the check of histories', () => {
  it('finds nothing in a history as it has to be, where what was not answered may be there or not', () => {
    expect(check(right)).toEqual([]);
    const isThere = withNodes(...nodes, node('5', 5, 'set', 'b3', 'b'));
    const all = isThere.last.map((one) => ({ ...one, seen: { ...one.seen, registers: { r: 'b3' } } }));
    expect(check({ ...isThere, last: all })).toEqual([]);
  });

  it('holds what everybody had in the end against the log of then, behind which nothing is that was acknowledged', () => {
    const late = withNodes(...nodes, node('5', 5, 'set', 'b3', 'b'));
    expect(check(late).map(({ promise }) => promise)).toEqual(['converged', 'converged']);
    expect(check({ ...late, lastNodes: 5 })).toEqual([]);
    expect(check({ ...right, lastNodes: 4 }).map(({ why }) => why)).toContain(
      'b2 was acknowledged, and nobody had it in the end',
    );
  });

  it.each(Object.entries(broken))('notices where a promise is broken: %s', (promise, history) => {
    expect(check(history).map((one) => one.promise)).toContain(promise);
  });

  it('notices appends that a reader, or somebody who joins, has lost', () => {
    expect(check(sees(14, seen('b1', 'b2')))).toEqual([
      { promise: 'own-writes', why: 'ada does not see a2 in the list' },
    ]);
    expect(check(sees(16, seen('b1', 'a2')))[0]?.promise).toBe('joins-see-all');
  });
});
