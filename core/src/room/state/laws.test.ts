import { Speakers } from './speakers.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Policy, policyValue } from '../../access/policy.js';
import { sift } from '../../codec/sieve.js';
import { encodeValue } from '../../codec/bytes/msgpack.js';
import { Graph } from '../../graph/graph.js';
import { type PublicKey, NO_ROOM } from '../../graph/node.js';
import { type Node, addTo, ancestorsOf, identify, tableOf } from '../../graph/testing/nodes.js';
import { Judgement } from '../admission/judgement.js';
import { permittingBy } from '../admission/permissions.js';
import { POLICY_KEY } from '../../crdt/system-keys.js';
import { NO_LAW, Laws } from './laws.js';

const key = (letter: string): PublicKey => letter.repeat(64) as PublicKey;
const [server, ann, bob] = [key('0'), key('a'), key('b')];
const authors = [server, ann, bob];
const authorities = new Set<string>([server]);
const genesis = identify({ room: NO_ROOM, author: server, parents: [], ops: [{ kind: 'delete', key: '\0genesis' }] });

/** What policy nodes set; the last ones cannot be read. */
const policies = [
  { default: 'deny', rules: [] },
  { default: 'deny', rules: [{ path_glob: 'docs/**', can_write: [ann] }] },
  { default: 'allow', rules: [{ path_glob: 'docs/*', can_write: [bob] }] },
  { default: 'allow', rules: [] },
  { default: 'perhaps', rules: [] },
  'nothing',
];
const keys = ['docs/a', 'docs/a/b', 'other'];

interface Step {
  readonly author: number;
  readonly parents: readonly number[];
  /** Below `policies.length`, a policy. */
  readonly what: number;
  readonly forks: boolean;
}
const steps = fc.array(
  fc.record({
    author: fc.nat(authors.length - 1),
    parents: fc.array(fc.nat(1000), { maxLength: 2 }),
    what: fc.nat(policies.length + keys.length - 1),
    forks: fc.boolean(),
  }),
  { minLength: 1, maxLength: 24 },
);

/** Nodes in causal order, the genesis first. */
function dagOf(plan: readonly Step[]): readonly Node[] {
  const nodes: Node[] = [genesis];
  const tips = new Map<string, Node>();
  for (const [number, { author, parents, what, forks }] of plan.entries()) {
    const by = authors[author]!;
    const prev = forks ? undefined : tips.get(by);
    const ids = new Set(parents.map((at) => nodes[at % nodes.length]!.id));
    if (!prev && ids.size === 0) ids.add(genesis.id);
    if (prev) ids.delete(prev.id);
    // Others seldom try: it ends what stands on it.
    const isPolicy = what < policies.length && (by === server || what === 0);
    const op = isPolicy
      ? { key: POLICY_KEY, value: encodeValue(policies[what]) }
      : { key: keys[what % keys.length]!, value: encodeValue(number) };
    const links = { ...(prev ? { prev: prev.id } : {}), parents: [...ids].sort() };
    const node = identify({ room: genesis.id, author: by, ...links, ops: [{ kind: 'set', ...op }] });
    if (nodes.some(({ id }) => id === node.id)) continue;
    nodes.push(node);
    tips.set(by, node);
  }
  return nodes;
}

interface Ruled {
  readonly lamport: number;
  /** All policy nodes of the past, the node itself included. */
  readonly laws: ReadonlySet<string>;
  readonly governing: string | undefined;
  readonly isAllowed: boolean;
}

/** The rule as it is written: the greatest policy node of the causal past in canonical order. */
function model(nodes: readonly Node[]): ReadonlyMap<string, Ruled> {
  const byId = new Map(nodes.map((node) => [node.id as string, node]));
  const ruled = new Map<string, Ruled>();
  const name = (id: string): string => `${String(ruled.get(id)!.lamport).padStart(6, '0')}${byId.get(id)!.author}${id}`;
  for (const node of nodes) {
    const past = ancestorsOf(node).map((id) => ruled.get(id)!);
    const laws = new Set(past.flatMap((one) => [...one.laws]));
    const lamport = 1 + Math.max(0, ...past.map((one) => one.lamport));
    const governing = [...laws].sort((a, b) => (name(a) < name(b) ? 1 : -1))[0];
    const policy = governing === undefined ? undefined : policyOf(byId.get(governing)!);
    const isOwn = authorities.has(node.author);
    const mayWrite = node.ops.every(
      ({ key: written }) => isOwn || (!written.startsWith('\0') && (policy?.allows(node.author, written) ?? true)),
    );
    const isAllowed = mayWrite && past.every((one) => one.isAllowed);
    if (isOwn && policyOf(node)) laws.add(node.id);
    ruled.set(node.id, { lamport, laws, governing, isAllowed });
  }
  return ruled;
}

function policyOf({ ops }: Node): Policy | undefined {
  const op = ops.find(({ key: written }) => written === POLICY_KEY);
  const set =
    op?.kind === 'set' ? policies.find((value) => Buffer.compare(encodeValue(value), op.value) === 0) : undefined;
  const value = sift(policyValue, set);
  return value && new Policy(value);
}

/** A replica to which nodes come in any order, in packs of any size; what comes too early waits. Some batches are lost. */
class Receiver {
  readonly graph = new Graph();
  readonly speakers = new Speakers(this.graph, authorities);
  readonly laws = new Laws(this.graph, this.speakers);
  #waiting: readonly Node[] = [];

  constructor() {
    addTo(this.graph, [genesis]);
    this.graph.settle();
  }

