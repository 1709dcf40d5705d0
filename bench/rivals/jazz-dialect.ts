// What clients of a sync server of Jazz send and understand, of its protocol as much as the benches use.
import * as z from 'zod';
import { type Dialect, takesNoPart } from '../serving/dialect.js';
import { Guest } from '../serving/guest.js';
import { type JazzContent, type JazzList, type JazzNode, jazzNodes } from './jazz.js';

const Message = z.looseObject({
  action: z.string(),
  id: z.string(),
  new: z.record(z.string(), z.looseObject({ newTransactions: z.array(z.unknown()) })).optional(),
});

/** What a room is there: a list whose items are the writer's texts, of a group, which says who may. */
interface Shared {
  readonly list: JazzList;
  readonly group: string;
}

/** A value has an id of its own there and no name, so clients of one room agree on one before they enter. */
export async function jazzDialect(): Promise<Dialect> {
  const newNode = await jazzNodes();
  const rooms = new Map<string, Shared>();
  const roomOf = new WeakMap<Guest, Shared>();
  const counted = new Map<string, number>();
  /** Somebody gives the server the empty list first; it says that it knows it. */
  const found = async (guest: Guest): Promise<Shared> => {
    const group = newNode().createGroup();
    const list = group.createList();
    const contents = [group.core, list.core].flatMap((core) => core.newContentSince(undefined) ?? []);
    const isLast = (frame: Buffer): boolean =>
      messagesIn(frame).some(({ action, id }) => action === 'known' && id === list.id);
    await guest.enter(
      contents.map((content) => JSON.stringify(content)),
      isLast,
    );
    // What the others are sent stands before what comes, where the text is read.
    guest.history.push(...contents.map((content) => Buffer.from(JSON.stringify(content))));
    return { list, group: group.id };
  };
  const load = async (guest: Guest, { list, group }: Shared): Promise<void> => {
    const asked = [group, list.id].map((id) => JSON.stringify({ action: 'load', id, header: false, sessions: {} }));
    const isLast = (frame: Buffer): boolean =>
      messagesIn(frame).some(({ action, id }) => action === 'content' && id === list.id);
    await guest.enter(asked, isLast);
  };
  return {
    async enter(url) {
      const guest = await Guest.dial(url);
      const known = rooms.get(url);
      if (known) await load(guest, known);
      const shared = known ?? (await found(guest));
      rooms.set(url, shared);
      roomOf.set(guest, shared);
      return guest;
    },
    compose(writer, texts) {
      const { list } = roomOf.get(writer) ?? {};
      if (!list) throw new Error('who writes has not entered');
      return Promise.resolve(texts.flatMap((text) => appended(list, text)));
    },
    // Every reader gets the same frame, so it is read for the first of them.
    editsIn(frame) {
      const key = String(frame);
      const known = counted.get(key);
      if (known !== undefined) return known;
      const edits = messagesIn(frame).reduce((sum, { new: sessions = {} }) => {
        return sum + Object.values(sessions).reduce((all, { newTransactions }) => all + newTransactions.length, 0);
      }, 0);
      counted.set(key, edits);
      return edits;
    },
    read(frames) {
      const node = newNode();
      const contents = frames.flatMap(messagesIn).filter(({ action }) => action === 'content');
      for (const content of contents) node.syncManager.handleNewContent(content, 'import');
      return Promise.resolve(textOf(node, contents.at(-1)));
    },
    document: takesNoPart,
    replacements: takesNoPart,
    uninvited: takesNoPart,
  };
}

function appended(list: JazzList, text: string): string[] {
  const { sessions, ...known } = list.core.knownState();
  const before = { ...known, sessions: { ...sessions } };
  list.append(text, undefined, 'trusting');
  return (list.core.newContentSince(before) ?? []).map((content) => JSON.stringify(content));
}

function textOf(node: JazzNode, last: JazzContent | undefined): string {
  const items = last && node.getCoValue(last.id).getCurrentContent().toJSON();
  return z.array(z.string()).parse(items).join('');
}

/** Messages of a frame: one, or some with a line for each. */
function messagesIn(frame: Buffer): z.infer<typeof Message>[] {
  return String(frame)
    .split('\n')
    .map((line) => Message.parse(JSON.parse(line)));
}
