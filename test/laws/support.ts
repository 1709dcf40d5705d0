/**
 * What the law tests share: a room and members whose keys follow from numbers, and nodes that no replica would write.
 */
import {
  type KeyPair,
  type NodeFields,
  type PackedNode,
  type Replica,
  type Room,
  type Signer,
  type Verdict,
  createHost,
  createReplica,
  decodePack,
  encodePack,
  fromHex,
  toHex,
} from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { nativeCrypto, portableCrypto } from '@weft/core/testing';

/** All implementations sign alike [SG1], so the fastest one is taken. */
const crypto = nativeCrypto() ?? portableCrypto;

/** Keys that follow from a number. They decide ties, so what fast-check reports can be run again. */
export function keysOf(number: number): KeyPair {
  const known = keys.get(number);
  if (known) return known;
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setUint32(0, number);
  const made = { publicKey: crypto.signer(seed).publicKey, seed: toHex(seed) };
  keys.set(number, made);
  return made;
}

/** Cache of keys: histories ask for a few of them thousands of times. */
const keys = new Map<number, KeyPair>();

/** Number of the authority's key, which no member has. */
const AUTHORITY = 2 ** 32 - 1;

export function openRoom(id = 'room'): Promise<Room> {
  const authoritySeed = (): Promise<Uint8Array> => Promise.resolve(fromHex(keysOf(AUTHORITY).seed));
  return createHost({ store: { ...memoryStore(), authoritySeed } }).room(id);
}

export function join(room: Room, number: number): Promise<Replica> {
  return createReplica({ genesis: room.genesis.pack, keys: keysOf(number) });
}

export function admit(room: Room, bytes: Uint8Array): Promise<Verdict> {
  return room.admit(bytes, { from: 'peer' });
}

/** Sealed pack of what the replica wrote since the last one. */
export async function sealed(replica: Replica): Promise<Uint8Array> {
  const pack = await replica.seal();
  if (!pack) throw new Error('there is nothing to seal');
  replica.confirm();
  return pack;
}

/** Reasons in the order of the pack; empty when all of it was taken. */
export const reasons = ({ refused }: Verdict): string[] => refused.map(({ reason }) => reason);

/** Gives a node its id. A pack never carries ids: whoever decodes it computes them. */
export function nodeOf(fields: NodeFields & { readonly counter?: number }): PackedNode {
  const draft = { counter: 0, ...fields, id: new Uint8Array(32) };
  const [node] = decodePack(encodePack({ nodes: [draft], seals: [] })).nodes;
  if (!node) throw new Error('a pack of one node holds none');
  return node;
}

const SEAL_TAG = new TextEncoder().encode('weft-seal-v1\0');

/** A seal as core/SPEC.md has it in SL1. */
export function sealOf(keys: KeyPair, id: Uint8Array): Promise<Uint8Array> {
  return signed(keys, new Uint8Array([...SEAL_TAG, ...id]));
}

export function signed({ seed }: KeyPair, message: Uint8Array): Promise<Uint8Array> {
  const signer = signers.get(seed) ?? crypto.signer(fromHex(seed));
  signers.set(seed, signer);
  return signer.sign(message);
}

/** Cache of signers: making one costs more than a signature. */
const signers = new Map<string, Signer>();

/** A pack of these nodes with seals of these keys on those of them that are named by index. */
export async function packSealed(
  nodes: readonly PackedNode[],
  seals: readonly (readonly [index: number, keys: KeyPair])[],
): Promise<Uint8Array> {
  const signed = seals.map(async ([index, keys]) => {
    const signature = await sealOf(keys, nodes[index]?.id ?? new Uint8Array(32));
    return { index, signature };
  });
  return encodePack({ nodes, seals: await Promise.all(signed) });
}
