// The editing part of the text bench: one author types a recording, one reader receives it.
import { type Contender, mustHold, perSecond, timed } from '../measuring/harness.js';
import type { Figures } from '../measuring/statistics.js';
import type { TextEngine, TextReplica } from './text-engine.js';
import { type SequentialTrace, loadSequentialTrace, textAfter } from '../measuring/trace.js';

/** The trace and the text that its first edits make, which is what every run is compared with. */
export interface Typing {
  readonly trace: SequentialTrace;
  /** Edits of a run; a slow engine makes fewer. */
  readonly edits: number;
  textAfter(edits: number): string;
}

/** Cached typing of a trace. The text after so many edits is made once: the plain way is slower than most engines. */
export function readTyping(name: string, most: number | undefined): Typing {
  const trace = loadSequentialTrace(name);
  const made = new Map([[trace.edits.length, trace.end]]);
  return {
    trace,
    edits: Math.min(most ?? trace.edits.length, trace.edits.length),
    textAfter: (edits) => {
      const text = made.get(edits) ?? textAfter(trace.edits.slice(0, edits));
      made.set(edits, text);
      return text;
    },
  };
}

export function editContender(engine: TextEngine, typing: Typing): Contender {
  return { name: `${engine.name} types ${typing.trace.name}`, run: () => typeAndReceive(engine, typing) };
}

/** Notes for a row on how its figures were bounded. */
export function boundsOf({ most }: TextEngine, { edits }: Typing): string[] {
  const typed = Math.min(edits, most?.typeEach ?? edits);
  const received = Math.min(typed, most?.receiveEach ?? typed);
  if (typed === edits && received === edits) return [];
  if (typed === received) return [`first ${typed} edits only`];
  return [`first ${typed} edits typed one by one, first ${received} received`];
}

/** Messages, and the edits that they hold. */
interface Typed {
  readonly figures: Figures;
  readonly list: readonly Uint8Array[];
  readonly edits: number;
}

async function typeAndReceive(engine: TextEngine, typing: Typing): Promise<Figures> {
  const messages = await typeOneByOne(engine, typing);
  return {
    ...(await typeAsBatch(engine, typing)),
    ...(messages === undefined ? {} : messages.figures),
    ...(messages === undefined ? {} : await receiveOneByOne(engine, typing, messages)),
  };
}

async function typeOneByOne(engine: TextEngine, { trace, edits, textAfter }: Typing): Promise<Typed | undefined> {
  const replica = await engine.create(0);
  if (replica.typeEach === undefined) return undefined;
  const some = trace.edits.slice(0, Math.min(edits, engine.most?.typeEach ?? edits));
  const { ms, result: list } = await timed(() => replica.typeEach?.(some) ?? []);
  mustHold(list.length === messagesFor(engine, some.length), `${list.length} messages for ${some.length} edits`);
  finish(replica, textAfter(some.length), 'typing one by one');
  const bytes = list.reduce((sum, message) => sum + message.length, 0);
  const figures: Figures = {
    [engine.signs ? 'signed_ops_s' : 'local_ops_s']: perSecond(some.length, ms),
    message_bytes: bytes / list.length,
  };
  return { figures, list, edits: some.length };
}

async function typeAsBatch(engine: TextEngine, { trace, edits, textAfter }: Typing): Promise<Figures> {
  const replica = await engine.create(0);
  if (replica.typeAll === undefined) return {};
  const some = trace.edits.slice(0, edits);
  const { ms } = await timed(() => replica.typeAll?.(some));
  finish(replica, textAfter(some.length), 'typing one batch');
  return { local_batch_ops_s: perSecond(some.length, ms) };
}

async function receiveOneByOne(engine: TextEngine, { textAfter }: Typing, typed: Typed): Promise<Figures> {
  const replica = await engine.create(1);
  if (replica.receiveEach === undefined) return {};
  const some = typed.list.slice(0, messagesFor(engine, engine.most?.receiveEach ?? typed.edits));
  const edits = Math.min(typed.edits, some.length * (engine.editsPerMessage ?? 1));
  const { ms } = await timed(() => replica.receiveEach?.(some));
  finish(replica, textAfter(edits), 'receiving');
  return { [engine.signs ? 'signed_remote_ops_s' : 'remote_ops_s']: perSecond(edits, ms) };
}

/** How many messages an engine makes for so many edits. */
export function messagesFor({ editsPerMessage = 1 }: Pick<TextEngine, 'editsPerMessage'>, edits: number): number {
  return Math.ceil(edits / editsPerMessage);
}

function finish(replica: TextReplica, expected: string, after: string): void {
  const text = replica.text();
  replica.free?.();
  mustHold(text === expected, `the text after ${after} is not that of the recording`);
}
