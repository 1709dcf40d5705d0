/** What the screen shows and what keys make of it, without a terminal: `top.system.test.ts` in test/e2e has one. */
import type { AgentInfo, Attention, Goal } from '@weft/studio-client';
import { expect, it } from 'vitest';
import { columnsOf } from '../output/columns.js';
import type { Board, UnitShown } from './board.js';
import { drawn } from './draw.js';
import { type Deed, EMPTY, type Pressed, type View, press, withBoard } from './view.js';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const canvas = { columns: 80, rows: 24, now: NOW, studio: '127.0.0.1:7880', paint: (_: string, text: string) => text };

const unit = (workUnitId: string, goal: string, more: Partial<UnitShown> = {}): UnitShown => ({
  workUnitId,
  goal,
  branchId: `merge/${workUnitId}`,
  status: 'Executing',
  ...more,
});

const goal = (workUnitId: string, more: Partial<Goal> = {}): Goal => ({
  goalId: workUnitId,
  goal: 'whole',
  workUnitId,
  branchId: 'main',
  status: 'Exploring',
  pauseReason: null,
  updatedAt: '',
  parentGoalId: null,
  createdAt: '',
  hasParkedWork: false,
  parkedReason: null,
  parkedWorkUnitIds: [],
  orchestratorStalled: false,
  orchestratorProfileId: '',
  defaultProfileId: '',
  usage: { tokens: 48_200, costUsd: 1.237, turns: 3, seconds: 5 },
  ...more,
});

const agent: AgentInfo = { agentId: 'ag-1', workUnitId: 'wu-2', status: 'active', currentActivity: 'exec npm test' };

const question: Attention = {
  kind: 'answer',
  id: 'cl-1',
  workUnitId: 'wu-2',
  sentence: 'Which port?',
  since: '2026-01-01T00:15:00Z',
  blocks: 2,
  blockedWorkUnitIds: [],
  options: ['80', '443'],
  actions: [
    { operation: 'clarification.respond', input: { workUnitId: 'wu-2', requestId: 'cl-1' }, asks: ['response'] },
  ],
};

const review: Attention = {
  ...question,
  kind: 'review',
  id: 'MP-1',
  sentence: 'Add a file',
  blocks: 0,
  actions: [
    { operation: 'merge.review', input: { proposalId: 'MP-1', decision: 'Approved' }, asks: [] },
    { operation: 'merge.review', input: { proposalId: 'MP-1', decision: 'Rejected' }, asks: ['notes'] },
    { operation: 'external-result.apply', input: { proposalId: 'MP-1' }, asks: [] },
  ],
};

const board: Board = {
  goals: [goal('wu-1'), goal('wu-9', { status: 'Converged' })],
  units: [
    unit('wu-1', 'Build doors and roofs'),
    unit('wu-2', 'Doors', { parentWorkUnitId: 'wu-1' }),
    unit('wu-3', 'Roofs', { parentWorkUnitId: 'wu-1', status: 'Merged' }),
    unit('wu-9', 'Older', { status: 'Merged' }),
  ],
  agents: [agent],
  waiting: [question, review],
};

const seen = withBoard({ ...EMPTY, isLive: true }, board);

/** The view behind some keys, and what the last of them has others do. */
function after(view: View, ...keys: string[]): Pressed {
  let pressed: Pressed = { view };
  for (const name of keys) pressed = press(pressed.view, { name, text: name.length === 1 ? name : '' });
  return pressed;
}

const deedOf = (view: View, ...keys: string[]): Deed | undefined => after(view, ...keys).deed;

