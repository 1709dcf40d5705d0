/**
 * Survey: what a room is at one moment, told so that whoever holds the same nodes finds the same: by ids, values and
 * clocks, never by the numbers of one log. [AR4]
 */
import type { HostSpeaker } from '../state/speaker-of.js';
import { toHex } from '../../codec/bytes/bytes.js';
import { sha256Stream } from '../../codec/bytes/hash-stream.js';
import { DIGEST_BYTES, writeDigest } from '../../codec/sha256/words.js';
import { Pauses } from '../../concurrency/pauses.js';
import { frontierOf } from '../../graph/frontier.js';
import type { Graph } from '../../graph/graph.js';
import type { NodeId } from '../../graph/node.js';
import { compareNodes } from '../../graph/order.js';
import { DocumentView } from '../reading/document-view.js';
import { ADOPTED } from '../state/genesis.js';
import { blankedIn, erasedIn, prunedIn } from '../state/given-up.js';
import { type PolicyFact, policiesOf } from '../state/laws.js';
import type { RoomState } from '../state/room-state.js';
import type { Writer } from '../writing/writer.js';
import { signSnapshot, snapshotBody } from './snapshot.js';

export interface Survey {
  /** Nodes of the log. */
  readonly seq: number;
  readonly stateHash: string;
  readonly frontier: readonly NodeId[];
  /** SHA-256 over the ids of all nodes in canonical order. */
  readonly nodesDigest: string;
  readonly policies: readonly PolicyFact[];
  /** Other rooms whose nodes are there because the authority has taken them in, by their geneses. */
  readonly adopted: readonly NodeId[];
}

/** What is found in one piece. */
type Measurement = Omit<Survey, 'nodesDigest'>;

/** Ids that are hashed together. */
const HASHED = 4096;

export interface SurveysParts {
  readonly state: RoomState;
  /** The genesis node as a pack of one. */
  readonly genesis: Uint8Array;
  readonly speaker: HostSpeaker;
  readonly writer: Writer;
}

/** Surveys of one room. */
export class Surveys {
  readonly #parts: SurveysParts;
  #givingUp = 0;

  constructor(parts: SurveysParts) {
    this.#parts = parts;
  }

  /** The policies that its authority has set. */
  get policies(): readonly PolicyFact[] {
    return policiesOf(this.#parts.state.laws);
  }

  /** How often giving up history has begun here: what was found out before is not to be carried away any more. */
  get givingUp(): number {
    return this.#givingUp;
  }

  givesUp(): void {
    this.#givingUp++;
  }

  /** What the room says by now of history that was given up, or is to be, whoever has asked for it and wherever. */
  async givenUp(): Promise<string> {
    const { state, writer } = this.#parts;
    await writer.look();
    const { registers } = state.values;
    return JSON.stringify([prunedIn(registers), erasedIn(registers), blankedIn(registers)]);
  }

  now(): Promise<Survey> {
    const { state, writer } = this.#parts;
    return surveyOf(state, () => writer.whenSettled(() => measure(state)));
  }

  /** A survey and a signed snapshot of the same moment: for an archive. */
  async whole(): Promise<Survey & { readonly snapshot: Uint8Array }> {
    const { state, genesis, speaker, writer } = this.#parts;
    const { body, ...survey } = await surveyOf(state, () =>
      writer.whenSettled(() => {
        const moment = measure(state);
        return { ...moment, body: snapshotBody(state.graph, state.values, { ...moment, genesis }) };
      }),
    );
    return { ...survey, snapshot: await signSnapshot(body, speaker.last) };
  }
}

/**
 * `find` looks at the state while all its nodes are settled, in one piece. What takes long is done before and behind that, with
 * breaks: most of the state hash, and the order of the nodes, which stay as they are.
 */
export async function surveyOf<M extends Measurement>(
  state: RoomState,
  find: () => M | Promise<M>,
): Promise<M & Pick<Survey, 'nodesDigest'>> {
  await new DocumentView(state.values).prepareHash();
  const moment = await find();
  return { ...moment, nodesDigest: await nodesDigestOf(state.graph, moment.seq) };
}

/** The part of a survey that is found in one piece. Only while all nodes are settled. */
export function measure({ graph, values, laws, seq }: RoomState): Measurement {
  return {
    seq,
    stateHash: values.hash.root(),
    frontier: frontierOf(graph),
    policies: policiesOf(laws),
    adopted: [...values.registers.live(ADOPTED)].map(([key]) => key.slice(ADOPTED.length) as NodeId),
  };
}

async function nodesDigestOf(graph: Graph, end: number): Promise<string> {
  const { table, lamport } = graph;
  const order = byLamport(graph, end);
  const pauses = new Pauses();
  const hash = sha256Stream();
  const ids = new Uint8Array(HASHED * DIGEST_BYTES);
  let at = 0;
  for (let from = 0; from < end;) {
    let to = from + 1;
    while (to < end && lamport.get(order[to]!) === lamport.get(order[from]!)) to++;
    for (const node of order.subarray(from, to).sort((a, b) => compareNodes(graph, a, b))) {
      writeDigest(table.idWords(node), table.idAt(node), ids, at);
      at += DIGEST_BYTES;
      if (at < ids.length) continue;
      hash.update(ids);
      at = 0;
    }
    if (pauses.due(to - from)) await pauses.take();
    from = to;
  }
  hash.update(ids.subarray(0, at));
  return toHex(hash.digest());
}

/** Nodes before a position, the smaller lamport first. No lamport is greater than how many there are. */
function byLamport({ lamport }: Graph, end: number): Uint32Array {
  const starts = new Uint32Array(end + 2);
  for (let node = 0; node < end; node++) starts[lamport.get(node) + 1]!++;
  for (let clock = 1; clock < starts.length; clock++) starts[clock]! += starts[clock - 1]!;
  const order = new Uint32Array(end);
  for (let node = 0; node < end; node++) order[starts[lamport.get(node)]!++] = node;
  return order;
}
