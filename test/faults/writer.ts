/** Packs that are valid, made without a connection: to be sent whenever, as often and by whomever a test likes. */
import { type KeyPair, type Replica, createReplica, fromBase64, generateKeys, toBase64 } from '@weft/core';
import type { Frame, Peer } from './peer.js';

/**
 * Sealed pack of what the replica wrote since the last one. The replica counts it as sent, whether or not a server
 * takes it.
 */
export async function sealed(replica: Replica): Promise<Uint8Array> {
  const pack = await replica.seal();
  if (!pack) throw new Error('there is nothing to seal');
  replica.confirm();
  return pack;
}

/** Replica of the room to which a server has welcomed somebody. */
export function replicaOf({ genesis }: Frame, keys: KeyPair = generateKeys()): Promise<Replica> {
  return createReplica({ genesis: fromBase64(String(genesis)), keys });
}

/** Pushes what the replica wrote; answers the ack. */
export async function push(peer: Peer, replica: Replica): Promise<Frame> {
  peer.send({ type: 'pack', nodes: toBase64(await sealed(replica)) });
  return peer.nextOf('pack-ack');
}

/** Merges what a `pack` frame holds into the replica. */
export async function merge(replica: Replica, frame: Frame): Promise<void> {
  const { refused } = await replica.receive(fromBase64(String(frame['nodes'])));
  if (refused[0]) throw new Error(`a node of the server was refused: ${refused[0].reason}`);
}
