import type { Room } from '@weft/core';
import { setImmediate as pause } from 'node:timers/promises';
import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { At, viewAt } from './keys.js';
import { shownValue } from './shown-value.js';
import { OneRoom, word } from '../word.js';

const VALUE_CHARACTERS = 64 * 1024;
const MOST_WRITES = 200;
/** Nodes that are looked through in one piece. */
const PIECE = 20_000;

export const roomWhy = word({
  noun: 'room',
  verb: 'why',
  summary: 'Show what a key holds, who wrote it and over whom it won, and the newest writes to it.',
  changes: false,
  in: OneRoom.extend({ key: z.string().min(1).max(4096).describe('The key.'), at: At }),
  out: z.object({
    room: z.string(),
    key: z.string(),
    seq: z.number().describe('Position that was looked at.'),
    value: z.string().optional().describe('JSON of the register; absent where it holds nothing.'),
    is_cut: z.boolean().optional(),
    text: z.string().optional().describe('Text of the key, where there is one.'),
    list: z.string().optional().describe('JSON of the list of the key, where there is one.'),
    origin: z
      .object({
        node: z.string(),
        author: z.string(),
        subject: z.string().optional().describe('Whose key the author is, where it is another one’s.'),
        lamport: z.number(),
        wall_ms: z.number().optional().describe('Time that its author has given.'),
        beat: z.array(z.string()).describe('Nodes that its author did not know, and that lost to it.'),
      })
      .optional()
      .describe('Write that the register holds; absent where nobody has written.'),
    writes: z
      .array(
        z.object({
          seq: z.number(),
          node: z.string(),
          author: z.string(),
          subject: z.string().optional(),
          wall_ms: z.number().optional(),
          kinds: z.array(z.string()).describe('What it did to the key.'),
        }),
      )
      .describe('Nodes that wrote to the key before that position, the newest first; at most 200.'),
  }),
  async run({ host, store, signal }, { room, key, at }) {
    await mustExist(room, store);
    return host.withRoom(room, async (opened) => {
      const view = await viewAt(opened, at);
      const seq = at ?? opened.seq;
      const { value, text, list } = view.resolve(key);
      const origin = view.why(key);
      return {
        room,
        key,
        seq,
        ...(value === undefined ? {} : shownValue(value, VALUE_CHARACTERS)),
        ...(text === undefined ? {} : { text: text.slice(0, VALUE_CHARACTERS) }),
        ...(list === undefined ? {} : { list: shownValue(list, VALUE_CHARACTERS).value }),
        ...(origin ? { origin: shownOrigin(opened, origin) } : {}),
        writes: await newestWrites(opened, key, seq, signal),
      };
    });
  },
});

type Origin = NonNullable<ReturnType<Room['past']['present']['why']>>;

function shownOrigin(room: Room, { node, author, wallMs, lamport, beat }: Origin) {
  const [seq] = room.nodes.numbersOf([node]);
  return { ...withWall({ node, author, wallMs }), ...whose(room, seq, author), lamport, beat: [...beat] };
}

/** Whose a node is, where that is another one than its author. */
function whose(room: Room, seq: number | undefined, author: string): { readonly subject?: string } {
  const subject = seq === undefined ? author : room.subjectAt(seq);
  return subject === author ? {} : { subject };
}

function withWall({ node, author, wallMs }: { node: string; author: string; wallMs: number | undefined }) {
  return { node, author, ...(wallMs === undefined ? {} : { wall_ms: wallMs }) };
}

async function newestWrites(room: Room, key: string, end: number, signal: AbortSignal) {
  const { written, nodes } = room;
  const writes = [];
  for (let seq = end - 1; seq >= 0 && writes.length < MOST_WRITES; seq--) {
    if (seq % PIECE === 0) await pause();
    signal.throwIfAborted();
    const kinds = written.kindsOf(seq, (name) => name === key);
    if (kinds.length === 0) continue;
    const { nodeId, author, wallMs } = nodes.describe(seq);
    const whom = { ...withWall({ node: nodeId, author, wallMs }), ...whose(room, seq, author) };
    writes.push({ seq, ...whom, kinds: [...new Set(kinds)] });
  }
  return writes;
}
