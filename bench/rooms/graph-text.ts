// Scenarios `siblings` and `backwards`: texts of which many elements stand beside the same one.
import type { BenchOptions } from '../bench.js';
import { chooseTextEngines } from '../text/engines.js';
import type { Entrant } from '../measuring/entrant.js';
import { mustHold, perSecond, timed } from '../measuring/harness.js';
import { seeded, shuffled } from '../measuring/random.js';
import type { Figures } from '../measuring/statistics.js';
import type { TextEngine } from '../text/text-engine.js';
import type { Edit } from '../measuring/trace.js';

const SIBLINGS = 10_000;
const BACKWARDS = 20_000;
const CONFLICTS = 50;
/** Engines whose ten thousand replicas are made in seconds; any other can be asked for by name. */
const cheap = ['weft', 'yjs', 'json-joy'];
/** Text at the beginning: everything happens between its two letters, so that all inserts have the same neighbours. */
const BEGINNING = '()';
const FIRST_CHARACTER = 0x4e00;
const TYPED = 'x';
/** Number of the reading agent, beyond all authors. */
const READER = 60_001;

export async function siblingEntrants(options: BenchOptions): Promise<readonly Entrant[]> {
  const count = Math.min(options.edits ?? SIBLINGS, SIBLINGS);
  return entrants(options, 'takes siblings', (engine) => takeSiblings(engine, count));
}

export async function backwardsEntrants(options: BenchOptions): Promise<readonly Entrant[]> {
  const count = Math.min(options.edits ?? BACKWARDS, BACKWARDS);
  return entrants(options, 'types backwards', (engine) => async () => {
    const { start, messages: conflicts } = await insertByMany(engine, CONFLICTS);
    return typeBackwards(engine, start, conflicts, count);
  });
}

async function entrants(
  { libs, rivals }: BenchOptions,
  does: string,
  runOf: (engine: TextEngine) => () => Promise<Figures>,
): Promise<readonly Entrant[]> {
  const chosen = chooseTextEngines(libs, rivals).filter(({ name }) => libs.length > 0 || cheap.includes(name));
  const engines = (await Promise.all(chosen.map((entry) => entry.load()))).filter(({ concurrent }) => concurrent);
  return engines.map((engine) => {
    const { name: lib, version, doesNot: notes } = engine;
    return { lib, version, form: '', notes, contender: { name: `${lib} ${does}`, run: runOf(engine) } };
  });
}

/** Run of `siblings`. The authors' replicas are made once: what is measured is their reader's work. */
function takeSiblings(engine: TextEngine, count: number): () => Promise<Figures> {
  let made: ReturnType<typeof insertByMany> | undefined;
  return async () => {
    made ??= insertByMany(engine, count);
    const { start, messages } = await made;
    const { ms, text } = await receive(engine, start, messages, shuffled(messages, seeded(30)));
    mustHold(isBetween(text, count), 'not every sibling is there exactly once');
    const bytes = messages.reduce((sum, message) => sum + message.length, 0) / count;
    return { remote_ops_s: perSecond(count, ms), remote_ms: ms, message_bytes: bytes };
  };
}

async function typeBackwards(
  engine: TextEngine,
  start: readonly Uint8Array[],
  conflicts: readonly Uint8Array[],
  count: number,
): Promise<Figures> {
  const author = await engine.create(CONFLICTS + 1);
  await author.receiveEach?.(start);
  const edits = Array.from({ length: count }, (): Edit => insertAfterFirst(TYPED));
  const { ms: localMs, result: typed } = await timed(() => author.typeEach?.(edits) ?? []);
  author.free?.();
  const { ms, text } = await receive(engine, start, [...typed, ...conflicts], [...conflicts, ...typed]);
  const others = text.replaceAll(TYPED, '');
  mustHold(text.length - others.length === count, 'what was typed backwards is not there exactly once');
  mustHold(isBetween(others, conflicts.length), 'not every conflicting insert is there exactly once');
  return {
    local_ops_s: perSecond(count, localMs),
    remote_ops_s: perSecond(typed.length + conflicts.length, ms),
    remote_ms: ms,
    pieces: piecesOf(text),
  };
}

/** Interleaving: number of pieces into which the inserts of others have torn what one author typed. */
export function piecesOf(text: string): number {
  return text.split(new RegExp(`[^${TYPED}]+`, 'u')).filter((piece) => piece !== '').length;
}

/** Receives on two replicas, in one order and in another; the clock runs for the first. */
async function receive(
  engine: TextEngine,
  start: readonly Uint8Array[],
  messages: readonly Uint8Array[],
  otherwise: readonly Uint8Array[],
) {
  const [first, second] = [await engine.create(READER), await engine.create(READER + 1)];
  for (const replica of [first, second]) await replica.receiveEach?.(start);
  const { ms } = await timed(() => first.receiveEach?.(messages));
  await second.receiveEach?.(otherwise);
  const [text, other] = [first.text(), second.text()];
  for (const replica of [first, second]) replica.free?.();
  mustHold(text === other, 'two orders of the same messages end with different texts');
  return { ms, text };
}

/** Each author inserts a character of its own at the same place, having seen the beginning alone. */
async function insertByMany(engine: TextEngine, count: number) {
  const base = await engine.create(0);
  const start = (await base.typeEach?.([{ position: 0, deleted: 0, inserted: BEGINNING, at: 0 }])) ?? [];
  base.free?.();
  const messages: Uint8Array[] = [];
  for (let agent = 1; agent <= count; agent += 1) {
    const replica = await engine.create(agent);
    await replica.receiveEach?.(start);
    const own = String.fromCharCode(FIRST_CHARACTER + agent);
    messages.push(...((await replica.typeEach?.([insertAfterFirst(own)])) ?? []));
    replica.free?.();
  }
  mustHold(messages.length === count, `${messages.length} messages of ${count} authors`);
  return { start, messages };
}

function insertAfterFirst(inserted: string): Edit {
  return { position: 1, deleted: 0, inserted, at: 0 };
}

/** Whether the text is the beginning with each author's character once between its two letters. */
export function isBetween(text: string, authors: number): boolean {
  const inner = text.slice(1, -1);
  const own = new Set(Array.from({ length: authors }, (_, index) => String.fromCharCode(FIRST_CHARACTER + 1 + index)));
  if (text.at(0) !== BEGINNING[0] || text.at(-1) !== BEGINNING[1] || inner.length !== authors) return false;
  return [...inner].every((character) => own.delete(character));
}
