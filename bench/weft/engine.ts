// What the benches use of the engine, each in one place: where its API changes, a bench changes here.
import {
  type Pack,
  type Replica,
  type Seal,
  createHost,
  createReplica,
  decodePack,
  encodePack,
  generateKeys,
  systemClock,
} from '@weft/core';
import { memoryStore } from '@weft/core/memory';

/** Version that rows show for the workspace: all its packages carry one, and a saved run names its commit. */
export const WEFT_VERSION = 'workspace';

const ROOM = 'bench';

/** Where every replica of one room begins; another room at each call. */
export async function newGenesis(): Promise<Uint8Array> {
  const room = await createHost({ store: memoryStore() }).room(ROOM);
  return room.genesis.pack;
}

/**
 * A replica of a new author, whose clock is the machine's or the one given. A clock that answers undefined makes a history
 * without times: the engine has no option for that, and leaves out what its clock does not say.
 */
export function newReplica(genesis: Uint8Array, now?: () => number | undefined): Promise<Replica> {
  const keys = generateKeys();
  if (now === undefined) return createReplica({ genesis, keys });
  return createReplica({ genesis, keys, clock: { ...systemClock, now: now as () => number } });
}

/** The nodes written since the last message, without a seal: their reader keeps them until one comes. */
export function messageOf(replica: Replica): Uint8Array {
  return replica.message() ?? missing('a message');
}

/** Message with a seal of the newest node. */
export async function sealedMessageOf(replica: Replica): Promise<Uint8Array> {
  return (await replica.sealedMessage()) ?? missing('a sealed message');
}

/** All that was written here and never confirmed, as one pack with all its seals. */
export async function packOf(replica: Replica): Promise<Uint8Array> {
  return (await replica.seal()) ?? missing('a pack');
}

/** A snapshot of what a server has confirmed, as a document at rest is: nothing in it waits to be sent. */
export async function saveReplica(replica: Replica): Promise<Uint8Array> {
  await replica.seal();
  replica.confirm();
  return replica.save();
}

export function openSaved(saved: Uint8Array): Promise<Replica> {
  return createReplica({ saved, keys: generateKeys() });
}

/** Pack of a whole history with its newest seal, which vouches for the chain before it; the others are left out. */
export function lastSealOf({ nodes, seals }: Pack): Pack {
  return { nodes, seals: seals.slice(-1) };
}

/** Packs of authors who have not seen each other as one, in the same order. */
export function joinPacks(packs: readonly Uint8Array[]): Uint8Array {
  const nodes: Pack['nodes'][number][] = [];
  const seals: Seal[] = [];
  for (const pack of packs.map(decodePack)) {
    seals.push(...pack.seals.map((seal) => ({ ...seal, index: seal.index + nodes.length })));
    nodes.push(...pack.nodes);
  }
  return encodePack({ nodes, seals });
}

/** A message without a seal waits for one: what has become of it shows at the end, in the values. */
export function receiveMessage(replica: Replica, message: Uint8Array): Promise<unknown> {
  return replica.receive(message);
}

/** Ends a run whose nodes were not all taken. */
export async function receiveWhole(replica: Replica, bytes: Uint8Array): Promise<void> {
  const { refused } = await replica.receive(bytes);
  if (refused[0] !== undefined) throw new Error(`${refused.length} nodes refused: ${refused[0].reason}`);
}

function missing(what: string): never {
  throw new Error(`the replica has nothing for ${what}`);
}
