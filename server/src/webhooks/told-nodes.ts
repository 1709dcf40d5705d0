/** Nodes of a room as webhooks are told of them: where they stand, whose they are, and the names that they change. */
import type { Host, RoomId } from '@weft/core';

export interface ToldNode {
  readonly seq: number;
  readonly node: string;
  readonly author: string;
  readonly keys: readonly string[];
}

/** Nodes that one request tells of. */
const MOST_NODES = 200;

export type ReadsNodes = (room: RoomId, from: number) => Promise<readonly ToldNode[]>;

export function nodesOf(host: Pick<Host, 'withRoom'>): ReadsNodes {
  return (room, from) =>
    host.withRoom(room, async (open) => {
      const nodes: ToldNode[] = [];
      for await (const { seq, nodeId, author, keys } of open.history(from)) {
        nodes.push({ seq, node: nodeId, author, keys: [...new Set(keys)] });
        if (nodes.length === MOST_NODES) break;
      }
      if (nodes.length === 0) throw new Error(`room ${room} has nothing to read from ${from} on`);
      return nodes;
    });
}
