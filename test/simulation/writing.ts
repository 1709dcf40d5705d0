/** What people of a world write into their copies of a room, and a room as whoever reads it sees it. */
import { type Replica, type Room, richText } from '@weft/core';
import type { Random } from '../convergence/random.js';
import { secret } from './canaries.js';

const DOCUMENTS = ['docs/text', 'docs/list', 'secret/text'];
const MARKS = ['bold', 'link', 'note'];
const EXPAND = ['after', 'before', 'both', 'none'] as const;

/** What is to be written next, as far as chance has not decided it. */
export interface Words {
  /** Whether the room is one that nobody else may read, and the writer may. */
  readonly mayBeSecret: boolean;
  /** Number of the secrets that are written now. */
  readonly secrets: number;
  readonly plain: string;
}

/** Writes one thing; told of it before, in words. */
export function write(replica: Replica, random: Random, words: Words, tell: (line: string) => void): void {
  const { mayBeSecret, secrets, plain } = words;
  const key = random.pick(
    mayBeSecret ? ['docs/a', 'docs/b', 'secret/a', 'secret/b'] : ['docs/a', 'docs/b', 'docs/own/c', 'intent/x'],
  );
  const isIntent = mayBeSecret && random.chance(4);
  const word = key.startsWith('secret') ? `${secret(secrets)} ${plain}` : plain;
  const kind = random.below(100);
  tell(`${key} ${kind} ${word}`);
  if (isIntent) replica.set(`intent/${secret(secrets)}`, plain);
  else if (kind < 40) replica.set(key, word);
  else if (kind < 50) replica.delete(key);
  else if (kind < 75) writeText(replica, random, mayBeSecret && random.chance(30) ? 'secret/text' : 'docs/text', plain);
  else writeList(replica, random, plain);
}

function writeText(replica: Replica, random: Random, key: string, plain: string): void {
  const text = replica.text(key);
  const at = random.below(text.length + 1);
  const kind = random.below(100);
  if (kind < 30) text.delete(at, Math.min(text.length - at, 1 + random.below(5)));
  else if (kind < 45) markText(replica, random, key);
  else text.insert(at, text.length > 200 ? 'x' : plain);
}

function markText(replica: Replica, random: Random, key: string): void {
  const text = richText(replica, key);
  const at = random.below(text.length + 1);
  const count = Math.min(text.length - at, 1 + random.below(12));
  const value = random.pick([true, null, `see ${random.below(3)}`]);
  text.mark(at, count, random.pick(MARKS), value, { expand: random.pick(EXPAND) });
}

function writeList(replica: Replica, random: Random, plain: string): void {
  const list = replica.list('docs/list');
  const at = random.below(list.length + 1);
  if (at === list.length || random.chance(40)) list.insert(at, plain);
  else if (random.chance(40)) list.delete(at);
  else list.move(at, random.below(list.length));
}

/** A room as whoever reads it sees it. */
export function shown(of: Replica | Room): string {
  const heads = 'heads' in of ? of.heads.frontier : of.frontier;
  const lists = DOCUMENTS.map((key) => {
    const list = of.list(key);
    return 'toArray' in list ? list.toArray() : list;
  });
  return JSON.stringify({
    heads,
    hash: of.stateHash,
    entries: [...of.entries()],
    texts: DOCUMENTS.map((key) => String(of.text(key))),
    spans: DOCUMENTS.map((key) => ('heads' in of ? of.spans(key) : richText(of, key).spans())),
    lists,
  });
}
