/**
 * What a room is at one moment, told so that whoever holds the same nodes finds the same: by ids, values and clocks, never by
 * the numbers of one log. [AR4]
 */
import type { PolicyValue } from '../access/policy.js';
import { toHex } from '../codec/bytes.js';
import { sha256Stream } from '../codec/hash.js';
import { DIGEST_BYTES, writeDigest } from '../codec/sha256/words.js';
import { frontierOf } from '../graph/frontier.js';
import type { Graph } from '../graph/graph.js';
import type { NodeId } from '../graph/node.js';
import { compareNodes } from '../graph/order.js';
import type { Signer } from '../ports/crypto.js';
import { ADOPTED } from './genesis.js';
import type { Laws } from './laws.js';
import { signSnapshot, snapshotBody } from './snapshot.js';
import type { RoomState } from './state.js';

/** A policy that a room's authority has set. */
export interface PolicyFact {
  readonly lamport: number;
  readonly policy: PolicyValue;
}

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

export interface SurveysParts {
  readonly state: RoomState;
  /** As a pack of one. */
  readonly genesis: Uint8Array;
  readonly signer: Signer;
  readonly whenSettled: <T>(task: () => T) => Promise<T>;
}

/** Of one room. */
export class Surveys {
  readonly #parts: SurveysParts;

  constructor(parts: SurveysParts) {
    this.#parts = parts;
  }

  /** The policies that its authority has set. */
  get policies(): readonly PolicyFact[] {
    return policiesOf(this.#parts.state.laws);
  }

  now(): Promise<Survey> {
    return this.#parts.whenSettled(() => surveyOf(this.#parts.state));
  }

  /** The same with all values, signed: for an archive. */
  async whole(): Promise<Survey & { readonly snapshot: Uint8Array }> {
    const { state, genesis, signer, whenSettled } = this.#parts;
    const { body, ...survey } = await whenSettled(() => {
      const found = surveyOf(state);
      return { ...found, body: snapshotBody(state.graph, state.values, { ...found, genesis }) };
    });
    return { ...survey, snapshot: await signSnapshot(body, signer) };
  }
}

/** Only while all nodes are settled. */
export function surveyOf({ graph, values, laws, seq }: RoomState): Survey {
  return {
    seq,
    stateHash: values.hash.root(),
    frontier: frontierOf(graph),
    nodesDigest: nodesDigestOf(graph),
    policies: policiesOf(laws),
    adopted: [...values.registers.live(ADOPTED)].map(([key]) => key.slice(ADOPTED.length) as NodeId),
  };
}

/** In canonical order. */
export function policiesOf(laws: Laws): PolicyFact[] {
  laws.follow();
  return laws.all.map(({ lamport, value }) => ({ lamport, policy: value }));
}

function nodesDigestOf(graph: Graph): string {
  const order = Uint32Array.from({ length: graph.settled }, (_, node) => node);
  order.sort((a, b) => compareNodes(graph, a, b));
  const hash = sha256Stream();
  const ids = new Uint8Array(Math.min(order.length, 4096) * DIGEST_BYTES);
  let at = 0;
  for (const node of order) {
    writeDigest(graph.table.ids.values, graph.table.idAt(node), ids, at);
    at += DIGEST_BYTES;
    if (at < ids.length) continue;
    hash.update(ids);
    at = 0;
  }
  hash.update(ids.subarray(0, at));
  return toHex(hash.digest());
}
