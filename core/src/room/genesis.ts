/**
 * A room's first node: who the room is, and which keys speak for it. [GN1]
 *
 * Every other node of the room carries this node's id, so nothing that an author signed for one room
 * can be replayed into another. The nonce follows from the authority key and the room id: a room that
 * was never written to, or a memory store that restarted, comes back as the same room.
 */
import { concatBytes, toHex, toUtf8 } from '../codec/bytes.js';
import { sha256 } from '../codec/hash.js';
import { decodeValue, encodeValue } from '../codec/msgpack.js';
import { type Node, NO_ROOM, type PublicKey, identify } from '../graph/node.js';
import type { RoomId } from '../graph/room-id.js';
import { sealMessage } from '../graph/seal.js';
import type { Signer } from '../ports/crypto.js';

export const GENESIS_KEY = '\0genesis';
const NONCE_TAG = 'weft-genesis-v1\0';

export interface Genesis {
  readonly node: Node;
  readonly signature: Uint8Array;
}

export interface Constitution {
  readonly roomId: string;
  /** Keys that may write the system's keys in this room. */
  readonly authorities: readonly PublicKey[];
}

export async function makeGenesis(roomId: RoomId, signer: Signer): Promise<Genesis> {
  const author = signer.publicKey as PublicKey;
  const secret = await signer.sign(toUtf8(NONCE_TAG + roomId));
  const nonce = sha256(concatBytes([toUtf8(NONCE_TAG), secret])).slice(0, 16);
  const value = encodeValue({ room: roomId, authorities: [author], nonce: toHex(nonce) });
  const node = identify({ room: NO_ROOM, author, parents: [], ops: [{ kind: 'set', key: GENESIS_KEY, value }] });
  return { node, signature: await signer.sign(sealMessage(node.id)) };
}

/** What a genesis node says, or undefined when the node is none. */
export function readGenesis(node: Node): Constitution | undefined {
  const [op] = node.ops;
  const alone = node.ops.length === 1 && node.parents.length === 0 && node.prev === undefined;
  if (!alone || node.room !== NO_ROOM || op?.kind !== 'set' || op.key !== GENESIS_KEY) return undefined;
  const content = decodeValue(op.value);
  if (!isRecord(content) || typeof content['room'] !== 'string' || !Array.isArray(content['authorities']))
    return undefined;
  const authorities = content['authorities'].filter((key): key is PublicKey => typeof key === 'string');
  return authorities.includes(node.author) ? { roomId: content['room'], authorities } : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Keys that only a room's authorities may write. [AD5] */
export function isSystemKey(key: string): boolean {
  return key.startsWith('\0') || key.startsWith('_topology/');
}
