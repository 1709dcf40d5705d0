/** Replicas of one room that tell each other what they have written, without a server between them. */
import { memoryStore } from '../adapters/memory/memory-store.js';
import { type UndoableText, undoableText } from '../client/editing/undoable-text.js';
import type { Replica } from '../client/replica/replica.js';
import { createHost } from '../engine.js';
import type { Room } from '../room/room.js';
import { join } from './open-rooms.js';

export { join } from './open-rooms.js';

export const newRoom = (): Promise<Room> => createHost({ store: memoryStore() }).room('room');

/** What a replica has written since the last time; nothing if it has written nothing. */
export async function sealed(replica: Replica): Promise<Uint8Array | undefined> {
  const pack = await replica.seal();
  replica.confirm();
  return pack;
}

/** What each has written since the last time, to all others. */
export async function exchange(...replicas: Replica[]): Promise<void> {
  const packs = await Promise.all(replicas.map(sealed));
  for (const [from, pack] of packs.entries()) {
    if (!pack) continue;
    for (const [to, replica] of replicas.entries()) if (from !== to) await take(replica, pack);
  }
}

async function take(replica: Replica, pack: Uint8Array): Promise<void> {
  const [refused] = (await replica.receive(pack)).refused;
  if (refused) throw new Error(`a node was refused: ${refused.reason}`);
}

export const textOf = (replica: Replica, key = 't'): string => replica.text(key).toString();

/** Tells all what each has written; answers the text that all have then. */
export async function agree(...replicas: Replica[]): Promise<string> {
  await exchange(...replicas);
  const [text = '', ...others] = new Set(replicas.map((replica) => textOf(replica)));
  if (others.length > 0) throw new Error(`one has the text ${JSON.stringify(text)}, others ${JSON.stringify(others)}`);
  if (new Set(replicas.map(({ stateHash }) => stateHash)).size > 1) throw new Error('their state hashes differ');
  return text;
}

/** Two replicas that hold a text which somebody else has written; the first can undo what it does to it. */
export async function pair(content = ''): Promise<{ one: Replica; two: Replica; text: UndoableText }> {
  const room = await newRoom();
  const [one, two, author] = await Promise.all([join(room), join(room), join(room)]);
  author.text('t').insert(0, content);
  await agree(author, one, two);
  return { one, two, text: undoableText(one, 't') };
}

export function undoAll(text: UndoableText): number {
  let steps = 0;
  while (text.undo()) steps++;
  return steps;
}

export function redoAll(text: UndoableText): number {
  let steps = 0;
  while (text.redo()) steps++;
  return steps;
}
