import { describe, expect, it } from 'vitest';
import type { RepositoryEvent } from '../aggregates/repository/events.js';
import { Repositories } from './repositories.js';

const meta = { at: 'then', by: 'operate' };

function registered(repositoryId: string, path: string): RepositoryEvent {
  return { type: 'RepositoryRegistered', v: 1, repositoryId, path, rootCommits: [] };
}

function stored(id: string, position: number, event: unknown) {
  return { key: `studio/repository/${id}/${position}`, aggregate: 'repository', id, position, event, meta };
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

  it('gives a path to whoever registered it last', () => {
    const view = viewOf(registered('a', '/x'), registered('b', '/x'));
    expect(view.atPath('/x')?.repositoryId).toBe('b');
    expect(view.all().map(({ repositoryId }) => repositoryId)).toEqual(['b']);
  });

  it('lists a displaced repository again at its new path', () => {
    const moved = { type: 'RepositoryMoved', v: 1, repositoryId: 'a', path: '/y' } as const;
    const view = viewOf(registered('a', '/x'), registered('b', '/x'), moved);
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