  /** In causal order: whoever parks nodes puts them behind what they stand on. */
  receive(pack: readonly Node[], order: readonly Node[], isLost: boolean): void {
    const nodes = [...new Set([...this.#waiting, ...pack])].sort((a, b) => order.indexOf(a) - order.indexOf(b));
    const judgement = new Judgement(
      {
        table: tableOf(nodes),
        size: nodes.length,
        seals: nodes.map((_, index) => ({ index, signature: new Uint8Array(64), valid: true })),
      },
      this.graph,
      {
        genesis: genesis.id,
        speakers: this.speakers,
        runNodes: 1024,
        takesHeaders: false,
        isServer: false,
        permitting: permittingBy(this.laws),
      },
    );
    judgement.enter(new Map());
    this.laws.follow();
    if (isLost) {
      this.graph.rewind();
      this.laws.truncate(this.graph.settled);
      this.#waiting = nodes;
    } else {
      this.graph.settle();
      this.#waiting = judgement.early.map((place) => nodes[place]!);
    }
  }
}

const deliveries = fc.record({
  order: fc.array(fc.nat(1000), { minLength: 1, maxLength: 30 }),
  sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 10 }),
  lost: fc.array(fc.boolean(), { minLength: 1, maxLength: 10 }),
});

function deliver(
  nodes: readonly Node[],
  { order, sizes, lost }: typeof deliveries extends fc.Arbitrary<infer T> ? T : never,
) {
  const receiver = new Receiver();
  const left = [...nodes.slice(1)];
  for (let turn = 0; left.length > 0; turn++) {
    const pack: Node[] = [];
    for (let i = 0; i < sizes[turn % sizes.length]! && left.length > 0; i++)
      pack.push(...left.splice(order[(turn + i) % order.length]! % left.length, 1));
    receiver.receive(pack, nodes, lost[turn % lost.length]!);
  }
  receiver.receive([], nodes, false);
  return receiver;
}

describe('laws', () => {
  it('[PO2] every replica judges each node by the greatest policy of its past, however the nodes came [fault 17]', () => {
    fc.assert(
      fc.property(steps, deliveries, (plan, delivery) => {
        const nodes = dagOf(plan);
        const ruled = model(nodes);
        const { graph } = deliver(nodes, delivery);
        const held = new Set(Array.from({ length: graph.size }, (_, node) => graph.idOf(node) as string));
        expect(held).toEqual(new Set(nodes.filter(({ id }) => ruled.get(id)!.isAllowed).map(({ id }) => id as string)));
      }),
      { numRuns: 150 },
    );
  });

  it('[PO2] each held node has the law that it leaves to those who stand on it', () => {
    fc.assert(
      fc.property(steps, deliveries, (plan, delivery) => {
        const nodes = dagOf(plan);
        const ruled = model(nodes);
        const { graph, laws } = deliver(nodes, delivery);
        const setBy = (number: number): string | undefined =>
          number === NO_LAW ? undefined : graph.idOf(laws.law(number)!.node);
        const greatest = (among: Iterable<string>): string | undefined =>
          [...among].sort((a, b) => ruled.get(b)!.lamport - ruled.get(a)!.lamport || (a < b ? 1 : -1))[0];
        for (let node = 0; node < graph.size; node++)
          expect(setBy(laws.of(node))).toBe(greatest(ruled.get(graph.idOf(node))!.laws));
        const all = new Set(
          Array.from({ length: graph.size }, (_, node) => [...ruled.get(graph.idOf(node))!.laws]).flat(),
        );
        expect(setBy(laws.inForce)).toBe(greatest(all));
      }),
      { numRuns: 200 },
    );
  });

  it('[PO2] a node whose past is not all here is not judged by what is', () => {
    const by = (author: PublicKey, name: string, value: unknown, parents: readonly Node[], prev?: Node) =>
      identify({
        room: genesis.id,
        author,
        parents: parents.map(({ id }) => id).sort(),
        ...(prev ? { prev: prev.id } : {}),
        ops: [{ kind: 'set', key: name, value: encodeValue(value) }],
      });
    const strict = by(server, POLICY_KEY, policies[0], [genesis]);
    const loose = by(server, POLICY_KEY, policies[3], [], strict);
    const first = by(bob, 'k', 1, [strict, loose]);
    const second = by(bob, 'k', 2, [], first);
    const order = [genesis, strict, loose, first, second];
    const receiver = new Receiver();
    receiver.receive([strict], order, false);
    receiver.receive([first, second], order, false);
    receiver.receive([loose], order, false);
    expect(receiver.graph.size).toBe(order.length);
  });

  it('[PO2] a batch that is taken back leaves no law behind', () => {
    const policy = (value: unknown, prev?: Node) =>
      identify({
        room: genesis.id,
        author: server,
        parents: prev ? [] : [genesis.id],
        ...(prev ? { prev: prev.id } : {}),
        ops: [{ kind: 'set', key: POLICY_KEY, value: encodeValue(value) }],
      });
    const [strict, loose] = [policy(policies[0]), policy(policies[3])];
    const graph = new Graph();
    const laws = new Laws(graph, new Speakers(graph, authorities));
    addTo(graph, [genesis]);
    graph.settle();
    addTo(graph, [strict, loose]);
    laws.follow();
    expect([laws.isEmpty, laws.inForce > 0, laws.of(1)]).toEqual([false, true, 1]);
    graph.rewind();
    laws.truncate(graph.settled);
    expect([laws.isEmpty, laws.inForce, laws.of(1), laws.law(1)]).toEqual([true, NO_LAW, NO_LAW, undefined]);
    const plain = identify({
      room: genesis.id,
      author: ann,
      parents: [genesis.id],
      ops: [{ kind: 'set', key: 'k', value: encodeValue(1) }],
    });
    addTo(graph, [plain, loose]);
    laws.follow();
    expect([laws.of(0), laws.of(1), laws.of(2), laws.inForce]).toEqual([NO_LAW, NO_LAW, 1, 1]);
  });
});
