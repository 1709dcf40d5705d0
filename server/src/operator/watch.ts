/** Live view of a room: who is there, what is written, how fast, and what waits. No value is shown. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Host, type RoomId, decodePack, toHex } from '@weft/core';
import * as z from 'zod';
import { operation } from './define.js';
import { AnyRoom } from './room-id.js';

const LOOK_MS = 250;
const TELL_MS = 1000;

export interface WatchedNode {
  readonly seq: number;
  readonly id: string;
  readonly author: string;
  readonly ops: readonly { readonly kind: string; readonly key: string }[];
}

export interface RoomStatus {
  readonly nodes: number;
  readonly nodes_per_s: number;
  /** Number of heads; absent while the room is not in memory. */
  readonly heads?: number;
  readonly peers: readonly { readonly pubkey: string; readonly peer_type: string; readonly proven: boolean }[];
  readonly pushes_waiting: number;
  readonly parked_bytes: number;
  readonly parked_limit_bytes: number;
  /** Bytes that wait in the inboxes of all rooms. */
  readonly inbox_bytes: number;
  readonly inbox_limit_bytes: number;
}

export type Watched = { readonly node: WatchedNode } | { readonly status: RoomStatus };

/** Operation that tells of the room from now on, until whoever asked goes. */
export const roomWatch = operation({
  name: 'room-watch',
  in: z.object({ room: AnyRoom }),
  async run({ host, store, progress, signal }, { room }) {
    const tell = (watched: Watched): unknown => progress(watched);
    let next = await store.log.head(room);
    let last = { at: performance.now(), nodes: next };
    tell({ status: statusOf(host, room, { nodes: next, nodes_per_s: 0 }) });
    while (!signal.aborted) {
      for await (const { seq, count, pack } of store.log.read(room, next)) {
        for (const node of nodesOf(pack, seq)) if (node.seq >= next) tell({ node });
        next = seq + count;
      }
      const now = performance.now();
      if (now - last.at >= TELL_MS) {
        const nodes_per_s = Math.round(((next - last.nodes) * 1000) / (now - last.at));
        tell({ status: statusOf(host, room, { nodes: next, nodes_per_s }) });
        last = { at: now, nodes: next };
      }
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  },
});

function statusOf(host: Host, room: RoomId, written: Pick<RoomStatus, 'nodes' | 'nodes_per_s'>): RoomStatus {
  const load = host.load(room);
  return {
    ...written,
    ...(load.heads === undefined ? {} : { heads: load.heads }),
    peers: load.peers.map(({ pubkey, peerType, proven }) => ({ pubkey, peer_type: peerType, proven })),
    pushes_waiting: load.pushesWaiting,
    parked_bytes: load.parkedBytes,
    parked_limit_bytes: load.parkedLimitBytes,
    inbox_bytes: load.hostInboxBytes,
    inbox_limit_bytes: load.hostInboxLimitBytes,
  };
}

function nodesOf(pack: Uint8Array, from: number): WatchedNode[] {
  return decodePack(pack).nodes.map(({ id, author, ops }, at) => ({
    seq: from + at,
    id: toHex(id),
    author: toHex(author),
    ops: ops.map(({ kind, key }) => ({ kind, key })),
  }));
}
