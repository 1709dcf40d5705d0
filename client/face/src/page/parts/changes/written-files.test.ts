import { expect, it } from 'vitest';
import { filesIn } from './written-files.js';

interface Called {
  readonly name: string;
  readonly input: unknown;
  readonly isError?: boolean;
  readonly isOpen?: boolean;
}

const turn = (minute: number, ...calls: readonly Called[]) => ({
  occurredAt: `2026-01-01T00:0${minute}:00.000Z`,
  toolCalls: calls.map(({ name, input }, at) => ({
    toolUseId: `${minute}-${at}`,
    name,
    inputJson: typeof input === 'string' ? input : JSON.stringify(input),
  })),
  toolResults: calls.flatMap(({ isError = false, isOpen = false }, at) =>
    isOpen ? [] : [{ toolUseId: `${minute}-${at}`, result: '', truncated: false, isError }],
  ),
});

it('files that were written are told once, the last first; what only reads, was refused or has not ended is none', () => {
  const files = filesIn([
    turn(0, { name: 'svc_v1_workspace_write', input: { path: 'a.ts' } }, { name: 'view', input: { path: 'read.ts' } }),
    turn(1, { name: 'Edit', input: { file_path: 'b.ts' } }, { name: 'TodoWrite', input: { path: 'no.ts' } }),
    turn(2, { name: 'edit', input: { path: 'a.ts' } }, { name: 'write', input: { path: 'no.ts' }, isError: true }),
    turn(
      3,
      { name: 'move', input: { from: 'b.ts', to: 'c.ts' } },
      { name: 'write', input: { path: 'x' }, isOpen: true },
    ),
    turn(4, { name: 'delete', input: { path: 'old.ts' } }, { name: 'write', input: '{ no JSON' }),
  ]);
  expect(files.map(({ path, does, times, at }) => [path, does, times, at.slice(14, 16)])).toEqual([
    ['old.ts', 'deleted', 1, '04'],
    ['c.ts', 'moved', 1, '03'],
    ['a.ts', 'written', 2, '02'],
    ['b.ts', 'written', 1, '01'],
  ]);
});

it('a patch names its files, those that it deletes too', () => {
  const patch = [
    '*** Update File: src/one.ts',
    '--- a/two.ts',
    '+++ b/two.ts',
    '+++ is a line that was added',
    '--- a/gone.ts',
    '+++ /dev/null',
  ].join('\n');
  const names = filesIn([turn(0, { name: 'patch', input: { patch } })]).map(({ path }) => path);
  expect(names).toEqual(expect.arrayContaining(['src/one.ts', 'two.ts', 'gone.ts']));
  expect(names).not.toContain('/dev/null');
});
