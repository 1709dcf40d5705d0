/** Lines of the screen for a view: pure, and exactly as many and as wide as the screen has. */
import { columnsOf, cut, plain } from '../output/columns.js';
import { isOver } from '../people/work.js';
import { shortId } from '../studio/event-text.js';
import type { Style } from '../syntax/define.js';
import type { Row } from './board.js';
import { type Canvas, type Piece, line } from './lines.js';
import { transcriptLines } from './transcript.js';
import type { Attached, Asked, View } from './view.js';

const SMALLEST = { columns: 40, rows: 8 };
/** Rows at the top and at the foot that are not the list. */
const FRAME = 3;

const STATES: Readonly<Record<string, Style>> = {
  Executing: 'cyan',
  Exploring: 'cyan',
  Converging: 'cyan',
  Reviewing: 'yellow',
  Proposed: 'yellow',
  Paused: 'yellow',
  Waiting: 'yellow',
  Blocked: 'red',
  Failed: 'red',
  DeadLettered: 'red',
};

export function drawn(view: View, canvas: Canvas): string[] {
  const { columns, rows } = canvas;
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) {
    const said = `weft top needs ${SMALLEST.columns} by ${SMALLEST.rows} letters`;
    return [line([{ text: said }], canvas), ...Array<string>(Math.max(0, rows - 1)).fill('')];
  }
  const height = rows - FRAME;
  const body = view.attached ? transcriptOf(view, view.attached, canvas, height) : listOf(view, canvas, height);
  const filled = [...body, ...Array<string>(Math.max(0, height - body.length)).fill('')];
  return [headOf(view, canvas), ...filled, noteOf(view, canvas), keysOf(view, canvas)];
}

function headOf({ board, isLive }: View, canvas: Canvas): string {
  const goals = board.goals.filter((goal) => !isOver(goal));
  const tokens = goals.reduce((sum, { usage }) => sum + (usage?.tokens ?? 0), 0);
  const dollars = goals.reduce((sum, { usage }) => sum + (usage?.costUsd ?? 0), 0);
  const counts = [
    many(goals.length, 'goal'),
    many(board.agents.length, 'agent'),
    `${count(tokens)} tokens`,
    `$${dollars.toFixed(2)}`,
  ];
  const state = isLive ? 'live' : 'not connected';
  const right = `${counts.join(' · ')} · `;
  const room = canvas.columns - columnsOf(right) - state.length - 1;
  return line(
    [
      { text: `weft top  ${canvas.studio}`, columns: Math.max(8, room), style: 'bold' },
      { text: ' ' },
      { text: right },
      { text: state, style: isLive ? 'green' : 'red' },
    ],
    canvas,
  );
}

function listOf(view: View, canvas: Canvas, height: number): string[] {
  const { rows, selected } = view;
  if (rows.length === 0)
    return [
      '',
      line([{ text: 'Nothing is under way, and nothing waits for you. weft run "<goal>" sets a goal.' }], canvas),
    ];
  const lines: string[] = [];
  let cursor = 0;
  const waiting = rows.filter(({ kind }) => kind === 'waiting').length;
  for (const [at, row] of rows.entries()) {
    if (at === 0 && waiting > 0) lines.push(line([{ text: `NEEDS YOU (${waiting})`, style: 'yellow' }], canvas));
    if (at === waiting) lines.push(line([{ text: 'WORK', style: 'bold' }], canvas));
    if (row.key === selected) cursor = lines.length;
    lines.push(rowLine(row, row.key === selected, canvas));
  }
  // The cursor stays in the middle where there is more on both sides.
  const first = Math.min(Math.max(0, cursor - Math.floor(height / 2)), Math.max(0, lines.length - height));
  return lines.slice(first, first + height);
}

