/** What two sides of a reconciliation say to each other: plain objects that JSON (bytes as base64) or MessagePack can carry. [RC6] */
import { z } from 'zod';
import { DecodeError } from '../codec/bytes/bytes.js';
import { SHORT_BYTES } from './short-ids.js';
import type { Snapshot } from './snapshot.js';
import { MOST_SYMBOLS, SYMBOL_BYTES } from './symbols.js';
import { MOST_TIPS, TIP_BYTES } from './tips.js';

/** Most heads in a first message: more are not worth their bytes before it is known whether anything differs. */
const FEW_HEADS = 3;
/** Most paths in one message of a walk. */
export const MOST_PATHS = 256;
const ID_BYTES = 32;
const MOST_WANTED = 1 << 20;

const bytesOf = (unit: number, most: number) =>
  z.custom<Uint8Array>(
    (value) => value instanceof Uint8Array && value.length % unit === 0 && value.length <= unit * most,
    `must be bytes, ${unit} for each of at most ${most}`,
  );
const Count = z.number().int().nonnegative();
const Heads = bytesOf(ID_BYTES, FEW_HEADS);
const Symbols = bytesOf(SYMBOL_BYTES, MOST_SYMBOLS);
const Key = z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length === SHORT_BYTES);
const Tips = z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length <= TIP_BYTES * MOST_TIPS);
const Hex = z.string().max(64);
const Element = z.object({
  path: Hex,
  hash: Hex,
  children: z.record(z.string().max(1), Hex),
  keys: z.array(Hex).max(1),
});

export const Message = z.discriminatedUnion('step', [
  z.object({
    step: z.literal('open'),
    root: z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length === ID_BYTES),
    size: Count,
    heads: Heads.optional().describe('All of them, when they are few.'),
    keyed: z.boolean().optional().describe('An earlier attempt has left a difference: no short cuts.'),
  }),
  z.object({ step: z.literal('same') }),
  z.object({
    step: z.literal('ahead'),
    sends: Count.describe('What the sender has beyond your heads, which it knows.'),
  }),
  z.object({
    step: z.literal('differ'),
    size: Count,
    heads: Heads.optional(),
    symbols: Symbols,
    key: Key.optional(),
  }),
  z.object({ step: z.literal('ask'), from: Count, count: Count, keyed: z.boolean() }),
  z.object({ step: z.literal('symbols'), symbols: Symbols, key: Key.optional() }),
  z.object({ step: z.literal('tips'), tips: Tips }),
  z.object({ step: z.literal('other-tips'), tips: Tips, sends: Count, sum: Key }),
  z.object({ step: z.literal('no-tips') }),
  z.object({ step: z.literal('walk'), paths: z.array(Hex).max(MOST_PATHS) }),
  z.object({ step: z.literal('nodes'), elements: z.array(Element).max(MOST_PATHS) }),
  z.object({
    step: z.literal('want'),
    ids: bytesOf(SHORT_BYTES, MOST_WANTED).describe('Short ids that the sender lacks.'),
    sends: Count,
  }),
  z.object({ step: z.literal('want-whole'), ids: bytesOf(ID_BYTES, MOST_WANTED), sends: Count }),
  z.object({ step: z.literal('done'), sends: Count }),
]);

export type Message = z.infer<typeof Message>;
export type Step = Message['step'];
export type MessageOf<S extends Step> = Extract<Message, { step: S }>;

/** Throws `DecodeError` for anything else, and for a step that does not follow here. */
export function readMessage<S extends Step>(value: unknown, expected: readonly S[]): MessageOf<S> {
  const { success, data } = Message.safeParse(value);
  if (!success) throw new DecodeError('not a message of a reconciliation');
  if (!(expected as readonly Step[]).includes(data.step)) throw new DecodeError(`${data.step} does not follow here`);
  return data as MessageOf<S>;
}

/** The heads of a room for its first message, when they are few. */
export function fewHeads({ heads, headIds }: Snapshot): { heads?: Uint8Array } {
  return heads.length <= FEW_HEADS ? { heads: headIds } : {};
}
