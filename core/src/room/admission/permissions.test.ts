import { Speakers } from '../state/speakers.js';
import { describe, expect, it } from 'vitest';
import { Globs } from '../../access/glob.js';
import { encodeValue } from '../../codec/bytes/msgpack.js';
import { Graph } from '../../graph/graph.js';
import { type NodeId, type PublicKey, NO_ROOM } from '../../graph/node.js';
import { type Node, addTo, identify, tableOf } from '../../graph/testing/nodes.js';
import { POLICY_KEY } from '../../crdt/system-keys.js';
import { Laws } from '../state/laws.js';
import { Judgement } from './judgement.js';
import { permittingBy } from './permissions.js';

const key = (letter: string): PublicKey => letter.repeat(64) as PublicKey;
const [server, ann, bob] = [key('0'), key('a'), key('b')];
const authorities = new Set<string>([server]);
const genesis = identify({ room: NO_ROOM, author: server, parents: [], ops: [{ kind: 'delete', key: '\0genesis' }] });

let count = 0;
function node(
  author: PublicKey,
  keys: readonly string[],
  on: readonly Node[],
  prev?: Node,
  value: unknown = count++,
): Node {
  return identify({
    room: genesis.id as NodeId,
    author,
    parents: on.map(({ id }) => id).sort(),
    ...(prev ? { prev: prev.id } : {}),
    ops: keys.map((name) => ({ kind: 'set', key: name, value: encodeValue(value) })),
  });
}
const policy = (value: unknown, on: Node): Node =>
  on === genesis ? node(server, [POLICY_KEY], [on], undefined, value) : node(server, [POLICY_KEY], [], on, value);
const deny = (rules: readonly object[] = []) => ({ default: 'deny', rules });

/** Why each node is refused by who holds the others; the seal of the last one covers a chain. */
function reasons(
  held: readonly Node[],
  pack: readonly Node[],
  { isServer = true, mayWrite, isRun = false }: { isServer?: boolean; mayWrite?: Globs; isRun?: boolean } = {},
): unknown[] {
  const graph = new Graph();
  addTo(graph, [genesis, ...held]);
  graph.settle();
  const sealed = isRun ? [pack.length - 1] : pack.map((_, i) => i);
  const speakers = new Speakers(graph, authorities);
  const judgement = new Judgement(
    {
      table: tableOf(pack),
      size: pack.length,
      seals: sealed.map((index) => ({ index, signature: new Uint8Array(64), valid: true })),
    },
    graph,
    {
      genesis: genesis.id,
      speakers,
      runNodes: 1024,
      takesHeaders: false,
      isServer,
      mayWrite,
      permitting: permittingBy(new Laws(graph, speakers)),
    },
  );
  const refused = new Map(judgement.verdict.refused.map(({ id, reason }) => [id, reason]));
  return pack.map(({ id }) => refused.get(id));
}

