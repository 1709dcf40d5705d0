/**
 * Map registers: the last writer wins by (lamport, author, node id, index in the node). [MP1]
 *
 * The winner is a maximum under a total order, so the result depends on the set of nodes alone,
 * never on the order in which they came. Deletes are tombstones: an older set cannot come back.
 */
import { toHex } from '../codec/bytes.js';
import { decodeValue } from '../codec/msgpack.js';
import type { Placed } from '../graph/dag.js';
import type { NodeId, PublicKey } from '../graph/node.js';

/** A register that names a blob by the SHA-256 of its bytes. */
export class BlobRef {
  /** 64 hex characters. */
  readonly hash: string;

  constructor(hash: string) {
    this.hash = hash;
  }
}

export interface Register {
  /** MessagePack bytes, a blob's name, or undefined after a delete. */
  readonly value: Uint8Array | BlobRef | undefined;
  readonly lamport: number;
  readonly author: PublicKey;
  readonly node: NodeId;
  readonly index: number;
}

/** What can be read of values, whether durable ones or a batch laid over them. */
export interface RegisterView {
  find(key: string): Register | undefined;
}

export class Registers implements RegisterView {
  readonly #base: RegisterView | undefined;
  readonly #slots = new Map<string, Register>();

  /** With a base, this is an overlay: reads fall through, writes stay here. */
  constructor(base?: RegisterView) {
    this.#base = base;
  }

  find(key: string): Register | undefined {
    return this.#slots.get(key) ?? this.#base?.find(key);
  }

  /** Tells of each write that met another one: which stands now, and which does not. */
  apply({ node, lamport }: Placed, contest?: (key: string, winner: Register, loser: Register) => void): void {
    node.ops.forEach((op, index) => {
      if (op.kind !== 'set' && op.kind !== 'delete' && op.kind !== 'set-blob') return;
      const value = op.kind === 'set' ? op.value : op.kind === 'set-blob' ? new BlobRef(toHex(op.hash)) : undefined;
      const written = { value, lamport, author: node.author, node: node.id, index };
      const held = this.find(op.key);
      const wins = !held || beats(written, held);
      if (wins) this.#slots.set(op.key, written);
      if (held) contest?.(op.key, wins ? written : held, wins ? held : written);
    });
  }

  /** Live keys in code-point order of their UTF-16 text, which is stable everywhere. */
  *live(prefix = ''): Generator<[key: string, register: Register]> {
    const keys = [...this.#slots.keys()].filter((key) => key.startsWith(prefix)).sort();
    for (const key of keys) {
      const register = this.#slots.get(key);
      if (register?.value !== undefined) yield [key, register];
    }
  }
}

export function readRegister(view: RegisterView, key: string): unknown {
  const value = view.find(key)?.value;
  return value instanceof Uint8Array ? decodeValue(value) : value;
}

function beats(a: Register, b: Register): boolean {
  if (a.lamport !== b.lamport) return a.lamport > b.lamport;
  if (a.author !== b.author) return a.author > b.author;
  if (a.node !== b.node) return a.node > b.node;
  return a.index > b.index;
}
