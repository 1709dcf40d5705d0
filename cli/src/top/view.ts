/**
 * What a person at the screen sees and has begun, and what a key makes of it. Pure: a key answers the next view, and a deed for
 * whoever can do it. A deed names what was under the cursor when its key was pressed, whatever has moved since.
 */
import type { Attention, ConversationLogEntry } from '@weft/studio-client';
import { shortId } from '../studio/event-text.js';
import { type Board, type Row, rowsOf, unitOf } from './board.js';
import type { Key } from './keys.js';

export interface View {
  readonly board: Board;
  readonly rows: readonly Row[];
  readonly isLive: boolean;
  /** Key of the row under the cursor. */
  readonly selected: string | undefined;
  readonly attached: Attached | undefined;
  readonly asked: Asked | undefined;
  /** What has come of the last deed. */
  readonly note: string;
}

/** The live transcript of a unit. */
export interface Attached {
  readonly workUnitId: string;
  readonly entries: readonly ConversationLogEntry[] | undefined;
  /** Lines that are hidden below; none where it follows what comes. */
  readonly back: number;
}

/** A question at the foot of the screen, and what its answer does. */
export interface Asked {
  readonly question: string;
  readonly text: string;
  /** Whether one key answers it. */
  readonly isSure: boolean;
  readonly does: (text: string) => Deed;
}

export type Deed =
  | {
      readonly kind: 'call';
      readonly operation: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly done: string;
    }
  | { readonly kind: 'read'; readonly workUnitId: string }
  | { readonly kind: 'shell'; readonly workUnitId: string }
  | { readonly kind: 'redraw' }
  | { readonly kind: 'quit' };

export interface Pressed {
  readonly view: View;
  readonly deed?: Deed;
}

export const EMPTY: View = {
  board: { goals: [], units: [], agents: [], waiting: [] },
  rows: [],
  isLive: false,
  selected: undefined,
  attached: undefined,
  asked: undefined,
  note: '',
};

/** Rows that a page key moves by, and lines of a transcript. */
const PAGE = 10;
const LONGEST_ANSWER = 4000;

/** The view of what the studio says now. A cursor whose row has gone stands where that was. */
export function withBoard(view: View, board: Board): View {
  const rows = rowsOf(board);
  if (rows.some(({ key }) => key === view.selected)) return { ...view, board, rows };
  const place = view.rows.findIndex(({ key }) => key === view.selected);
  return { ...view, board, rows, selected: rows[Math.min(Math.max(0, place), rows.length - 1)]?.key };
}

export function press(view: View, key: Key): Pressed {
  if (key.name === 'ctrl-c') return { view, deed: { kind: 'quit' } };
  if (key.name === 'ctrl-l') return { view, deed: { kind: 'redraw' } };
  if (view.asked) return answering(view, view.asked, key);
  const quiet = { ...view, note: '' };
  return view.attached ? inTranscript(quiet, view.attached, key) : inList(quiet, key);
}

function answering(view: View, asked: Asked, key: Key): Pressed {
  const closed = { ...view, asked: undefined };
  if (key.name === 'escape') return { view: closed };
  if (asked.isSure) return /^y$/i.test(key.name) ? { view: closed, deed: asked.does('') } : { view: closed };
  if (key.name === 'enter') {
    const text = asked.text.trim();
    return text === '' ? { view: closed } : { view: closed, deed: asked.does(text) };
  }
  return { view: { ...view, asked: { ...asked, text: typed(asked.text, key) } } };
}

function typed(text: string, { name, text: more }: Key): string {
  if (name === 'ctrl-u') return '';
  // By letters, not by halves of them.
  if (name === 'backspace') return [...text].slice(0, -1).join('');
  return `${text}${more}`.slice(0, LONGEST_ANSWER);
}

function inList(view: View, { name }: Key): Pressed {
  const at = view.rows.findIndex(({ key }) => key === view.selected);
  const to = (place: number): Pressed => {
    const row = view.rows[Math.min(Math.max(0, place), view.rows.length - 1)];
    return { view: { ...view, selected: row?.key } };
  };
  switch (name) {
    case 'q':
      return { view, deed: { kind: 'quit' } };
    case 'up':
    case 'k':
      return to(at - 1);
    case 'down':
    case 'j':
      return to(at + 1);
    case 'page-up':
      return to(at - PAGE);
    case 'page-down':
      return to(at + PAGE);
    case 'home':
    case 'g':
      return to(0);
    case 'end':
    case 'G':
      return to(view.rows.length - 1);
    default: {
      const row = view.rows[at];
      return row ? onRow(view, row, name) : { view };
    }
  }
}

