import type { Room } from '@weft/core';
import { setImmediate as pause } from 'node:timers/promises';
import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { OneRoom, word } from '../word.js';

const MOST = 20_000;
/** Nodes that are looked through in one piece. */
const PIECE = 2_000;

export const roomGraph = word({
  noun: 'room',
  verb: 'graph',
  summary: 'Show how the nodes of a room stand on each other, in columns, a page at a time.',
  changes: false,
  in: OneRoom.extend({
    from: z.number().int().nonnegative().default(0).describe('Position of the log from which on.'),
    most: z.number().int().positive().max(MOST).default(MOST).describe('How many nodes.'),
  }),
  out: z.object({
    room: z.string(),
    from: z.number(),
    nodes: z.number().describe('Nodes of the room, on all pages together.'),
    authors: z.array(z.string()).describe('Public keys that the column names by place.'),
    author: z.array(z.number()).describe('Author of each node.'),
    parents: z.array(z.array(z.number())).describe("Positions that each node stands on, its author's before it first."),
    sealed: z
      .array(z.number())
      .describe('Positions of nodes with a signature of their own; it covers those before it.'),
    ids: z.array(z.string()).describe('The first twelve characters of the id of each node.'),
    forks: z
      .array(z.object({ author: z.string(), nodes: z.array(z.string()) }))
      .describe('Where one author has written two nodes on one, of the whole room, by the ids of both.'),
  }),
  async run({ host, store, signal }, { room, from, most }) {
    await mustExist(room, store);
    return host.withRoom(room, async (opened) => {
      const page = await pageOf(opened, from, Math.min(opened.seq, from + most), signal);
      const forks = opened.forks.map(({ author, nodes }) => ({ author, nodes: nodes.map(short) }));
      return { room, from, nodes: opened.seq, ...page, forks };
    });
  },
});

async function pageOf({ nodes }: Room, from: number, to: number, signal: AbortSignal) {
  const places = new Map<string, number>();
  const [author, parents, sealed, ids]: [number[], number[][], number[], string[]] = [[], [], [], []];
  for (let seq = from; seq < to; seq++) {
    if (seq % PIECE === 0) await pause();
    signal.throwIfAborted();
    const told = nodes.describe(seq);
    let place = places.get(told.author);
    if (place === undefined) places.set(told.author, (place = places.size));
    author.push(place);
    parents.push([...nodes.ancestors(seq)]);
    ids.push(short(told.nodeId));
    if (nodes.isSealed(seq)) sealed.push(seq);
  }
  return { authors: [...places.keys()], author, parents, sealed, ids };
}

function short(id: string): string {
  return id.slice(0, 12);
}
