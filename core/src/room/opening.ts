/** How a room begins: from its image, from the first node of its log, or from a genesis that is not durable yet. */
import { DecodeError } from '../codec/bytes.js';
import { openPack, writePack } from '../codec/pack.js';
import { rangeOf } from '../codec/places.js';
import type { RoomId } from '../graph/room-id.js';
import type { Signer } from '../ports/crypto.js';
import { type Images, type NodeLog, StoreError } from '../ports/store.js';
import { type Genesis, makeGenesis, readGenesis } from './genesis.js';
import { RECORD_BOUNDS, RoomState, openImage } from './state.js';

export interface Opened {
  readonly genesis: Genesis;
  /** The genesis as a pack of one. */
  readonly pack: Uint8Array;
  /** As far as the image goes; what came since is in the log. */
  readonly state: RoomState;
}

interface Parts {
  readonly id: RoomId;
  readonly log: NodeLog;
  readonly images: Images;
  readonly signer: Signer;
}

export async function openState(parts: Parts): Promise<Opened> {
  const opened = await fromImage(parts);
  if (opened) return opened;
  const genesis = (await firstNode(parts)) ?? (await makeGenesis(parts.id, parts.signer));
  const pack = writePack(genesis.table, rangeOf(0, 1), [{ index: 0, signature: genesis.signature }]);
  return { genesis, pack, state: emptyState(genesis, parts) };
}

function emptyState({ table }: Genesis, { id, signer }: Parts): RoomState {
  const constitution = readGenesis(table);
  if (constitution?.roomId !== id) throw new Error(`the log of room ${id} has no genesis`);
  return new RoomState(new Set(constitution.authorities), signer);
}

/** An image that cannot be read is removed: the log is what counts. */
async function fromImage(parts: Parts): Promise<Opened | undefined> {
  const { id, images, log } = parts;
  const image = await images.get(id);
  if (!image) return undefined;
  const opened = readImage(image, parts);
  if (!opened) {
    await images.remove(id);
    return undefined;
  }
  const head = await log.head(id);
  if (opened.state.seq <= head) return opened;
  const lost = `the log of room ${id} ends at ${head}, but its image has ${opened.state.seq} nodes`;
  throw new StoreError('damaged', `${lost}: part of the log is lost; restore a backup, or remove the image to go on`);
}

function readImage(image: Uint8Array, parts: Parts): Opened | undefined {
  try {
    const { genesis: pack, rest } = openImage(image);
    const genesis = genesisOf(pack);
    if (!genesis) return undefined;
    const state = emptyState(genesis, parts);
    state.load(rest);
    return { genesis, pack, state };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

async function firstNode({ id, log }: Parts): Promise<Genesis | undefined> {
  for await (const record of log.read(id, 0)) return genesisOf(record.pack);
  return undefined;
}

function genesisOf(pack: Uint8Array): Genesis | undefined {
  const { table, seals } = openPack(pack, RECORD_BOUNDS);
  const seal = seals.find(({ index }) => index === 0);
  return seal && { table, signature: seal.signature };
}