function onRow(view: View, row: Row, name: string): Pressed {
  const unit = unitOf(view.board, row);
  switch (name) {
    case 'enter': {
      if (!unit) return noted(view, 'no work is open behind this line');
      const { workUnitId } = unit;
      const attached = { workUnitId, entries: undefined, back: 0 };
      return { view: { ...view, attached }, deed: { kind: 'read', workUnitId } };
    }
    case 's':
      return unit
        ? { view, deed: { kind: 'shell', workUnitId: unit.workUnitId } }
        : noted(view, 'this line has no folder');
    case 'p':
      return pausing(view, row);
    default:
      return row.kind === 'waiting' ? onWaiting(view, row.item, name) : { view };
  }
}

function inTranscript(view: View, attached: Attached, { name }: Key): Pressed {
  const by = (lines: number): Pressed => ({
    view: { ...view, attached: { ...attached, back: Math.max(0, attached.back + lines) } },
  });
  switch (name) {
    case 'q':
    case 'escape':
      return { view: { ...view, attached: undefined } };
    case 'up':
    case 'k':
      return by(1);
    case 'down':
    case 'j':
      return by(-1);
    case 'page-up':
      return by(PAGE);
    case 'page-down':
      return by(-PAGE);
    case 'end':
    case 'G':
      return by(-attached.back);
    case 's':
      return { view, deed: { kind: 'shell', workUnitId: attached.workUnitId } };
    case 'p': {
      const row = view.rows.find(({ key }) => key === attached.workUnitId);
      return row ? pausing(view, row) : noted(view, 'it is over');
    }
    default:
      return { view };
  }
}

/** Pauses a goal, or the agent of one of its parts; or lets it go on. */
function pausing(view: View, row: Row): Pressed {
  if (row.kind === 'waiting') {
    if (row.item.kind !== 'paused')
      return noted(view, 'the cursor stands on no work: p pauses a goal, or a part of one');
    return called(view, 'goal.resume', { goalId: row.item.id }, 'the goal goes on');
  }
  const { goal, agent } = row;
  if (goal) {
    const { goalId } = goal;
    return goal.status === 'Paused'
      ? called(view, 'goal.resume', { goalId }, 'the goal goes on')
      : called(view, 'goal.pause', { goalId, reason: 'paused by a person' }, 'the goal is paused');
  }
  if (!agent) return noted(view, 'no agent is at work on it');
  const { agentId, status } = agent;
  return status.startsWith('paused')
    ? called(view, 'agent.resume', { agentId }, 'its agent goes on')
    : called(view, 'agent.pause', { agentId }, 'its agent stops at its next step');
}

/** What one key does about an item of the list, by the operations that it names itself. */
function onWaiting(view: View, item: Attention, name: string): Pressed {
  switch (name) {
    case 'a': {
      const way = wayOf(item, 'external-result.apply') ?? wayOf(item, 'merge.apply');
      if (!way) return noted(view, 'there is nothing to approve about it');
      const deed = call(way.operation, way.input, `${shortId(item.id)} has landed`);
      return { view: { ...view, asked: sure(`Land ${shortId(item.id)}, "${item.sentence}"?`, deed) } };
    }
    case 'x': {
      const way = item.actions.find(
        ({ operation, input }) => operation === 'merge.review' && input['decision'] === 'Rejected',
      );
      if (!way) return noted(view, 'there is nothing to reject about it');
      return asking(view, `Why is ${shortId(item.id)} not good?`, (notes) =>
        call(way.operation, { ...way.input, notes }, 'rejected; the work is done again with your reason'),
      );
    }
    case 'r': {
      const way = wayOf(item, 'clarification.respond');
      if (!way) return noted(view, 'it asks nothing');
      const { options = [] } = item;
      const choices = options.length === 0 ? '' : ` (${options.join(' / ')})`;
      return asking(view, `${item.sentence}${choices}`, (response) =>
        call(way.operation, { ...way.input, response }, 'answered; the work goes on'),
      );
    }
    case 't': {
      const way = wayOf(item, 'dead-letter.retry');
      return way ? called(view, way.operation, way.input, 'it is tried again') : noted(view, 'it has not failed');
    }
    default:
      return { view };
  }
}

function wayOf({ actions }: Attention, wanted: string): Attention['actions'][number] | undefined {
  return actions.find(({ operation }) => operation === wanted);
}

function call(operation: string, input: Readonly<Record<string, unknown>>, done: string): Deed {
  return { kind: 'call', operation, input, done };
}

function called(view: View, operation: string, input: Readonly<Record<string, unknown>>, done: string): Pressed {
  return { view, deed: call(operation, input, done) };
}

function sure(question: string, deed: Deed): Asked {
  return { question, text: '', isSure: true, does: () => deed };
}

function asking(view: View, question: string, does: Asked['does']): Pressed {
  return { view: { ...view, asked: { question, text: '', isSure: false, does } } };
}

function noted(view: View, note: string): Pressed {
  return { view: { ...view, note } };
}
