import { createHash } from 'node:crypto';
import { Rejection } from '@weft/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Told } from '../aggregate.js';
import { type RegisterRepository, decide } from './decide.js';
import { repositoryEvent } from './events.js';
import type { RepositoryEvent } from './events.js';
import { repositoryIdOf } from './identity.js';
import { evolve } from './state.js';
import type { RegisteredRepository } from './state.js';

const root = 'a'.repeat(40);
const told: Told = { at: '2024-05-06T07:08:09.000Z', by: 'operate' };
const registered: RepositoryEvent = {
  type: 'RepositoryRegistered',
  v: 1,
  repositoryId: 'repo-1',
  path: '/projects/one',
  label: 'one',
  rootCommits: [root],
};

function after(...events: RepositoryEvent[]): RegisteredRepository | undefined {
  let state: RegisteredRepository | undefined;
  for (const event of events) state = evolve(state, event, told);
  return state;
}

function register(state: RegisteredRepository | undefined, wanted: Partial<RegisterRepository>) {
  return decide.register(state, { repositoryId: 'repo-1', path: '/projects/one', rootCommits: [root], ...wanted });
}

describe('registering a repository', () => {
  it('given nothing, records what was found', () => {
    expect(register(undefined, { label: 'one' })).toEqual([registered]);
  });

  it('given nothing, leaves out a label that was not given', () => {
    expect(Object.keys(register(undefined, {})[0] ?? {})).not.toContain('label');
  });

  it('given the same path, changes nothing, whatever the label', () => {
    expect(register(after(registered), { label: 'other' })).toEqual([]);
  });

  it('given its own path, at which another was registered meanwhile, has it again', () => {
    const events = register(after(registered), { turn: 2 });
    expect(events).toEqual([{ type: 'RepositoryMoved', v: 2, repositoryId: 'repo-1', path: '/projects/one', turn: 2 }]);
    expect(register(after(registered, ...events), { turn: 2 })).toEqual([]);
  });

  it('given another path that may still hold it, refuses and says where it is', () => {
    const attempt = () => register(after(registered), { path: '/projects/two' });
    expect(attempt).toThrow(
      expect.objectContaining({
        reason: 'reject.repository_registered_elsewhere',
        data: { repositoryId: 'repo-1', path: '/projects/one' },
      }),
    );
    expect(attempt).toThrow(Rejection);
  });

  it('given a path that holds it no more, moves there', () => {
    const events = register(after(registered), { path: '/projects/two', abandonedPath: '/projects/one' });
    expect(events).toEqual([{ type: 'RepositoryMoved', v: 1, repositoryId: 'repo-1', path: '/projects/two' }]);
    expect(after(registered, ...events)).toMatchObject({ path: '/projects/two', label: 'one', registeredAt: told.at });
  });

  it('given that it has moved since its path was looked at, refuses', () => {
    const moved = after(registered, {
      type: 'RepositoryMoved',
      v: 1,
      repositoryId: 'repo-1',
      path: '/projects/three',
    });
    expect(() => register(moved, { path: '/projects/two', abandonedPath: '/projects/one' })).toThrow('/projects/three');
  });
});

describe('evolve', () => {
  const text = fc.string();
  const event: fc.Arbitrary<RepositoryEvent> = fc.oneof(
    fc.record({
      type: fc.constant('RepositoryRegistered' as const),
      v: fc.constant(1 as const),
      repositoryId: text,
      path: text,
      rootCommits: fc.array(text),
    }),
    fc.record({
      type: fc.constant('RepositoryMoved' as const),
      v: fc.constant(1 as const),
      repositoryId: text,
      path: text,
    }),
  );

  it('is total: any events in any order give a state, and never change the one before', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        let state: RegisteredRepository | undefined;
        for (const one of events) state = Object.freeze(evolve(state, Object.freeze(one), told));
        expect(state !== undefined).toBe(events.some((one) => one.type === 'RepositoryRegistered'));
      }),
    );
  });

  it('keeps the first registration when a second one is in the stream', () => {
    expect(after(registered, { ...registered, path: '/elsewhere' })).toEqual(after(registered));
  });

  it('reads back what decide writes', () => {
    for (const one of register(undefined, { label: 'x' })) expect(repositoryEvent.parse(one)).toEqual(one);
  });
});

describe('identity', () => {
  it('follows from the distinct root commits in order, and from nothing else', () => {
    const other = 'b'.repeat(40);
    const digest = createHash('sha256').update(`${root}\n${other}`).digest('hex');
    expect(repositoryIdOf([other, root, other])).toBe(`repo-${digest.slice(0, 32)}`);
    expect(repositoryIdOf([root])).toBe('repo-e33cdf9c7f7120b98e8c78408953e07f');
  });

  it('does not exist without a root commit', () => {
    expect(repositoryIdOf([])).toBeUndefined();
  });
});
