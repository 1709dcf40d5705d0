import { Speakers } from '../state/speakers.js';
import { describe, expect, it } from 'vitest';
import { encodeValue } from '../../codec/bytes/msgpack.js';
import { outside } from '../../codec/nodes/node-table.js';
import type { Op } from '../../codec/nodes/op.js';
import type { Graph } from '../../graph/graph.js';
import { type NodeId, type PublicKey, NO_ROOM, wordsOf } from '../../graph/node.js';
import { RUN_NODES } from '../../graph/seal.js';
import { type Node, graphOf, identify, nodesOf, tableOf } from '../../graph/testing/nodes.js';
import { NODE_REASONS } from '../../rejection.js';
import { Laws } from '../state/laws.js';
import type { CheckedPack } from './checked-pack.js';
import { Judgement, type Verdict } from './judgement.js';
import { permittingBy } from './permissions.js';

const key = (letter: string): PublicKey => letter.repeat(64) as PublicKey;
const [server, ann, bob] = [key('0'), key('a'), key('b')];

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

let count = 0;
interface Shape {
  readonly prev?: Node;
  readonly parents?: readonly (Node | NodeId)[];
  readonly room?: NodeId;
  readonly key?: string;
}
function make(author: PublicKey, { prev, parents = [], room = genesis.id, key: name = 'k' }: Shape = {}): Node {
  const ids = parents.map((parent) => (typeof parent === 'string' ? parent : parent.id)).sort();
  const ops: Op[] = [{ kind: 'set', key: name, value: encodeValue(count++) }];
  return identify({ room, author, ...(prev ? { prev: prev.id } : {}), parents: ids, ops });
}

const held = (...nodes: readonly Node[]): Graph => graphOf([genesis, ...nodes]);
/** A pack in which the given places are sealed; the signature is the place, to tell copies apart. */
const packed = (nodes: readonly Node[], sealed: readonly number[], forged: readonly number[] = []): CheckedPack => ({
  table: tableOf(nodes),
  size: nodes.length,
  seals: [...sealed, ...forged]
    .sort((a, b) => a - b)
    .map((index) => ({ index, signature: Uint8Array.of(index), valid: !forged.includes(index) })),
});

interface Judged extends Verdict {
  /** What has entered the graph, in its order, and the seals of these nodes. */
  readonly admitted: readonly Node[];
  readonly seals: ReadonlyMap<NodeId, Uint8Array>;
  readonly isWhole: boolean;
}
function judge(pack: CheckedPack, graph = held()): Judged {
  const before = nodesOf(graph.table);
  const judgement = new Judgement(pack, graph, rulesOf(graph));
  const { verdict, isWhole } = judgement;
  expect(nodesOf(graph.table)).toEqual(before);
  const seals = new Map<number, Uint8Array>();
  judgement.enter(seals);
  const admitted = nodesOf(graph.table).slice(before.length);
  expect([judgement.verdict, admitted.length]).toEqual([verdict, verdict.accepted]);
  const named = [...seals].map(([node, signature]) => [graph.idOf(node), signature] as const);
  return { ...verdict, admitted, seals: new Map(named), isWhole };
}
const reasonsOf = ({ refused }: Verdict): string[] => refused.map(({ reason }) => reason);
const reasonFor = (verdict: Verdict, node: Node): string | undefined =>
  verdict.refused.find(({ id }) => id === node.id)?.reason;

const unknown = 'f'.repeat(64) as NodeId;
const first = make(ann);
const second = make(ann, { prev: first });
const third = make(ann, { prev: second });

