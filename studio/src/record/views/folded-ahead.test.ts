/** What collections know beyond their states is taken back with them. */
import { describe, expect, it } from 'vitest';
import { command } from '../aggregates/command/command.js';
import type { Streams } from '../ledger/collection.js';
import { Newest } from '../ledger/newest.js';
import { storedEvent } from '../ledger/stream.js';
import { FileLeases } from './file-leases.js';
import { Repositories } from './repositories.js';
import { Usages } from './usages.js';

function teller(view: Streams) {
  return (how: 'fold' | 'foldAhead', id: string, said: object): void => {
    const key = `studio/${view.aggregate.name}/${id}/${view.version(id)}`;
    view[how](storedEvent(key, { v: 1, ...said, meta: { at: '2026', by: 'ann' } })!);
  };
}

describe('what was folded ahead', () => {
  it('leaves no claim to a path', () => {
    const view = new Repositories();
    const tell = teller(view);
    const registered = (repositoryId: string, path: string, turn: number) => ({
      type: 'RepositoryRegistered',
      v: 2,
      repositoryId,
      path,
      turn,
      rootCommits: [],
    });
    const shown = () => [
      view.all(),
      view.atPath('/x'),
      view.atPath('/y'),
      view.turnOf('b', '/x'),
      view.turnOf('b', '/y'),
    ];
    tell('fold', 'a', registered('a', '/x', 0));
    tell('fold', 'b', registered('b', '/y', 0));
    const before = shown();
    tell('foldAhead', 'b', { type: 'RepositoryMoved', v: 2, repositoryId: 'b', path: '/x', turn: 1 });
    tell('foldAhead', 'c', registered('c', '/y', 1));
    expect(view.atPath('/x')?.repositoryId).toBe('b');
    view.takeBack();
    expect(shown()).toEqual(before);
  });

  it('leaves no contention', () => {
    const view = new FileLeases();
    const tell = teller(view);
    const contended = (requestingWorkUnitId: string) => ({
      type: 'FileLeaseContended',
      goalId: 'g',
      path: 'p',
      requestingWorkUnitId,
      holderWorkUnitId: 'wu-1',
    });
    tell('fold', 'l', { type: 'FileLeaseAcquired', goalId: 'g', path: 'p', workUnitId: 'wu-1' });
    tell('fold', 'l', contended('wu-2'));
    const before = [[...view.contentions], view.all()];
    tell('foldAhead', 'l', contended('wu-3'));
    expect(view.contentions).toHaveLength(2);
    view.takeBack();
    expect([view.contentions, view.all()]).toEqual(before);
  });

  it('leaves nothing read or searched for', () => {
    const view = new Usages();
    const tell = teller(view);
    const read = { type: 'WorkspaceReadExecuted', workUnitId: 'wu-1', branchId: 'b', paths: ['p', 'q'] };
    const search = {
      type: 'WorkspaceSearchExecuted',
      workUnitId: 'wu-1',
      branchId: 'b',
      query: 'x',
      matchedPaths: [],
      matchCount: 1,
      truncated: false,
    };
    for (const said of [read, search]) tell('fold', 'wu-1', said);
    const before = [[...view.reads], [...view.searches]];
    for (const said of [search, read]) tell('foldAhead', 'wu-1', said);
    expect([view.reads.length, view.searches.length]).toEqual([4, 2]);
    view.takeBack();
    expect([view.reads, view.searches]).toEqual(before);
  });

  it('sends nothing away that is at hand', () => {
    const view = new Newest(command, 2);
    const tell = teller(view);
    const answered = { type: 'CommandAnswered', operation: 'o', input: 'i', answer: 1 };
    for (const id of ['a', 'b']) tell('fold', id, answered);
    for (const id of ['c', 'd', 'e']) tell('foldAhead', id, answered);
    expect(view.get('e')).toBeDefined();
    view.takeBack();
    expect(['a', 'b', 'c', 'e'].map((id) => view.version(id))).toEqual([1, 1, 0, 0]);
    tell('fold', 'c', answered);
    expect(view.all()).toHaveLength(2);
  });
});
