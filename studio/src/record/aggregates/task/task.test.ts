import { describe, expect, it } from 'vitest';
import { decided, stateOf } from '../../../testing/record/given.js';
import { TASK_STATUSES, TASK_TRANSITIONS, type TaskStatus, task } from './task.js';

const given = { taskId: 't1', workUnitId: 'wu-1', title: 'do', description: 'it', priority: 1 };
const created = decided(task, [], 'create', given);
const moved = (...path: TaskStatus[]) =>
  path.reduce((events, to) => [...events, ...decided(task, events, 'move', { to })], created);

/** How to come to each. */
const WAYS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  Open: [],
  InProgress: ['InProgress'],
  Blocked: ['InProgress', 'Blocked'],
  Completed: ['InProgress', 'Completed'],
  Cancelled: ['Cancelled'],
};

describe('a task', () => {
  it('moves along the table, and no other way', () => {
    for (const from of TASK_STATUSES)
      for (const to of TASK_STATUSES) {
        const events = moved(...WAYS[from]);
        const move = () => decided(task, events, 'move', { to });
        if (from === to) expect(move()).toEqual([]);
        else if (TASK_TRANSITIONS[from].includes(to)) expect(move()).toHaveLength(1);
        else expect(move, `${from} to ${to}`).toThrow(`a task that is ${from} cannot become ${to}`);
      }
  });

  it('is edited field by field', () => {
    expect(decided(task, created, 'edit', { title: 'done', priority: 1 })).toEqual([
      { type: 'TaskEdited', v: 1, taskId: 't1', title: 'done' },
    ]);
    expect(decided(task, created, 'edit', { title: 'do' })).toEqual([]);
    const edited = [...created, ...decided(task, created, 'edit', { description: 'that' })];
    expect(stateOf(task, edited)).toEqual({ ...given, description: 'that', status: 'Open' });
  });

  it('is given to an agent until it is over, and opened again only when it was cancelled', () => {
    expect(decided(task, created, 'assign', { agentId: 'a1' })).toHaveLength(1);
    expect(() => decided(task, moved('Cancelled'), 'assign', { agentId: 'a1' })).toThrow('cannot be assigned');
    expect(decided(task, moved('InProgress'), 'reopen', {})).toEqual([]);
    const reopened = [...moved('Cancelled'), ...decided(task, moved('Cancelled'), 'reopen', {})];
    expect(stateOf(task, reopened)?.status).toBe('Open');
  });
});
