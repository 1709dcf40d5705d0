/**
 * Anchor: a place in a text, named by the character that it stands beside, so that it stays there whatever others write and
 * delete. Text, short enough for presence, and the same for every replica. [CE4]
 *
 *   side ‖ id of the node in base64url ‖ '.' ‖ offset of the character in it; '<' and '>' are the ends of the text
 */
import { fromBase64Url, fromHex, toBase64Url, toHex } from '../../codec/bytes/bytes.js';
import type { Elements, ElementNumber } from '../../crdt/elements.js';
import type { Sequence } from '../../crdt/sequence/sequence.js';

export type Anchor = string;

/** `before`: stays with the character before it, what is typed there comes behind it; `after`: with the one behind it. */
export type AnchorSide = 'before' | 'after';

const START = '<';
const END = '>';
const ANCHOR = /^([ba])([\w-]{43})\.(0|[1-9][0-9]{0,6})$/;

export function anchorAt(sequence: Sequence, elements: Elements, position: number, side: AnchorSide): Anchor {
  if (side === 'before' && position === 0) return START;
  if (side === 'after' && position === sequence.length) return END;
  sequence.elementAt(side === 'before' ? position - 1 : position);
  const [id = '', offset = ''] = elements.nameOf(sequence.foundChain, sequence.foundCounter).split(':');
  return `${side === 'before' ? 'b' : 'a'}${toBase64Url(fromHex(id))}.${offset}`;
}

/** Position of an anchor; undefined for what is none, for one of another text, and while its character is not known here. */
export function positionOf(sequence: Sequence, elements: Elements, anchor: Anchor): number | undefined {
  if (anchor === START) return 0;
  if (anchor === END) return sequence.length;
  const [, side, id, offset] = ANCHOR.exec(anchor) ?? [];
  const element = id === undefined ? undefined : named(elements, id, offset!);
  if (!element || !sequence.has(element.chain, element.counter)) return undefined;
  const position = sequence.positionOf(element.chain, element.counter);
  return side === 'b' && !sequence.isDeleted(element.chain, element.counter) ? position + 1 : position;
}

function named(elements: Elements, id: string, offset: string): ElementNumber | undefined {
  return elements.named(`${toHex(fromBase64Url(id))}:${offset}`);
}