describe('permissions', () => {
  const strict = policy(deny([{ path_glob: 'docs/**', can_write: [ann] }]), genesis);

  it('[PO3] what the author knew decides, on a server also what is in force [fault 17]', () => {
    const unaware = node(bob, ['k'], [genesis]);
    const aware = node(bob, ['k'], [strict]);
    const allowed = node(ann, ['docs/a'], [genesis]);
    expect(reasons([strict], [unaware, aware, allowed])).toEqual(['policy-changed', 'policy-denied', undefined]);
    expect(reasons([strict], [unaware, aware], { isServer: false })).toEqual([undefined, 'policy-denied']);
  });

  it('[PO3] a looser policy that is in force brings back nothing that its author’s own past denied', () => {
    const loose = policy({ default: 'allow', rules: [] }, strict);
    expect(reasons([strict, loose], [node(bob, ['k'], [strict]), node(bob, ['k'], [loose])])).toEqual([
      ...['policy-denied', undefined],
    ]);
  });

  it('[PO3] one key of many refuses the node, and the node its run', () => {
    const mixed = node(ann, ['docs/a', 'other'], [strict]);
    expect(reasons([strict], [mixed])).toEqual(['policy-denied']);
    const first = node(ann, ['docs/a'], [strict]);
    const second = node(ann, ['other'], [], first);
    const third = node(ann, ['docs/a'], [], second);
    expect(reasons([strict], [first, second, third], { isRun: true })).toEqual([
      ...['run-refused', 'policy-denied', 'run-refused'],
    ]);
  });

  it('[PO3] a run whose author learns of a policy on the way is judged node by node', () => {
    const first = node(bob, ['k'], [genesis]);
    const second = node(bob, ['k'], [strict], first);
    const third = node(bob, ['k'], [], second);
    const verdicts = reasons([strict], [first, second, third], { isServer: false, isRun: true });
    expect(verdicts).toEqual(['run-refused', 'policy-denied', 'policy-denied']);
    const open = node(bob, ['k'], [genesis]);
    expect(reasons([strict], [open, node(bob, ['k'], [], open)], { isServer: false, isRun: true })).toEqual([
      ...[undefined, undefined],
    ]);
  });

  it('[PO1] authorities may write everywhere, and keys of the system are not a policy’s matter', () => {
    const shut = policy(deny([{ path_glob: '**', can_write: [] }]), genesis);
    expect(reasons([shut], [node(server, ['docs/a'], [], shut)])).toEqual([undefined]);
    expect(reasons([shut], [node(bob, ['\0lock'], [shut])])).toEqual(['foreign-system-key']);
    expect(reasons([shut], [node(bob, ['_topology/x'], [shut])])).toEqual(['foreign-system-key']);
  });

  it('[PO2] a policy and what stands on it may come in one pack', () => {
    const pack = [strict, node(bob, ['k'], [strict]), node(ann, ['docs/a'], [strict])];
    expect(reasons([], pack)).toEqual([undefined, 'policy-denied', undefined]);
  });

  it('[PO2] a policy by anybody else, or deleted, or of another shape, governs nothing', () => {
    const own = node(bob, [POLICY_KEY], [genesis], undefined, deny());
    expect(reasons([], [own, node(bob, ['k'], [], own)])).toEqual(['foreign-system-key', 'missing-parent']);
    const odd = policy('deny', genesis);
    expect(reasons([odd], [node(bob, ['k'], [odd])])).toEqual([undefined]);
    const gone = identify({
      room: genesis.id as NodeId,
      author: server,
      prev: strict.id,
      parents: [],
      ops: [{ kind: 'delete', key: POLICY_KEY }],
    });
    expect(reasons([strict, gone], [node(bob, ['k'], [gone])])).toEqual(['policy-denied']);
  });

  it('[CA2] write rights of who pushes refuse what lies beyond them, whoever wrote it, but an authority', () => {
    const mayWrite = new Globs(['docs/**']);
    const pack = [node(bob, ['docs/a'], [genesis]), node(ann, ['k'], [genesis]), node(ann, ['docs', 'k'], [genesis])];
    expect(reasons([], pack, { mayWrite })).toEqual([undefined, 'path-forbidden', 'path-forbidden']);
    expect(reasons([], [node(server, ['k'], [genesis])], { mayWrite })).toEqual([undefined]);
    const first = node(bob, ['docs/a'], [genesis]);
    const run = [first, node(bob, ['k'], [], first)];
    expect(reasons([], run, { mayWrite, isRun: true })).toEqual(['run-refused', 'path-forbidden']);
    // What is held is not pushed.
    expect(reasons(run, run, { mayWrite })).toEqual([undefined, undefined]);
  });

  it('[CA2] a policy’s refusal comes before that of a token', () => {
    const verdicts = reasons([strict], [node(bob, ['k'], [strict]), node(bob, ['k'], [genesis])], {
      mayWrite: new Globs(['docs/**']),
    });
    expect(verdicts).toEqual(['policy-denied', 'policy-changed']);
  });
});