describe('what enters', () => {
  it('[AD1] a sealed chain on what the room holds', () => {
    const verdict = judge(packed([first, second, third], [2]));
    expect(verdict.admitted).toEqual([first, second, third]);
    expect(verdict.refused).toEqual([]);
    expect([...verdict.seals]).toEqual([[third.id, Uint8Array.of(2)]]);
  });

  it('[AD1] what names nodes of its own pack as if they were outside of it', () => {
    const nodes = [first, make(bob), second, third, make(bob, { parents: [third] })];
    const pack = packed(nodes, [1, 3, 4]);
    const { table } = pack;
    const named = (node: Node): number => outside(table.outsideNumber(wordsOf(node.id), 0));
    table.prev.set(2, named(first));
    table.parents.set(table.firstParent(4), named(third));
    const verdict = judge(pack);
    expect([verdict.refused, verdict.admitted]).toEqual([[], nodes]);
  });

  it('[AD1] counts what is held already as accepted, sealed or not, and keeps nothing of it twice', () => {
    const verdict = judge(packed([first, second, third], [2]), held(first, second));
    expect(verdict.admitted).toEqual([third]);
    expect(verdict.duplicates).toBe(2);
    const again = judge(packed([first, second, third], []), held(first, second, third));
    expect([again.admitted, again.duplicates, again.refused]).toEqual([[], 3, []]);
    const forged = judge(packed([first], [], [0]), held(first));
    expect([forged.admitted, forged.duplicates, forged.refused]).toEqual([[], 1, []]);
  });

  it('[AD1] the genesis itself is held from the start', () => {
    expect(judge(packed([genesis], [])).duplicates).toBe(1);
  });

  it('[PK6] a node that stands twice in a pack is one node: its copy shares its fate', () => {
    const taken = judge(packed([first, first, second], [2]));
    expect([taken.admitted, taken.duplicates, taken.refused]).toEqual([[first, second], 1, []]);
    const refused = judge(packed([first, second, first], []));
    expect([refused.accepted, refused.duplicates, reasonsOf(refused)]).toEqual([
      0,
      0,
      ['unsealed', 'unsealed', 'unsealed'],
    ]);
  });

  it('[SL1] a seal on the second copy of a node is a seal on the node', () => {
    expect(judge(packed([first, first], [1])).admitted).toEqual([first]);
  });

  it('[SL1] keeps no seal that does not verify, also not on a second copy of a node that is sealed rightly', () => {
    const verdict = judge(packed([first, first], [0], [1]));
    expect(verdict.admitted).toEqual([first]);
    expect([...verdict.seals]).toEqual([[first.id, Uint8Array.of(0)]]);
  });

  it('[SL1] a fork of one chain is kept whole: each branch is judged by its own seal', () => {
    const fork = make(ann, { prev: first });
    const verdict = judge(packed([first, second, fork], [1, 2]));
    expect(verdict.admitted).toEqual([first, second, fork]);
    const half = judge(packed([first, second, fork], [1], [2]));
    expect(half.admitted).toEqual([first, second]);
    expect(reasonsOf(half)).toEqual(['bad-signature']);
  });

  it('[ST3] as it came, bytes and all, only when every node of the pack is new and taken and every seal holds', () => {
    expect(judge(packed([first, second, third], [0, 2])).isWhole).toBe(true);
    for (const [pack, graph] of [
      [packed([first, second, third], [1]), held()],
      [packed([first, second], [1], [0]), held()],
      [packed([first, first, second], [2]), held()],
      [packed([genesis, first], [1]), held()],
      [packed([first, second], [1]), held(first)],
    ] as const) {
      expect(judge(pack, graph).isWhole).toBe(false);
    }
  });

  it('[AD3] a node whose parents come in the same pack, before it', () => {
    const child = make(bob, { parents: [first, genesis] });
    expect(judge(packed([first, child], [0, 1])).admitted).toEqual([first, child]);
  });
});

