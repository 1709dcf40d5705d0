import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventKey, foldStream, storedEvent, streamPrefix } from './stream.js';

const counter = { event: z.literal('one'), evolve: (state: number) => state + 1 };

describe('stream keys', () => {
  it('are studio/<aggregate>/<id>/<n>', () => {
    expect(eventKey(streamPrefix('repository', 'repo-1'), 0)).toBe('studio/repository/repo-1/0');
  });

  it('keep an id with slashes in one segment, and every id apart', () => {
    expect(streamPrefix('branch', 'merge/w1')).toBe('studio/branch/merge%2Fw1');
    expect(streamPrefix('branch', 'merge%2Fw1')).not.toBe(streamPrefix('branch', 'merge/w1'));
  });

  it('are read back as they were written, whatever the id', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (id, position) => {
        const stored = storedEvent(eventKey(streamPrefix('branch', id), position), 'value');
        expect(stored).toEqual({ aggregate: 'branch', id, position, event: 'value' });
      }),
    );
  });

  it.each([
    'notes/x',
    'studio/repository/x',
    'studio/repository/x/01',
    'studio/repository/x/0/y',
    'studio/repository/x/-1',
  ])('do not claim %s', (key) => {
    expect(storedEvent(key, 'value')).toBeUndefined();
  });
});

describe('folding', () => {
  it('goes on from a known prefix until the stream ends', () => {
    const room = new Map([0, 1, 2].map((n) => [`s/${n}`, 'one']));
    const read: string[] = [];
    const get = (key: string): unknown => {
      read.push(key);
      return room.get(key);
    };
    expect(foldStream(counter, 's', { state: 2, next: 2 }, get)).toEqual({ state: 3, next: 3 });
    expect(read).toEqual(['s/2', 's/3']);
  });

  it('refuses a stream with an event that it cannot read', () => {
    const room = new Map<string, unknown>([['s/0', { type: 'FromTheFuture' }]]);
    expect(() => foldStream(counter, 's', { state: 0, next: 0 }, (key) => room.get(key))).toThrow(
      expect.objectContaining({ reason: 'reject.event_not_understood', data: { key: 's/0' } }),
    );
  });
});
