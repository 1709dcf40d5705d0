import type { Room } from '@weft/core';
import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { shownValue } from './shown-value.js';
import { OneRoom, word } from '../word.js';

const MOST = 1000;
const VALUE_CHARACTERS = 200;

/** Field for a position of the log; what a room holds now when absent. */
export const At = z
  .number()
  .int()
  .nonnegative()
  .optional()
  .describe('Position of the log that is looked at; what there is now when absent.');

export const roomKeys = word({
  noun: 'room',
  verb: 'keys',
  summary:
    'List the keys of a room in their order with the beginning of what each holds, now or at a position of its log.',
  changes: false,
  in: OneRoom.extend({
    prefix: z.string().max(4096).default('').describe('Only keys that begin so.'),
    search: z.string().max(256).default('').describe('Only keys that hold this word, in any case.'),
    after: z.string().max(4096).optional().describe('Only keys behind this one: the last of the answer before.'),
    most: z.number().int().positive().max(MOST).default(200).describe('How many are listed.'),
    at: At,
  }),
  out: z.object({
    room: z.string(),
    seq: z.number().describe('Position that was looked at.'),
    keys: z.array(
      z.object({
        key: z.string(),
        kind: z.enum(['register', 'blob', 'text', 'list']),
        value: z.string().describe('JSON, or its beginning.'),
        is_cut: z.boolean(),
      }),
    ),
    count: z.number().describe('Keys that match, on all pages.'),
    more: z.boolean(),
  }),
  async run({ host, store }, { room, prefix, search, after, most, at }) {
    await mustExist(room, store);
    return host.withRoom(room, async (opened) => {
      const view = await viewAt(opened, at);
      const wanted = search.toLowerCase();
      const found: { key: string; kind: 'register' | 'blob' | 'text' | 'list' }[] = [];
      for (const { key, kind } of view.resolution())
        if (key.startsWith(prefix) && key.toLowerCase().includes(wanted)) found.push({ key, kind });
      const behind = after === undefined ? found : found.filter(({ key }) => key > after);
      const keys = behind.slice(0, most).map(({ key, kind }) => {
        const held = view.resolve(key);
        const value = kind === 'text' ? held.text : kind === 'list' ? held.list : held.value;
        return { key, kind, ...shownValue(value, VALUE_CHARACTERS) };
      });
      const more = behind.length > keys.length;
      return { room, seq: at ?? opened.seq, keys, count: found.length, more };
    });
  },
});

/** Values of a room now, or at a position of its log. */
export async function viewAt(room: Room, at: number | undefined): Promise<Room['past']['present']> {
  return at === undefined || at === room.seq ? room.past.present : room.asOf(at);
}
