// Rows of `text` beside the engines: what Weft's own figures are to be read against.
import type { Entrant } from '../measuring/entrant.js';
import type { Typing } from '../text/text-edits.js';
import { verifyContender } from './bare-verify.js';
import { WEFT_VERSION } from './engine.js';
import { roomContender } from './room-path.js';
import { MOST_SIGNED, type Manner, manners } from './text-replica.js';

/** With Weft itself: whoever asks for other engines alone does not want them. */
export function takesPart(libs: readonly string[]): boolean {
  return libs.length === 0 || libs.some((lib) => lib.startsWith('weft'));
}

export function besideText(typing: Typing): readonly Entrant[] {
  const signed = Math.min(MOST_SIGNED, typing.edits);
  return [
    verifying('one by one', { atOnce: 1, count: signed }),
    verifying('64 at once', { atOnce: 64, count: signed }),
    ...Object.entries(manners).map(([name, manner]) => throughRoom(name, manner, typing)),
  ];
}

function verifying(form: string, how: { readonly atOnce: number; readonly count: number }): Entrant {
  const contender = verifyContender(`bare verification ${form}`, how);
  return { lib: 'ed25519', version: process.versions.node, form, notes: ['verification alone'], contender };
}

function throughRoom(name: string, manner: Manner, typing: Typing): Entrant {
  const most = name === 'weft sealed' ? MOST_SIGNED : typing.edits;
  const notes = most < typing.edits ? [`first ${most} edits only`] : [];
  const about = { lib: name, version: WEFT_VERSION, form: 'through a room', notes };
  return { ...about, contender: roomContender(name, manner, typing, most) };
}