it('goals, agents, spend and what waits are on one screen of 80 by 24', () => {
  const lines = drawn(seen, canvas);
  expect(lines).toHaveLength(24);
  expect(Math.max(...lines.map(columnsOf))).toBeLessThanOrEqual(80);
  expect(lines.slice(0, 7).map((line) => line.trimEnd())).toEqual([
    'weft top  127.0.0.1:7880            1 goal · 1 agent · 48k tokens · $1.24 · live',
    'NEEDS YOU (2)',
    expect.stringMatching(/^> answer {3}45m {2}Which port\? +holds up 2$/) as string,
    expect.stringMatching(/^ {2}review {3}45m {2}Add a file$/) as string,
    'WORK',
    expect.stringMatching(/^ {2}Executing {4}Build doors and roofs +48k \$1\.24$/) as string,
    '  Executing      Doors (exec npm test)',
  ]);
  expect(lines.at(-1)).toContain('a approve');
  expect(drawn(withBoard(EMPTY, { goals: [], units: [], agents: [], waiting: [] }), canvas)[2]).toContain(
    'Nothing is under way',
  );
});

it('no size of the terminal is one line or one column too few', () => {
  for (const columns of [1, 39, 40, 80, 200])
    for (const rows of [1, 7, 8, 24, 60]) {
      const lines = drawn(seen, { ...canvas, columns, rows });
      expect(lines).toHaveLength(rows);
      expect(Math.max(...lines.map(columnsOf)), `${columns} by ${rows}`).toBeLessThanOrEqual(columns);
    }
});

it('a list that is longer than the screen keeps the cursor in sight', () => {
  const waiting = Array.from({ length: 100 }, (_, n) => ({ ...question, id: `cl-${n}`, sentence: `Question ${n}?` }));
  const many = withBoard(seen, { ...board, waiting });
  for (const [keys, shown] of [
    [['end'], 'Doors'],
    [['home'], 'Question 0?'],
    [['page-down', 'page-down', 'page-down'], 'Question 31?'],
  ] as const) {
    const { view } = after(many, ...keys);
    expect(drawn(view, canvas).find((line) => line.startsWith('> '))).toContain(shown);
  }
});

it('titles, questions and transcripts that hold escape codes only look odd', () => {
  const hostile = '\u001b]0;mine\u0007\u001b[2J\u001b[?1049l\u202e\r\nx';
  const entry = {
    logId: 'l',
    workUnitId: 'wu-2',
    agentId: 'ag-1',
    agentRole: hostile,
    cycleNumber: 1,
    said: hostile,
    notice: hostile,
    refusal: hostile,
    assistantText: hostile,
    toolCalls: [{ toolUseId: 't', name: hostile, inputJson: hostile }],
    toolResults: [{ toolUseId: 't', result: hostile, truncated: false, isError: true }],
    occurredAt: hostile,
  };
  const view = withBoard(
    { ...seen, note: hostile },
    {
      goals: [goal('wu-1', { goal: hostile })],
      units: [unit('wu-1', hostile), unit('wu-2', hostile, { parentWorkUnitId: 'wu-1' })],
      agents: [{ ...agent, currentActivity: hostile }],
      waiting: [{ ...question, sentence: hostile, options: [hostile], since: hostile }],
    },
  );
  const attached = { workUnitId: 'wu-2', entries: [entry], back: 0 };
  for (const one of [view, { ...view, attached }, after(view, 'r').view, after({ ...view, attached }, 'r').view])
    for (const line of drawn(one, canvas)) {
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(columnsOf(line)).toBeLessThanOrEqual(80);
    }
});

it('an answer is typed, and sent for the question under the cursor', () => {
  const { view } = after(seen, 'r', '8', 'x', 'backspace', '0', '8');
  expect(drawn(view, canvas)[22]).toContain('Which port? (80 / 443) 808_');
  expect(after(view, 'enter')).toMatchObject({
    view: { asked: undefined },
    deed: {
      kind: 'call',
      operation: 'clarification.respond',
      input: { workUnitId: 'wu-2', requestId: 'cl-1', response: '808' },
    },
  });
  // Letters that are keys elsewhere are letters here, nothing is no answer, and escape leaves it.
  expect(deedOf(seen, 'r', 'q', 'a')).toBeUndefined();
  expect(deedOf(seen, 'r', 'enter')).toBeUndefined();
  expect(after(view, 'escape')).toEqual({ view: { ...seen, asked: undefined } });
  expect(press(after(seen, 'r').view, { name: 'paste', text: 'it is 443' }).view.asked?.text).toBe('it is 443');
});

