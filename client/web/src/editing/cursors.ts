/** Cursors of others in editors: what presence carries of them, and how a room's presence becomes them. */
import type { Anchor } from '@weft/core/client';
import type { Room } from '../room.js';

/** Selection of somebody, as presence carries it. */
export interface SharedSelection {
  readonly anchor: Anchor;
  readonly head: Anchor;
}

/** Cursor of somebody else. */
export interface RemoteCursor {
  readonly id: string;
  readonly name?: string;
  readonly color?: string;
  readonly selection: SharedSelection;
}

/** Cursors of others, and where one's own is told. */
export interface Cursors {
  show(selection: SharedSelection): void;
  readonly others: readonly RemoteCursor[];
  onChange(listener: () => void): () => void;
}

/** How others see somebody's cursor. */
export interface CursorLook {
  readonly name?: string;
  readonly color?: string;
}

/** What presence holds; a page shows what it likes, so any of it may be something else. */
interface ShownCursor extends CursorLook {
  readonly key?: string;
  readonly selection?: Partial<SharedSelection>;
}

/** Cursors in one text, by the field `cursor` of the room's presence. Throws before the room is ready. */
export function presenceCursors<Shape>(room: Room<Shape>, key: string, look: CursorLook = {}): Cursors {
  const presence = room.presence;
  return {
    show: (selection) => presence.update({ cursor: { ...look, key, selection } } as never),
    get others() {
      return presence.others.flatMap(({ peer, shown }) => {
        const { cursor } = (shown ?? {}) as { readonly cursor?: ShownCursor };
        const { anchor, head } = cursor?.selection ?? {};
        if (cursor?.key !== key || typeof anchor !== 'string' || typeof head !== 'string') return [];
        return [{ ...cursor, id: peer.peerId, selection: { anchor, head } }];
      });
    },
    onChange: (listener) => presence.onChange(listener),
  };
}

const COLOR = /^[#\w(),.%/\s-]{1,64}$/;

/** Colour of a cursor. Others say what it is, so nothing else than a colour gets into a style. */
export function colorOf({ color }: CursorLook): string {
  return typeof color === 'string' && COLOR.test(color) && CSS.supports('color', color) ? color : 'orange';
}
