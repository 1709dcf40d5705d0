import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RepositoryEvent } from '../aggregates/repository/events.js';
import { Repositories } from './repositories.js';

const meta = { at: '2026-01-01', by: 'operate' };

function registered(repositoryId: string, path: string) {
  const type = 'RepositoryRegistered' as const;
  return { type, v: 1 as const, repositoryId, path, rootCommits: [] };
}

function stored(id: string, position: number, event: unknown, at = meta.at) {
  const key = `studio/repository/${id}/${position}`;
  return { key, aggregate: 'repository', id, position, event, meta: { ...meta, at } };
}

function viewOf(...events: RepositoryEvent[]): Repositories {
  const view = new Repositories();
  for (const event of events) {
    view.fold(stored(event.repositoryId, view.version(event.repositoryId), event));
  }
  return view;
}

describe('the repositories view', () => {
  it('finds a repository by its id and by its path', () => {
    const view = viewOf(registered('a', '/a'), registered('b', '/b'));
    expect(view.get('b')).toBe(view.atPath('/b'));
    expect(view.all().map(({ repositoryId }) => repositoryId)).toEqual(['a', 'b']);
  });

  it('gives a path to whoever was registered there last, whatever the clock said', () => {
    const view = viewOf(registered('b', '/x'));
    expect([view.turnOf('b', '/x'), view.turnOf('a', '/x'), view.turnOf('a', '/y')]).toEqual([0, 1, 0]);
    view.fold(stored('a', 0, { ...registered('a', '/x'), v: 2, turn: 1 }, '2025-01-01'));
    expect(view.atPath('/x')?.repositoryId).toBe('a');
    expect(view.all().map(({ repositoryId }) => repositoryId)).toEqual(['a']);
    // The folder holds the first again.
    const back = { type: 'RepositoryMoved', repositoryId: 'b', path: '/x', v: 2, turn: view.turnOf('b', '/x') };
    view.fold(stored('b', 1, back));
    expect(view.atPath('/x')?.repositoryId).toBe('b');
  });

  it('gives it to the same, in whatever order it hears of them', () => {
    const PATHS = ['/x', '/y'];
    const claim = fc.record({ path: fc.constantFrom(...PATHS), turn: fc.nat(2), at: fc.constantFrom('2025', '2026') });
    const streams = fc.record({
      a: fc.array(claim, { maxLength: 4 }),
      b: fc.array(claim, { maxLength: 4 }),
      c: fc.array(claim, { maxLength: 4 }),
    });
    fc.assert(
      fc.property(streams, fc.array(fc.constantFrom('a', 'b', 'c')), (claims, order) => {
        const told = (order: readonly string[]) => {
          const view = new Repositories();
          const left = new Map(Object.entries(claims).map(([id, stream]) => [id, [...stream]]));
          const all = [...order, ...['a', 'b', 'c'].flatMap((id) => claims[id as 'a'].map(() => id))];
          for (const id of all) {
            const next = left.get(id)?.shift();
            if (!next) continue;
            const { path, turn, at } = next;
            const position = view.version(id);
            const type = position === 0 ? 'RepositoryRegistered' : 'RepositoryMoved';
            view.fold(stored(id, position, { type, v: 2, repositoryId: id, path, turn, rootCommits: [] }, at));
          }
          return [
            PATHS.map((path) => view.atPath(path)?.repositoryId),
            view
              .all()
              .map(({ path }) => path)
              .sort(),
          ];
        };
        expect(told(order)).toEqual(told([]));
      }),
    );
  });

  it('lists a displaced repository again at its new path', () => {
    const moved = { type: 'RepositoryMoved', v: 1, repositoryId: 'a', path: '/y' } as const;
    const second = { ...registered('b', '/x'), v: 2, turn: 1 } as const;
    const view = viewOf(registered('a', '/x'), second, moved);
    expect(view.all().map(({ repositoryId, path }) => [repositoryId, path])).toEqual([
      ['a', '/y'],
      ['b', '/x'],
    ]);
  });

  it('does not answer for a path that a repository has left', () => {
    const moved = { type: 'RepositoryMoved', v: 1, repositoryId: 'a', path: '/y' } as const;
    expect(viewOf(registered('a', '/x'), moved).atPath('/x')).toBeUndefined();
  });

  it('says when it cannot read an event, and stays as it was', () => {
    const view = viewOf(registered('a', '/a'));
    const before = view.all();
    expect(view.fold(stored('a', 1, { type: 'Unheard' }))).toBe('unreadable');
    expect(view.all()).toEqual(before);
  });
});