it('landing is asked for once more, and means what was under the cursor when it was asked', () => {
  const asked = after(seen, 'down', 'a').view;
  expect(drawn(asked, canvas)[22]).toContain('Land MP-1, "Add a file"? [y/N]');
  const moved = withBoard(asked, { ...board, waiting: [{ ...review, id: 'MP-2' }, question] });
  expect(deedOf(moved, 'y')).toMatchObject({ operation: 'external-result.apply', input: { proposalId: 'MP-1' } });
  for (const no of ['n', 'enter', 'escape', 'q']) expect(deedOf(asked, no)).toBeUndefined();
  // What is pasted into the list is no key.
  expect(press(seen, { name: 'paste', text: 'a' })).toEqual({ view: seen });
  expect(deedOf(seen, 'down', 'x', 'n', 'o', 'enter')).toMatchObject({
    operation: 'merge.review',
    input: { proposalId: 'MP-1', decision: 'Rejected', notes: 'no' },
  });
});

it('a key that means nothing for a line says so and does nothing', () => {
  for (const [keys, note] of [
    [['a'], 'nothing to approve'],
    [['x'], 'nothing to reject'],
    [['down', 'r'], 'it asks nothing'],
    [['t'], 'it has not failed'],
    [['p'], 'p pauses a goal'],
  ] as const) {
    const { view, deed } = after(seen, ...keys);
    expect([view.note, deed]).toEqual([expect.stringContaining(note), undefined]);
  }
});

it('p pauses a goal or the agent of a part, and lets them go on', () => {
  const paused = withBoard(seen, {
    ...board,
    goals: [goal('wu-1', { status: 'Paused' })],
    agents: [{ ...agent, status: 'paused' }],
  });
  const whole = ['down', 'down', 'p'];
  const part = ['end', 'p'];
  expect([
    deedOf(seen, ...whole),
    deedOf(paused, ...whole),
    deedOf(seen, ...part),
    deedOf(paused, ...part),
  ]).toMatchObject(['goal.pause', 'goal.resume', 'agent.pause', 'agent.resume'].map((operation) => ({ operation })));
  expect(deedOf(seen, 'end', 'enter', 'p')).toMatchObject({ operation: 'agent.pause' });
});

it('a cursor stays on its line when others come before it, and beside it when its line goes', () => {
  const at = after(seen, 'down').view;
  const more = withBoard(at, { ...board, waiting: [{ ...question, id: 'cl-0' }, question, review] });
  expect(more.selected).toBe('review MP-1');
  expect(withBoard(at, { ...board, waiting: [question] }).selected).toBe('wu-1');
  expect(withBoard(at, { goals: [], units: [], agents: [], waiting: [] }).selected).toBeUndefined();
});

it('a transcript follows what comes, can be scrolled, and is left by escape', () => {
  const { view, deed } = after(seen, 'enter');
  expect([deed, drawn(view, canvas)[2]]).toEqual([{ kind: 'read', workUnitId: 'wu-2' }, 'reading …']);
  const entries = Array.from({ length: 40 }, (_, n) => ({
    logId: `l${n}`,
    workUnitId: 'wu-2',
    agentId: 'ag-1',
    agentRole: 'worker',
    cycleNumber: n,
    assistantText: `Step ${n}`,
    toolCalls: [],
    toolResults: [],
    occurredAt: '2026-01-01T00:00:00Z',
  }));
  const read = { ...view, attached: { workUnitId: 'wu-2', entries, back: 0 } };
  expect(drawn(read, canvas)[21]).toBe('  Step 39');
  expect(drawn(after(read, 'page-up').view, canvas)[21]).toBe('  Step 34');
  expect(drawn(after(read, ...Array<string>(50).fill('page-up')).view, canvas)[3]).toBe('  Step 0');
  expect(drawn(after(read, 'page-up', 'end').view, canvas)[21]).toBe('  Step 39');
  expect(after(read, 'escape').view.attached).toBeUndefined();
  expect(deedOf(read, 's')).toEqual({ kind: 'shell', workUnitId: 'wu-2' });
});
