/**
 * Opening of a room: from its image, from its log, or from a genesis that is not durable yet.
 *
 * The genesis of a child room stands behind what it shares with its parent.
 */
import type { Authority } from '../../access/authority.js';
import { DecodeError } from '../../codec/bytes/bytes.js';
import { rangeOf } from '../../codec/nodes/places.js';
import { openPack, writePack } from '../../codec/packs/pack.js';
import { keepOwn } from '../../crdt/winners.js';
import { type NodeId, nameOf } from '../../graph/node.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { Signer } from '../../ports/crypto.js';
import { type Images, type LogOrigin, type NodeLog, StoreError } from '../../ports/store.js';
import { type Constitution, type Genesis, genesisId, makeGenesis, readGenesis } from '../state/genesis.js';
import { recoveryIn } from '../state/recovery-in.js';
import { RECORD_BOUNDS, RoomState, openImage } from '../state/room-state.js';
import { loadImage } from './load-image.js';
import { nameOfDeletion } from './tombstone.js';

export interface Opened {
  readonly genesis: Genesis;
  /** What it says. */
  readonly constitution: Constitution;
  /** The genesis as a pack of one. */
  readonly pack: Uint8Array;
  /** The room as far as its image goes; what came since is in the log. */
  readonly state: RoomState;
  /** Nodes in the log. */
  readonly head: number;
}

type ReadableLog = Pick<NodeLog, 'head' | 'origin' | 'read' | 'remains'>;

interface Parts {
  readonly id: RoomId;
  readonly log: ReadableLog;
  readonly images: Pick<Images, 'get' | 'remove' | 'ids'>;
  readonly signer: Signer;
  readonly authority?: Authority | undefined;
}

/** By `log`, images are left where they are. */
export async function openState(parts: Parts, by: 'image' | 'log'): Promise<Opened> {
  const { id, log } = parts;
  const head = await log.head(id);
  const opened = by === 'image' ? await fromImage(parts, head) : undefined;
  if (opened) return opened;
  // A room without a durable fact has no origin and no genesis to look for.
  const origin = head > 0 ? await log.origin(id) : undefined;
  const found = head > 0 ? await findGenesis(log, id, origin) : undefined;
  const genesis = found ?? (await begin(parts, await lastDeletion(log, id)));
  const pack = found?.pack ?? packOf(genesis);
  const constitution = constitutionOf(genesis, id);
  const shared = by === 'image' && origin?.isShared ? await fromParent(genesis, origin, parts) : undefined;
  const state = shared ?? emptyState(genesis, parts);
  return { genesis, constitution, pack, state, head };
}

function begin({ id, signer, authority }: Parts, after: string | undefined): Promise<Genesis> {
  if (!authority) return makeGenesis(id, signer, { after });
  const { founder, roots, founding, recovery } = authority;
  return makeGenesis(id, founder, { authorities: roots, founding, recovery, after });
}

function packOf({ table, signature }: Genesis): Uint8Array {
  return writePack(table, rangeOf(0, 1), [{ index: 0, signature }]);
}

/** Name of the deletion of the last room of that name, if there was one. */
export async function lastDeletion(log: Pick<NodeLog, 'remains'>, id: RoomId): Promise<string | undefined> {
  const remains = await log.remains(id);
  return remains && nameOfDeletion(remains.tombstone);
}

/** Id of the genesis of a room that is not open; undefined for one without a durable fact. */
export async function genesisIn(log: Omit<ReadableLog, 'remains'>, id: RoomId): Promise<NodeId | undefined> {
  const genesis = await findGenesis(log, id, await log.origin(id));
  return genesis && genesisId(genesis);
}

/** What a room says of itself, though it is not open; undefined for one without a durable fact. */
export async function readConstitution(
  log: Omit<ReadableLog, 'remains'>,
  id: RoomId,
): Promise<Constitution | undefined> {
  const genesis = await findGenesis(log, id, await log.origin(id));
  return genesis && readGenesis(genesis.table);
}

/** See `recoveryIn`. */
export async function recoveryOfRoom(log: Omit<ReadableLog, 'remains'>, id: RoomId): Promise<string | undefined> {
  const genesis = await findGenesis(log, id, await log.origin(id));
  return genesis && recoveryIn(genesis.table);
}

function emptyState(genesis: Genesis, { id }: Parts): RoomState {
  const { authorities } = constitutionOf(genesis, id);
  return new RoomState(nameOf(genesis.table, 0), new Set(authorities));
}

function constitutionOf({ table }: Genesis, id: RoomId): Constitution {
  const constitution = readGenesis(table);
  if (constitution?.roomId === id) return constitution;
  throw new Error(`the log of room ${id} has no genesis`);
}

const MOST_LOOKS = 2;

/** An image that cannot be read is removed: the log is what counts. */
async function fromImage(parts: Parts, head: number): Promise<Opened | undefined> {
  const { id, images, log } = parts;
  let opened: Omit<Opened, 'head'> | undefined;
  // Whoever has the room may put another image while the files of this one are looked for.
  for (let looks = 0; !opened && looks < MOST_LOOKS; looks++) {
    const image = await images.get(id);
    if (!image) return undefined;
    opened = await readImage(image, parts);
  }
  if (!opened) {
    await images.remove(id);
    return undefined;
  }
  if (opened.state.seq <= head) return { ...opened, head };
  // Whoever has the room may have written it and put a newer image meanwhile.
  const now = await log.head(id);
  if (opened.state.seq <= now) return { ...opened, head: now };
  const lost = `the log of room ${id} ends at ${now}, but its image has ${opened.state.seq} nodes`;
  throw new StoreError('damaged', `${lost}: part of the log is lost; restore a backup, or remove the image to go on`);
}

async function readImage(image: Uint8Array, parts: Parts): Promise<Omit<Opened, 'head'> | undefined> {
  try {
    const opened = openImage(image);
    const { genesis: pack } = opened;
    const genesis = genesisAt(pack, 0);
    if (!genesis) return undefined;
    const state = emptyState(genesis, parts);
    await loadImage(state, opened, parts.id, parts.images);
    return { genesis, constitution: constitutionOf(genesis, parts.id), pack, state };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** A child is its parent up to where it goes its own way: the parent's image is as good, if it does not go further. */
async function fromParent(genesis: Genesis, origin: LogOrigin, parts: Parts): Promise<RoomState | undefined> {
  const image = await parts.images.get(origin.room);
  if (!image) return undefined;
  try {
    const state = emptyState(genesis, parts);
    await loadImage(state, openImage(image), origin.room, parts.images);
    if (state.seq > origin.at) return undefined;
    keepOwn(state.values.registers);
    state.values.hash.loaded();
    return state;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

async function findGenesis(log: Omit<ReadableLog, 'remains'>, id: RoomId, origin: LogOrigin | undefined) {
  const at = origin?.at ?? 0;
  for await (const record of log.read(id, at)) return genesisAt(record.pack, at - record.seq);
  return undefined;
}

/** The node of a pack, and its seal, as a genesis and as a pack of one. */
function genesisAt(pack: Uint8Array, index: number): (Genesis & { readonly pack: Uint8Array }) | undefined {
  const { table, seals } = openPack(pack, RECORD_BOUNDS);
  const seal = seals.find((each) => each.index === index);
  if (!seal) return undefined;
  const { signature } = seal;
  const alone = writePack(table, rangeOf(index, index + 1), [{ index: 0, signature }]);
  return { table: openPack(alone).table, signature, pack: alone };
}
