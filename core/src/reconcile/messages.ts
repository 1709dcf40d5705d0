/** What two sides of a reconciliation say to each other: plain objects that JSON (bytes as base64) or MessagePack can carry. [RC6] */
import { DecodeError } from '../codec/bytes/bytes.js';
import {
  type Sieve,
  type Sifted,
  bytesOf,
  count,
  flag,
  listOf,
  objectOf,
  oneOf,
  optional,
  recordOf,
  sift,
  textUpTo,
} from '../codec/sieve.js';
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

const Heads = bytesOf(ID_BYTES, FEW_HEADS);
const Symbols = bytesOf(SYMBOL_BYTES, MOST_SYMBOLS);
const Key = bytesOf(SHORT_BYTES, 1, 1);
const Tips = bytesOf(1, TIP_BYTES * MOST_TIPS);
const Hex = textUpTo(64);
const Element = objectOf({
  path: Hex,
  hash: Hex,
  children: recordOf(Hex, textUpTo(1)),
  keys: listOf(Hex, 1),
});

/** Fields of each step. */
const steps = {
  open: objectOf({
    root: bytesOf(ID_BYTES, 1, 1),
    size: count,
    /** All of them, when they are few. */
    heads: optional(Heads),
    /** An earlier attempt has left a difference: no short cuts. */
    keyed: optional(flag),
  }),
  same: objectOf({}),
  /** `sends`: what the sender has beyond your heads, which it knows. */
  ahead: objectOf({ sends: count }),
  differ: objectOf({ size: count, heads: optional(Heads), symbols: Symbols, key: optional(Key) }),
  ask: objectOf({ from: count, count, keyed: flag }),
  symbols: objectOf({ symbols: Symbols, key: optional(Key) }),
  tips: objectOf({ tips: Tips }),
  'other-tips': objectOf({ tips: Tips, sends: count, sum: Key }),
  'no-tips': objectOf({}),
  walk: objectOf({ paths: listOf(Hex, MOST_PATHS) }),
  nodes: objectOf({ elements: listOf(Element, MOST_PATHS) }),
  /** `ids`: short ids that the sender lacks. */
  want: objectOf({ ids: bytesOf(SHORT_BYTES, MOST_WANTED), sends: count }),
  'want-whole': objectOf({ ids: bytesOf(ID_BYTES, MOST_WANTED), sends: count }),
  done: objectOf({ sends: count }),
};

export type Step = keyof typeof steps;
export type MessageOf<S extends Step> = { [K in S]: { readonly step: K } & Sifted<(typeof steps)[K]> }[S];
export type Message = MessageOf<Step>;

/** Throws `DecodeError` for anything else, and for a step that does not follow here. */
export function readMessage<S extends Step>(value: unknown, expected: readonly S[]): MessageOf<S> {
  const step = sift(named, value)?.step;
  if (step === undefined) throw new DecodeError('not a message of a reconciliation');
  if (!(expected as readonly string[]).includes(step)) throw new DecodeError(`${step} does not follow here`);
  const fields = sift(steps[step as S] as Sieve<object>, value);
  if (fields === undefined) throw new DecodeError('not a message of a reconciliation');
  return { step, ...fields } as MessageOf<S>;
}

const named = objectOf({ step: oneOf(...(Object.keys(steps) as Step[])) });

/** The heads of a room for its first message, when they are few. */
export function fewHeads({ heads, headIds }: Snapshot): { heads?: Uint8Array } {
  return heads.length <= FEW_HEADS ? { heads: headIds } : {};
}
