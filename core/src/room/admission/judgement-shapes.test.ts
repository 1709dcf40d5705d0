import { Speakers } from '../state/speakers.js';
import { describe, expect, it } from 'vitest';
import { IdIndex } from '../../codec/nodes/id-index.js';
import type { Graph } from '../../graph/graph.js';
import { type NodeId, type PublicKey, NO_ROOM } from '../../graph/node.js';
import { RUN_NODES } from '../../graph/seal.js';
import { type Node, graphOf, identify, tableOf } from '../../graph/testing/nodes.js';
import { Laws } from '../state/laws.js';
import type { CheckedPack } from './checked-pack.js';
import { Judgement, type Verdict } from './judgement.js';
import { permittingBy } from './permissions.js';

/**
 * Shapes that a quadratic or recursive judge would not survive. Ids are counted, not hashed: admission
 * never looks inside an id, and so the shapes cost nothing to make.
 */
const SIZE = 20_000;
const server = '0'.repeat(64) as PublicKey;
const genesis = identify({ room: NO_ROOM, author: server, parents: [], ops: [{ kind: 'delete', key: '\0genesis' }] });
const authorities = new Set([server]);
const rulesOf = (graph: Graph, speakers = new Speakers(graph, authorities)) => ({
  genesis: genesis.id,
  speakers,
  runNodes: RUN_NODES,
  takesHeaders: false,
  isServer: true,
  permitting: permittingBy(new Laws(graph, speakers)),
});
/** They differ at their front, as hashes do. */
const nameOf = (number: number): NodeId => (number + 1).toString(16).padStart(8, '0').padEnd(64, '0') as NodeId;
const authorOf = (number: number): PublicKey => (number + 1).toString(16).padStart(64, 'a') as PublicKey;

interface Shape {
  readonly author: number;
  readonly prev?: number;
  readonly parents?: readonly number[];
  readonly key?: string;
}
const shaped = (of: (index: number) => Shape): Node[] =>
  Array.from({ length: SIZE }, (_, index) => {
    const { author, prev, parents = [], key = 'k' } = of(index);
    const links = { ...(prev === undefined ? {} : { prev: nameOf(prev) }), parents: parents.map(nameOf).sort() };
    return { id: nameOf(index), room: genesis.id, author: authorOf(author), ...links, ops: [{ kind: 'delete', key }] };
  });

/** Counts the look-ups of ids, in the graph and in the pack: the work that grows with the pack. */
function judge(nodes: readonly Node[], sealed: (index: number) => boolean): Verdict & { readonly finds: number } {
  const graph = graphOf([genesis]);
  const table = tableOf(nodes);
  const seals: CheckedPack['seals'] = nodes.flatMap((_, index) =>
    sealed(index) ? [{ index, signature: new Uint8Array(64), valid: true }] : [],
  );
  const { judgement, finds } = countingFinds(
    () => new Judgement({ table, size: table.size, seals }, graph, rulesOf(graph)),
  );
  judgement.enter(new Map());
  expect(graph.size).toBe(1 + judgement.verdict.accepted);
  return { ...judgement.verdict, finds };
}

/** Counted by hand: a spy keeps what each of very many calls was given. */
function countingFinds(judging: () => Judgement): { readonly judgement: Judgement; readonly finds: number } {
  const { find } = IdIndex.prototype;
  let finds = 0;
  IdIndex.prototype.find = function (this: IdIndex, words, at) {
    finds++;
    return find.call(this, words, at);
  };
  try {
    const judgement = judging();
    expect(finds).toBeGreaterThan(0);
    return { judgement, finds };
  } finally {
    IdIndex.prototype.find = find;
  }
}

const everywhere = (): boolean => true;
const links = (nodes: readonly Node[]): number =>
  nodes.reduce((sum, node) => sum + node.parents.length + (node.prev ? 1 : 0), 0);

describe('judging a pack of 20,000', () => {
  it('[AD6] follows one chain, sealed at its end only as far as a run may go [fault 22]', () => {
    const chain = shaped((index) => ({ author: 0, ...(index > 0 ? { prev: index - 1 } : {}) }));
    expect(judge(chain, (index) => index % 1024 === 1023 || index === SIZE - 1).accepted).toBe(SIZE);
    const endless = judge(chain, (index) => index === SIZE - 1);
    expect(endless.refused).toHaveLength(SIZE);
  });

  it('[AD6] spreads a refusal down one chain without recursion', () => {
    const chain = shaped((index) => ({ author: 0, ...(index > 0 ? { prev: index - 1 } : { key: '\0x' }) }));
    const verdict = judge(chain, everywhere);
    expect(verdict.refused).toHaveLength(SIZE);
    expect(verdict.refused.at(-1)?.reason).toBe('missing-parent');
  });

  it('[AD6] spreads a refusal through a ladder in which each node stands on the last 8', () => {
    const ladder = shaped((index) => ({
      author: index,
      parents: Array.from({ length: Math.min(index, 8) }, (_, back) => index - 1 - back),
      ...(index === 0 ? { key: '\0x' } : {}),
    }));
    const verdict = judge(ladder, everywhere);
    expect(verdict.refused).toHaveLength(SIZE);
    expect(verdict.finds).toBeLessThanOrEqual(4 * (SIZE + links(ladder)));
  });

  it('[AD6] spreads one refusal to 19,999 children, and to one run that all of them share', () => {
    const fan = shaped((index) => ({ author: index, ...(index === 0 ? { key: '\0x' } : { parents: [0] }) }));
    expect(judge(fan, everywhere).refused).toHaveLength(SIZE);
  });

  it('[AD6] judges 20,000 forks of one node, each under its own seal', () => {
    const forks = shaped((index) => ({ author: 0, ...(index > 0 ? { prev: 0 } : {}) }));
    const verdict = judge(forks, everywhere);
    expect(verdict.accepted).toBe(SIZE);
    expect(verdict.finds).toBeLessThanOrEqual(4 * (SIZE + links(forks)));
  });

  it('[AD6] walks a comb of chains that each seal covers from its own tip', () => {
    // Every second node continues one spine, the others branch off it: each seal could walk the whole spine again.
    const comb = shaped((index) => ({
      author: 0,
      ...(index > 0 ? { prev: index % 2 === 0 ? index - 2 : index - 1 } : {}),
    }));
    expect(judge(comb, (index) => index % 2 === 1).accepted).toBe(SIZE);
    expect(judge(comb, everywhere).accepted).toBe(SIZE);
  });

  it('[AD6] takes one node 20,000 times', () => {
    const [node] = shaped(() => ({ author: 0 }));
    const copies = Array.from({ length: SIZE }, () => node).filter((copy) => copy !== undefined);
    const verdict = judge(copies, (index) => index === 0);
    expect([verdict.accepted, verdict.duplicates]).toEqual([1, SIZE - 1]);
  });
});
