// What clients of tldraw's sync server send and understand, of its protocol as much as the benches use.
import * as z from 'zod';
import { type Dialect, takesNoPart } from '../serving/dialect.js';
import { Guest } from '../serving/guest.js';
import { textSchema } from './tldraw.js';

const PROTOCOL = 8;
/** Digits of an id, which sorts as its edit was made. */
const ORDER = 9;

const Put = z.tuple([z.literal('put'), z.object({ text: z.string() })]);
const Change = z.record(z.string(), Put);
const Frame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connect'), diff: Change }),
  z.object({
    type: z.literal('data'),
    data: z.array(z.looseObject({ type: z.string(), diff: Change.optional() })),
  }),
]);

/** A record an edit: one that grows is checked whole with each. */
export async function tldrawDialect(): Promise<Dialect> {
  const schema = (await textSchema()).serialize();
  const counted = new Map<string, number>();
  const changesIn = (frame: Buffer): readonly z.infer<typeof Change>[] => {
    const { data: said } = Frame.safeParse(JSON.parse(String(frame)));
    if (said?.type !== 'data') return [];
    return said.data.flatMap(({ diff }) => (diff === undefined ? [] : [diff]));
  };
  return {
    async enter(url) {
      const guest = await Guest.dial(url);
      const hello = {
        type: 'connect',
        connectRequestId: 'first',
        schema,
        protocolVersion: PROTOCOL,
        lastServerClock: 0,
      };
      await guest.enter([JSON.stringify(hello)], (frame) => String(frame).startsWith('{"type":"connect"'));
      return guest;
    },
    compose: (_writer, texts) => {
      const messages = texts.map((text, index) => {
        const id = `text:${String(index).padStart(ORDER, '0')}`;
        const diff = { [id]: ['put', { id, typeName: 'text', text }] };
        return JSON.stringify({ type: 'push', clientClock: index + 1, diff });
      });
      return Promise.resolve(messages);
    },
    // Every reader gets the same frame, so it is read for the first of them.
    editsIn(frame) {
      const key = String(frame);
      const known = counted.get(key);
      if (known !== undefined) return known;
      const edits = changesIn(frame).length;
      counted.set(key, edits);
      return edits;
    },
    read(frames) {
      const texts = new Map<string, string>();
      for (const frame of frames)
        for (const change of changesIn(frame))
          for (const [id, [, { text }]] of Object.entries(change)) texts.set(id, text);
      const inOrder = [...texts].sort(([one], [other]) => (one < other ? -1 : 1));
      return Promise.resolve(inOrder.map(([, text]) => text).join(''));
    },
    document: takesNoPart,
    replacements: takesNoPart,
    uninvited: takesNoPart,
  };
}