function rowLine(row: Row, isSelected: boolean, canvas: Canvas): string {
  const mark: Piece = { text: isSelected ? '> ' : '  ', style: isSelected ? 'bold' : undefined };
  const bold: Style | undefined = isSelected ? 'bold' : undefined;
  if (row.kind === 'waiting') {
    const { kind, since, sentence, blocks } = row.item;
    const holds = blocks === 0 ? '' : ` holds up ${blocks}`;
    const left: Piece[] = [
      mark,
      { text: kind, columns: 9, style: kind === 'failed' ? 'red' : 'yellow' },
      { text: age(since, canvas.now), columns: 5, style: 'dim' },
    ];
    return spread(left, { text: sentence, style: bold }, { text: holds, style: 'dim' }, canvas);
  }
  const { unit, depth, agent, goal } = row;
  const status = goal?.status === 'Paused' ? 'Paused' : unit.status;
  const usage = goal ? goal.usage : agent?.usage;
  const spent = usage ? ` ${count(usage.tokens)} $${usage.costUsd.toFixed(2)}` : '';
  const doing = agent?.currentActivity === undefined ? '' : ` (${agent.currentActivity})`;
  const left: Piece[] = [
    mark,
    { text: status, columns: 13, style: STATES[status] },
    { text: '  '.repeat(Math.min(depth, 8)) },
  ];
  return spread(left, { text: `${titleIn(unit.goal)}${doing}`, style: bold }, { text: spent, style: 'dim' }, canvas);
}

/** A line whose middle takes the room that is left, with its end at the right edge. */
function spread(left: readonly Piece[], middle: Piece, right: Piece, canvas: Canvas): string {
  const used = [...left, right].reduce((sum, { text, columns }) => sum + (columns ?? columnsOf(plain(text))), 0);
  return line([...left, { ...middle, columns: Math.max(0, canvas.columns - used) }, right], canvas);
}

function transcriptOf(view: View, attached: Attached, canvas: Canvas, height: number): string[] {
  const { workUnitId, entries, back } = attached;
  const unit = view.board.units.find((one) => one.workUnitId === workUnitId);
  const title = `${shortId(workUnitId)}  ${unit ? `${unit.status}  ${titleIn(unit.goal)}` : 'it is gone'}`;
  const head = line([{ text: title, style: 'bold' }], canvas);
  const room = height - 1;
  if (!entries) return [head, line([{ text: 'reading …' }], canvas)];
  if (entries.length === 0) return [head, line([{ text: 'No model was asked for it yet.' }], canvas)];
  const lines = transcriptLines(entries, canvas);
  const end = lines.length - Math.min(back, Math.max(0, lines.length - room));
  return [head, ...lines.slice(Math.max(0, end - room), end)];
}

function noteOf({ asked, note }: View, canvas: Canvas): string {
  if (!asked) return line([{ text: note }], canvas);
  if (!asked.isSure) return typing(asked, canvas);
  const answers = ' [y/N]';
  const question = cut(plain(asked.question), canvas.columns - answers.length);
  return line([{ text: `${question}${answers}`, style: 'bold' }], canvas);
}

/** The end of what is typed stays in sight. */
function typing({ question, text }: Asked, canvas: Canvas): string {
  const most = Math.floor(canvas.columns / 2);
  const shown = `${cut(plain(question), most)} `;
  const room = canvas.columns - columnsOf(shown) - 1;
  const letters = [...plain(text)].slice(-room);
  while (columnsOf(letters.join('')) > room) letters.shift();
  return line([{ text: shown, style: 'bold' }, { text: `${letters.join('')}_` }], canvas);
}

function keysOf({ asked, attached }: View, canvas: Canvas): string {
  const keys = asked
    ? asked.isSure
      ? 'y yes  any other key no'
      : 'Enter send  Esc leave it'
    : attached
      ? 'Up/Down scroll  End follow  s shell  p pause/go on  Esc back'
      : 'Enter attach  a approve  x reject  r answer  t retry  p pause  s shell  q quit';
  return line([{ text: keys, style: 'dim' }], canvas);
}

function titleIn(goal: string): string {
  const [first = ''] = goal.split('\n');
  return first;
}

function age(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  if (Number.isNaN(seconds)) return '';
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

function count(value: number): string {
  if (value < 10_000) return String(value);
  return value < 1_000_000 ? `${Math.round(value / 1000)}k` : `${(value / 1_000_000).toFixed(1)}M`;
}

function many(value: number, what: string): string {
  return `${value} ${what}${value === 1 ? '' : 's'}`;
}
