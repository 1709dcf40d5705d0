/**
 * Genesis, a room's first node: who the room is, and which keys speak for it. [GN1]
 *
 * Every other node of the room carries this node's id, so nothing that an author signed for one room
 * can be replayed into another. The nonce follows from the authority key and the room id: a room that
 * was never written to, or a memory store that restarted, comes back as the same room. One that begins where another was
 * deleted names that deletion, so what was written for the other is never taken for its own.
 */
import { concatBytes, fromHex, toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { sha256 } from '../../codec/bytes/hash.js';
import { decodeValue, encodeValue } from '../../codec/bytes/msgpack.js';
import { Identity } from '../../codec/nodes/identity.js';
import { identify } from '../../codec/nodes/node-id.js';
import { NONE, NodeTable } from '../../codec/nodes/node-table.js';
import { OP_SET } from '../../codec/nodes/op-kinds.js';
import { type Sifted, listOf, number, objectOf, oneOf, sift, text } from '../../codec/sieve.js';
import { openPack } from '../../codec/packs/pack.js';
import { isSystemKey } from '../../crdt/system-keys.js';
import { type NodeId, NO_ROOM, nameOf } from '../../graph/node.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { sealMessage } from '../../graph/seal.js';
import type { Signer } from '../../ports/crypto.js';

const GENESIS_KEY = '\0genesis';
const NONCE_TAG = 'weft-genesis-v1\0';

/** The first node of a table, and its seal. */
export interface Genesis {
  readonly table: NodeTable;
  readonly signature: Uint8Array;
}

export interface Constitution {
  readonly roomId: string;
  /** Keys that may write the system's keys in this room. */
  readonly authorities: readonly string[];
  /** Origin of a child room. */
  readonly lineage?: Lineage;
  /** Deletion of the last room of that name. */
  readonly after?: string;
  /** What should be the mandate of an authority for the author, where that is none of them: `isFounded` says. */
  readonly founding?: Uint8Array;
}

/** What is said of a room that is not like every other. */
export interface Origins {
  /** Keys that may write the system's keys; the signer's alone when absent. A child is given its parent's. */
  readonly authorities?: Iterable<string>;
  readonly lineage?: Lineage;
  readonly after?: string | undefined;
  readonly recovery?: string | undefined;
  /** What one of the authorities lets the signer begin rooms with, if the signer is none of them. */
  readonly founding?: Uint8Array | undefined;
}

/** Keys of the authority's word for the nodes of other rooms, by their geneses. [TP2] */
export const ADOPTED = '\0adopted/';

/** What a child room began with: all that its parent held at one moment. [TP1] */
export const lineageOf = objectOf({
  parent_room_id: text,
  /** Id of the parent's genesis. */
  parent_genesis: text,
  parent_checkpoint: objectOf({
    selector: oneOf('seq'),
    canonical_seq: number,
    canonical_hash: text,
    frontier: listOf(text),
  }),
  child_purpose: text,
  promotion_policy_id: text,
  created_by: text,
  /** Unix milliseconds. */
  created_at_hlc: number,
  /** Ids of all geneses whose nodes came along. */
  adopted: listOf(text),
});
export type Lineage = Sifted<typeof lineageOf>;

/** Makes the genesis of a room. */
export async function makeGenesis(
  roomId: RoomId,
  signer: Signer,
  { authorities = [signer.publicKey], lineage, after, founding, recovery }: Origins = {},
): Promise<Genesis> {
  const secret = await signer.sign(toUtf8(NONCE_TAG + roomId));
  const nonce = sha256(concatBytes([toUtf8(NONCE_TAG), secret])).slice(0, 16);
  const table = new NodeTable(1);
  table.content.bytes(
    encodeValue({
      room: roomId,
      authorities: [...authorities],
      nonce: toHex(nonce),
      ...(lineage ? { lineage } : {}),
      ...(after === undefined ? {} : { after }),
      ...(founding ? { founding } : {}),
      ...(recovery === undefined ? {} : { recovery }),
    }),
  );
  table.addOp(OP_SET, table.keys.number(GENESIS_KEY), NONE, 0, 0);
  table.close(table.identities.number(new Identity(fromHex(NO_ROOM), fromHex(signer.publicKey))), NONE, 0);
  identify(table);
  return { table, signature: await signer.sign(sealMessage(table, 0)) };
}

/** The genesis that a pack of one holds. */
export function openGenesis(pack: Uint8Array): Genesis {
  const { table, seals } = openPack(pack);
  const [seal] = seals;
  if (!seal) throw new Error('the genesis of a room has no seal');
  return { table, signature: seal.signature };
}

export function genesisId({ table }: Genesis): NodeId {
  return nameOf(table, 0);
}

/** What a node of a table says as a genesis, the first one if not said; undefined when it is none. */
export function readGenesis(table: NodeTable, place = 0): Constitution | undefined {
  if (table.size === 0) return undefined;
  const identity = table.identities.list[table.identity.get(place)]!;
  const [prev, parents] = [table.prev.get(place), table.parentsEnd.get(place) - table.firstParent(place)];
  if (prev !== NONE || parents !== 0 || identity.roomName !== NO_ROOM) return undefined;
  const op = table.firstOp(place);
  const isSet = table.opsEnd.get(place) === op + 1 && table.kind(op) === OP_SET;
  if (!isSet || table.keys.names[table.key(op)] !== GENESIS_KEY) return undefined;
  const content = decodeValue(table.contentOf(op));
  if (!isRecord(content) || typeof content['room'] !== 'string' || !Array.isArray(content['authorities']))
    return undefined;
  const authorities = content['authorities'].filter((key) => typeof key === 'string');
  const founding = authorities.includes(identity.authorName) ? undefined : content['founding'];
  if (!authorities.includes(identity.authorName) && !(founding instanceof Uint8Array)) return undefined;
  const lineage = sift(lineageOf, content['lineage']);
  const { after } = content;
  return {
    roomId: content['room'],
    authorities,
    ...(lineage ? { lineage } : {}),
    ...(typeof after === 'string' ? { after } : {}),
    ...(founding instanceof Uint8Array ? { founding } : {}),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** What queries there are and what was made of them. [PJ9] */
export const QUERY_KEYS = '\0query/';

/** The system's keys that everybody may read: without them nobody could tell who may write. */
export function isOpenKey(key: string): boolean {
  return isSystemKey(key) && !key.startsWith(QUERY_KEYS);
}
