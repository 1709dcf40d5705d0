import type { Room } from '@weft/core';
import { setImmediate as pause } from 'node:timers/promises';
import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { At, viewAt } from './keys.js';
import { OneRoom, word } from '../word.js';

const MOST_CHARACTERS = 1_000_000;
const MOST_MOMENTS = 2000;
/** Nodes that are looked through in one piece. */
const PIECE = 20_000;

export const roomText = word({
  noun: 'room',
  verb: 'text',
  summary: 'Show a text with who wrote which part of it, now or at a position of the log, and when it was written to.',
  changes: false,
  in: OneRoom.extend({ key: z.string().min(1).max(4096).describe('The key.'), at: At }),
  out: z.object({
    room: z.string(),
    key: z.string(),
    seq: z.number().describe('Position that was looked at.'),
    runs: z.array(z.object({ author: z.string(), text: z.string() })).describe('Parts, each of one author.'),
    is_cut: z.boolean().describe('Whether there is more text behind these.'),
    moments: z
      .array(z.number())
      .describe(
        'Positions of the log behind each node that wrote to it, ascending; evenly chosen where there are many.',
      ),
  }),
  async run({ host, store, signal }, { room, key, at }) {
    await mustExist(room, store);
    return host.withRoom(room, async (opened) => {
      const view = await viewAt(opened, at);
      const runs: { author: string; text: string }[] = [];
      let left = MOST_CHARACTERS;
      for (const { author, text } of view.authored(key)) {
        if (left > 0) runs.push({ author, text: text.slice(0, left) });
        left -= text.length;
      }
      const moments = await momentsOf(opened, key, signal);
      return { room, key, seq: at ?? opened.seq, runs, is_cut: left < 0, moments };
    });
  },
});

async function momentsOf({ seq: end, written }: Room, key: string, signal: AbortSignal): Promise<number[]> {
  const moments: number[] = [];
  for (let seq = 0; seq < end; seq++) {
    if (seq % PIECE === 0) await pause();
    signal.throwIfAborted();
    if (written.kindsOf(seq, (name) => name === key).length > 0) moments.push(seq + 1);
  }
  const step = Math.ceil(moments.length / MOST_MOMENTS);
  // The last one is the text as it is.
  return step <= 1 ? moments : moments.filter((_one, at) => (moments.length - 1 - at) % step === 0);
}