describe('what is refused', () => {
  it('[AD4] a node of another room', () => {
    expect(reasonsOf(judge(packed([make(ann, { room: unknown })], [0])))).toEqual(['wrong-room']);
    expect(reasonsOf(judge(packed([make(server, { room: NO_ROOM })], [0])))).toEqual(['wrong-room']);
  });

  it('[AD4] a node that no seal covers', () => {
    expect(reasonsOf(judge(packed([first], [])))).toEqual(['unsealed']);
    const verdict = judge(packed([first, second, third], [1]));
    expect(verdict.admitted).toEqual([first, second]);
    expect(verdict.refused).toEqual([{ id: third.id, reason: 'unsealed' }]);
  });

  it('[AD4] a wrong signature', () => {
    expect(reasonsOf(judge(packed([first], [], [0])))).toEqual(['bad-signature']);
  });

  it('[AD4] a prev of another author, or of another room', () => {
    const theft = make(bob, { prev: first });
    const verdict = judge(packed([first, theft], [0, 1]));
    expect([verdict.admitted, reasonsOf(verdict)]).toEqual([[first], ['wrong-prev']]);
    expect(reasonsOf(judge(packed([theft], [0]), held(first)))).toEqual(['wrong-prev']);
    expect(reasonsOf(judge(packed([make(server, { prev: genesis })], [0])))).toEqual(['wrong-prev']);
  });

  it('[AD3] a node without its parent or its prev', () => {
    expect(reasonsOf(judge(packed([second], [0])))).toEqual(['missing-parent']);
    expect(reasonsOf(judge(packed([make(ann, { parents: [unknown] })], [0])))).toEqual(['missing-parent']);
  });

  it('[AD3] the descendants of a refused node, however far, in any author’s runs', () => {
    const bad = make(ann, { room: unknown });
    const child = make(bob, { parents: [bad] });
    const grandchild = make(bob, { prev: child });
    const other = make(ann, { parents: [grandchild] });
    const verdict = judge(packed([first, bad, child, grandchild, other], [0, 1, 2, 3, 4]));
    expect(verdict.admitted).toEqual([first]);
    expect(reasonsOf(verdict)).toEqual(['wrong-room', 'missing-parent', 'missing-parent', 'missing-parent']);
  });

  it('[AD3] a node that stands before its parent in the pack, or both in the order that parents lead', () => {
    const child = make(bob, { parents: [first] });
    for (const pack of [packed([child, first], [0, 1]), packed([second, first], [0])]) {
      const { admitted } = judge(pack);
      const places = new Map(admitted.map((node, index) => [node.id, index]));
      for (const [index, node] of admitted.entries()) {
        for (const parent of [...node.parents, ...(node.prev ? [node.prev] : [])]) {
          expect(places.get(parent)).toBeLessThan(index);
        }
      }
    }
  });

  it('[AD5] the authority’s keys under any other author', () => {
    for (const name of ['\0policy', '\0', '_topology/', '_topology/children/x']) {
      expect(reasonsOf(judge(packed([make(ann, { key: name })], [0])))).toEqual(['foreign-system-key']);
      expect(judge(packed([make(server, { key: name })], [0])).admitted).toHaveLength(1);
    }
    for (const name of ['_topology', 'x_topology/', 'a\0', '_other/']) {
      expect(judge(packed([make(ann, { key: name })], [0])).admitted).toHaveLength(1);
    }
  });

  it('[AD5] one such key among many in a node', () => {
    const ops = ['a', '_topology/x', 'b'].map((name): Op => ({ kind: 'delete', key: name }));
    const mixed = identify({ room: genesis.id, author: ann, parents: [], ops });
    expect(reasonsOf(judge(packed([mixed], [0])))).toEqual(['foreign-system-key']);
  });

  it('[AD2] a run as a whole: the offender keeps its reason, the rest are run-refused', () => {
    for (const offence of [{ room: unknown }, { key: '\0x' }, { parents: [unknown] }] satisfies Shape[]) {
      const bad = make(ann, { prev: first, ...offence });
      const after = make(ann, { prev: bad });
      const verdict = judge(packed([first, bad, after], [2]));
      expect(verdict.admitted).toEqual([]);
      expect(reasonFor(verdict, first)).toBe('run-refused');
      expect(reasonFor(verdict, after)).not.toBe(reasonFor(verdict, bad));
      expect(reasonFor(verdict, bad)).not.toBe('run-refused');
    }
  });

  it('[AD2] only the run of the offender: a run sealed before it stays', () => {
    const bad = make(ann, { prev: second, key: '\0x' });
    const verdict = judge(packed([first, second, bad], [1, 2]));
    expect(verdict.admitted).toEqual([first, second]);
    expect(reasonsOf(verdict)).toEqual(['foreign-system-key']);
    expect([...verdict.seals.keys()]).toEqual([second.id]);
  });

  it('[SL2] a run beyond 1,024 nodes', () => {
    const chain = [make(ann)];
    while (chain.length < 1025) chain.push(make(ann, { prev: chain.at(-1) ?? first }));
    expect(judge(packed(chain.slice(0, 1024), [1023])).admitted).toHaveLength(1024);
    const verdict = judge(packed(chain, [1024]));
    expect([verdict.accepted, reasonFor(verdict, chain[1024] ?? first), reasonFor(verdict, chain[0] ?? first)]).toEqual(
      [0, 'run-too-long', 'run-refused'],
    );
    expect(judge(packed(chain, [100, 1024])).admitted).toHaveLength(1025);
    expect(judge(packed(chain, [1024]), held(...chain.slice(0, 1))).admitted).toHaveLength(1024);
  });

  it('[SL3] a forged node that is put before somebody’s sealed one in the pack', () => {
    const forged = make(ann, { parents: [genesis] });
    const verdict = judge(packed([forged, first], [1]));
    expect(verdict.admitted).toEqual([first]);
    expect(verdict.refused).toEqual([{ id: forged.id, reason: 'unsealed' }]);
  });

  it('[SL3] a forged node on somebody’s chain under the forger’s own seal', () => {
    const forged = make(ann, { prev: first });
    const carrier = make(bob, { prev: forged });
    const verdict = judge(packed([first, forged, carrier], [0, 2]));
    expect(verdict.admitted).toEqual([first]);
    expect(reasonFor(verdict, carrier)).toBe('wrong-prev');
    expect(reasonFor(verdict, forged)).toBe('run-refused');
  });

  it('[SL3] does not take a seal through parents: only prev links are covered', () => {
    const child = make(ann, { parents: [first] });
    const verdict = judge(packed([first, child], [1]));
    expect(verdict.admitted).toEqual([]);
    expect(reasonsOf(verdict)).toEqual(['unsealed', 'missing-parent']);
  });

  it('[PK6] every node of a pack is admitted, held or refused, whatever is wrong with it', () => {
    const bad = make(ann, { prev: second, room: unknown });
    const pack = packed([genesis, first, second, bad, first, make(bob), third, bad], [2, 3], [5]);
    const { admitted, duplicates, refused } = judge(pack);
    expect(admitted.length + duplicates + refused.length).toBe(pack.size);
    expect(refused.every(({ reason }) => reason in NODE_REASONS)).toBe(true);
  });

  it('[AD4] has no reason that nothing leads to', () => {
    const reached = new Set<string>();
    const chain = [make(ann)];
    while (chain.length < 1025) chain.push(make(ann, { prev: chain.at(-1) ?? first }));
    const header = packed([first], []);
    header.table.withheld.set(0, 0);
    for (const verdict of [
      judge(packed([first], [])),
      judge(packed([first], [], [0])),
      judge(packed([make(ann, { room: unknown })], [0])),
      judge(packed([second], [0])),
      judge(packed([first, make(bob, { prev: first })], [0, 1])),
      judge(packed([make(ann, { key: '\0x' })], [0])),
      judge(packed(chain, [1024])),
      judge({ ...header, attestedBy: { authority: server } }),
    ]) {
      for (const { reason } of verdict.refused) reached.add(reason);
    }
    // What may be written where, how much, and what is said of keys, has tests of its own.
    const elsewhere = ['path-forbidden', 'room-full', 'bad-mandate', 'signer-revoked', 'authority-superseded'];
    const others = Object.keys(NODE_REASONS).filter(
      (reason) => !reason.startsWith('policy-') && !elsewhere.includes(reason),
    );
    expect([...reached].sort()).toEqual(others.sort());
  });
});
