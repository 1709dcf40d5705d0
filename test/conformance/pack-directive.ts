/**
 * Packs inside dialogues, built node by node from the rules of the format rather than by the engine's own writer
 * of nodes:
 *
 *   { "$pack": { "nodes": [ { "as": "n1", "by": "ann", "set": { "k": 1 } } ], "seal": ["n1"] } }
 *
 * A node continues its author's chain and stands on the genesis, unless `prev` or `parents` say otherwise. Its id
 * is kept under its name. `seal` names the sealed nodes (the last one when absent), `forge` those with a wrong seal.
 */
import { createHash } from 'node:crypto';
import {
  type KeyPair,
  type NodeFields,
  type Op,
  type PackedNode,
  type Seal,
  type Signer,
  decodePack,
  encodePack,
  fromHex,
  toBase64,
  toHex,
} from '@weft/core';
import { portableCrypto } from '@weft/core/testing';
import { type Kept, fill } from './matching.js';

interface NodeDirective {
  readonly as: string;
  readonly by: string;
  readonly set?: Readonly<Record<string, number | string>>;
  readonly delete?: readonly string[];
  /** Sets `count` keys with this prefix to 0. */
  readonly setMany?: { readonly prefix: string; readonly count: number };
  /** Node before this one in its author's chain; `null` begins a new chain. */
  readonly prev?: string | null;
  readonly parents?: readonly string[];
  /** Number of such nodes, each on the one before. */
  readonly times?: number;
  /** Room of the node; that of the genesis when absent. */
  readonly room?: string;
}

export interface PackDirective {
  readonly nodes: readonly NodeDirective[];
  readonly seal?: readonly string[];
  readonly forge?: readonly string[];
  /** Nodes of which the header alone is in the pack, under a word that nobody has given. */
  readonly headers?: readonly string[];
}

/** The seed of a named author is the hash of the name. */
const seedOf = (name: string): Uint8Array => Uint8Array.from(createHash('sha256').update(name).digest());
const signers = new Map<string, Signer>();

/** Signer of a name, made once: its public key takes long, and each node of a long run names its author. */
export function signerOf(name: string): Signer {
  const signer = signers.get(name) ?? portableCrypto.signer(seedOf(name));
  signers.set(name, signer);
  return signer;
}

export function keysOf(name: string): KeyPair {
  return { publicKey: publicKeyOf(name), seed: toHex(seedOf(name)) };
}

export const publicKeyOf = (name: string): string => signerOf(name).publicKey;

export async function buildPack({ nodes, seal, forge = [], headers = [] }: PackDirective, kept: Kept): Promise<string> {
  const built: { readonly as: string; readonly by: string; readonly node: PackedNode }[] = [];
  for (const directive of nodes.flatMap(repeated)) {
    const node = nodeOf(directive, kept);
    kept.set(`$${directive.as}`, toHex(node.id));
    kept.set(`$tip of ${directive.by}`, toHex(node.id));
    built.push({ as: directive.as, by: directive.by, node });
  }
  const sealed = seal ?? built.slice(-1).map(({ as }) => as);
  const seals: Seal[] = [];
  for (const [index, { as, by, node }] of built.entries()) {
    if (forge.includes(as)) seals.push({ index, signature: new Uint8Array(64).fill(1) });
    else if (sealed.includes(as)) seals.push({ index, signature: await sign(by, node.id) });
  }
  const shown = built.map(({ as, node }) => (headers.includes(as) ? { ...node, ops: [], withheld: 0 } : node));
  const attestation = { authority: new Uint8Array(32), signature: new Uint8Array(64) };
  return toBase64(encodePack({ nodes: shown, seals, ...(headers.length > 0 ? { attestation } : {}) }));
}

/** Nodes of a directive with `times`; the last one has the name. */
function repeated({ times = 1, ...directive }: NodeDirective): NodeDirective[] {
  return Array.from({ length: times }, (_, i) => ({
    ...directive,
    as: i === times - 1 ? directive.as : `${directive.as} ${i}`,
  }));
}

function nodeOf(directive: NodeDirective, kept: Kept): PackedNode {
  const { by, set = {}, delete: deleted = [], setMany = { prefix: '', count: 0 }, prev, parents, room } = directive;
  const id = (name: string): Uint8Array => fromHex(String(fill(name, kept)));
  const tip = kept.get(`$tip of ${by}`);
  const before = prev === undefined ? tip : prev === null ? undefined : fill(prev, kept);
  const standsOn = (parents ?? (before === undefined ? ['$genesis_id'] : [])).map((name) => String(fill(name, kept)));
  return identified({
    room: id(room ?? '$genesis_id'),
    author: fromHex(publicKeyOf(by)),
    ...(before === undefined ? {} : { prev: fromHex(String(before)) }),
    parents: standsOn.sort().map(fromHex),
    ops: [
      ...Object.entries(set).map(([key, value]): Op => ({ kind: 'set', key, value: smallValue(value) })),
      ...deleted.map((key): Op => ({ kind: 'delete', key })),
      ...Array.from({ length: setMany.count }, (_, i): Op => ({
        kind: 'set',
        key: `${setMany.prefix}${i}`,
        value: smallValue(0),
      })),
    ],
  });
}

/** Node with its id: a decoder computes ids, so a pack of one node tells it. */
function identified(fields: NodeFields): PackedNode {
  const [node] = decodePack(
    encodePack({ nodes: [{ ...fields, id: new Uint8Array(32), counter: 0 }], seals: [] }),
  ).nodes;
  if (!node) throw new Error('a pack of one came back empty');
  return node;
}

function sign(author: string, id: Uint8Array): Promise<Uint8Array> {
  return signerOf(author).sign(Uint8Array.from([...Buffer.from('weft-seal-v1\0'), ...id]));
}

/** MessagePack of what fits in one head byte: all that a dialogue needs. */
function smallValue(value: number | string): Uint8Array {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 128) return Uint8Array.of(value);
  const text = typeof value === 'string' ? Buffer.from(value) : Buffer.alloc(32);
  if (text.length > 31) throw new Error(`${value} is no small value`);
  return Uint8Array.of(0xa0 | text.length, ...text);
}
