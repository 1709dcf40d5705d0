/** Packs that are valid, made without a connection: to be sent whenever, as often and by whomever a test likes. */
import { type KeyPair, type Replica, createReplica, fromBase64, generateKeys, toBase64 } from '@weft/core';
import type { Frame, Peer } from './peer.js';

/** What the replica wrote since the last time; it is given up whether or not a server takes it. */
export async function sealed(replica: Replica): Promise<Uint8Array> {
  const pack = await replica.seal();
  if (!pack) throw new Error('there is nothing to seal');
  replica.confirm();
  return pack;
}

/** The room that a server has welcomed somebody to. */
export function replicaOf({ genesis }: Frame, keys: KeyPair = generateKeys()): Promise<Replica> {
  return createReplica({ genesis: fromBase64(String(genesis)), keys });
}

/** Pushes what the replica wrote; answers the ack. */
export async function push(peer: Peer, replica: Replica): Promise<Frame> {
  peer.send({ type: 'pack', nodes: toBase64(await sealed(replica)) });
  return peer.nextOf('pack-ack');
}

/** The replica's copy of the room goes on by what a `pack` frame holds. */
export async function merge(replica: Replica, frame: Frame): Promise<void> {
  const { refused } = await replica.receive(fromBase64(String(frame['nodes'])));
  if (refused[0]) throw new Error(`a node of the server was refused: ${refused[0].reason}`);
}
