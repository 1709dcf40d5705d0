/**
 * Proofs that a path is, or is not, in the map under a root of the state tree.
 *
 *   version 1 (1) ‖ path (32) ‖ for each node from the root down: inner map (2) ‖ leaf map (2) ‖ entries
 *
 * Maps and entries are those of `node-body.ts`; left out is the entry of the slot that the path takes,
 * when that is an inner node: the node that follows is what it hashes to. The last node is the one
 * whose slot is empty (the path is absent) or holds a leaf (present if the leaf has this path, else absent,
 * because a subtree with a single leaf is that leaf). A path under a root has exactly one proof. The
 * proof names its path, because the same nodes would also show the absence of paths beside it.
 */
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { equalBytes } from '../../codec/bytes/bytes.js';
import {
  HASH_BYTES,
  HEADER_BYTES,
  LEAF_BYTES,
  MAX_DEPTH,
  PATH_BYTES,
  TAG_BYTES,
  body,
  entryBytes,
  hashBody,
  nibbleAt,
} from './node-body.js';

const VERSION = 1;
const STEPS_AT = 1 + PATH_BYTES;
const MAP_BYTES = HEADER_BYTES - TAG_BYTES;

export type Proven =
  | { readonly present: true; readonly leaf: Uint8Array }
  | { readonly present: false; readonly leaf?: never };

/** Collects the nodes of one path, each laid out in `body` in turn. */
export class ProofWriter {
  readonly #out = new ByteWriter(2048);

  constructor(path: Uint8Array) {
    this.#out.byte(VERSION);
    this.#out.bytes(path);
  }

  /** The node in the first `length` bytes of `body`, of which the path takes `slot`. */
  addBody(length: number, slot: number): void {
    const { inner, leaves } = readMaps(body, TAG_BYTES);
    const before = (1 << slot) - 1;
    const gap = HEADER_BYTES + entryBytes(inner & before, leaves & before);
    const left = (inner >>> slot) & 1 ? gap + HASH_BYTES : gap;
    this.#out.bytes(body.subarray(TAG_BYTES, gap));
    this.#out.bytes(body.subarray(left, length));
  }

  finish(): Uint8Array {
    return this.#out.finish();
  }
}

/** What the proof shows of the path under the root; undefined when it does not hold. Never throws. */
export function verifyProof(proof: Uint8Array, path: Uint8Array, root: Uint8Array): Proven | undefined {
  const steps = readSteps(proof, path);
  const last = steps?.at(-1);
  if (!steps || !last) return undefined;
  const hash = new Uint8Array(HASH_BYTES);
  for (const step of steps.toReversed()) {
    hashBody(layOutStep(proof, step, step === last ? undefined : hash), hash, 0);
  }
  if (!equalBytes(hash, root)) return undefined;
  if (!last.endsInLeaf) return { present: false };
  const held = proof.subarray(last.gap, last.gap + LEAF_BYTES);
  if (!equalBytes(held.subarray(0, PATH_BYTES), path)) return { present: false };
  return { present: true, leaf: held.slice(PATH_BYTES) };
}

/** A node of the proof: where its maps begin, where the path's entry is or would be, where it ends. */
interface Step {
  readonly start: number;
  readonly gap: number;
  readonly end: number;
  readonly goesOn: boolean;
  readonly endsInLeaf: boolean;
}

/** The steps of a proof from the root down; undefined when the bytes are not exactly one walk along the path. */
function readSteps(proof: Uint8Array, path: Uint8Array): Step[] | undefined {
  if (proof[0] !== VERSION || !equalBytes(proof.subarray(1, STEPS_AT), path)) return undefined;
  const steps: Step[] = [];
  let start = STEPS_AT;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const step = readStep(proof, start, nibbleAt(path, 0, depth));
    if (!step) return undefined;
    steps.push(step);
    start = step.end;
    if (!step.goesOn) return start === proof.length ? steps : undefined;
  }
  return undefined;
}

function readStep(proof: Uint8Array, start: number, slot: number): Step | undefined {
  if (start + MAP_BYTES > proof.length) return undefined;
  const { inner, leaves } = readMaps(proof, start);
  if ((inner & leaves) !== 0) return undefined;
  const before = (1 << slot) - 1;
  const goesOn = ((inner >>> slot) & 1) === 1;
  const gap = start + MAP_BYTES + entryBytes(inner & before, leaves & before);
  const end = start + MAP_BYTES + entryBytes(inner, leaves) - (goesOn ? HASH_BYTES : 0);
  return { start, gap, end, goesOn, endsInLeaf: ((leaves >>> slot) & 1) === 1 };
}

/** Writes a node of the proof into `body`, with the hash of the next one where it was left out; returns its length. */
function layOutStep(proof: Uint8Array, step: Step, next: Uint8Array | undefined): number {
  let end = TAG_BYTES;
  const append = (bytes: Uint8Array): void => {
    body.set(bytes, end);
    end += bytes.length;
  };
  append(proof.subarray(step.start, step.gap));
  if (next) append(next);
  append(proof.subarray(step.gap, step.end));
  return end;
}

function readMaps(bytes: Uint8Array, at: number): { inner: number; leaves: number } {
  return { inner: readMap(bytes, at), leaves: readMap(bytes, at + 2) };
}

function readMap(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}
