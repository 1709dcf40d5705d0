import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Globs } from '../../access/glob.js';
import { encodeValue } from '../../codec/bytes/msgpack.js';
import { Graph } from '../../graph/graph.js';
import { type PublicKey, NO_ROOM } from '../../graph/node.js';
import { type Node, addTo, identify } from '../../graph/testing/nodes.js';
import { Sight, type SightRules } from './sight.js';

const ann = 'a'.repeat(64) as PublicKey;
const NAMES = [
  'docs',
  'docs/a',
  'docs/a/b',
  'notes/a',
  'notes',
  'a',
  '\0policy',
  '\0revoked/a',
  '_topology/x',
  '_topology',
];
const PATTERNS = ['docs/**', 'docs/*', '*/a', 'notes', '**/b', 'nothing', '\0policy'];

const first = identify({ room: NO_ROOM, author: ann, parents: [], ops: [{ kind: 'delete', key: 'first' }] });
const second = identify({ room: NO_ROOM, author: ann, parents: [], ops: [{ kind: 'delete', key: 'second' }] });

/** Two nodes to stand on, and then one for each list of keys; one without keys joins the two. */
function graphOf(writes: readonly (readonly string[])[]): Graph {
  const nodes: Node[] = [first, second];
  for (const [number, keys] of writes.entries()) {
    const ops = keys.map((key) => ({ kind: 'set', key, value: encodeValue(number) }) as const);
    const prev = nodes.at(-1)!.id;
    nodes.push(identify({ room: NO_ROOM, author: ann, prev, parents: ops.length > 0 ? [] : [first.id], ops }));
  }
  const graph = new Graph();
  addTo(graph, nodes);
  graph.settle();
  return graph;
}

const isSystem = (key: string): boolean => key.startsWith('\0') || key.startsWith('_topology/');

/** The rules as they are written. [SB1] [SB3] */
function isWithheld(keys: readonly string[], subscribed?: readonly string[], readable?: readonly string[]): boolean {
  const matches = (key: string, patterns?: readonly string[]): boolean =>
    isSystem(key) || patterns === undefined || new Globs(patterns).matches(key);
  const isWanted = keys.length === 0 || keys.some((key) => matches(key, subscribed));
  return !isWanted || !keys.every((key) => matches(key, readable));
}

const rules = (subscribed?: readonly string[], readable?: readonly string[]): SightRules => ({
  subscribed: subscribed && new Globs(subscribed),
  readable: readable && new Globs(readable),
});
const some = fc.option(fc.array(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 3 }), { nil: undefined });
const written = fc.array(fc.array(fc.constantFrom(...NAMES), { maxLength: 3 }), { minLength: 1, maxLength: 12 });

describe('a sight', () => {
  it('[SB1] [SB3] withholds a node exactly when no key of it is wanted, or one of them may not be read', () => {
    fc.assert(
      fc.property(written, some, some, (writes, subscribed, readable) => {
        const sight = new Sight(graphOf(writes), rules(subscribed, readable));
        const found = writes.map((_, i) => sight.has(i + 2));
        const expected = writes.map((keys) => isWithheld(keys, subscribed, readable));
        expect(found).toEqual(expected);
        expect(writes.map((_, i) => sight.has(i + 2))).toEqual(expected); // what is kept by key is the same
      }),
      { numRuns: 250 },
    );
  });

  it('[SB1] shows joins and the system’s nodes to whoever sees nothing else', () => {
    const sight = new Sight(graphOf([[], ['\0policy'], ['_topology/x'], ['docs'], ['_topology']]), rules(['nothing']));
    expect([2, 3, 4, 5, 6].map((node) => sight.has(node))).toEqual([false, false, false, true, true]);
  });

  it('[SB3] hides a node for one key of many, a system key beside it or not', () => {
    const sight = new Sight(
      graphOf([
        ['docs', '\0policy', 'a'],
        ['docs', '\0policy'],
      ]),
      rules(undefined, ['docs']),
    );
    expect([sight.has(2), sight.has(3)]).toEqual([true, false]);
  });

  it('[SB1] goes on with keys that nobody had when it was made', () => {
    const graph = graphOf([['docs/a']]);
    const sight = new Sight(graph, rules(['docs/*']));
    expect(sight.has(2)).toBe(false);
    for (let i = 0; i < 100; i++) {
      const prev = graph.idOf(graph.size - 1);
      const key = i % 2 ? `docs/${i}` : `other/${i}`;
      const ops = [{ kind: 'set', key, value: encodeValue(i) }] as const;
      addTo(graph, [identify({ room: NO_ROOM, author: ann, prev, parents: [], ops })]);
      expect(sight.has(graph.size - 1)).toBe(i % 2 === 0);
    }
  });
});
