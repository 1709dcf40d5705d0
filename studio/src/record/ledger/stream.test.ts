import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventKey, storedEvent } from './stream.js';

describe('stream keys', () => {
  it('are studio/<aggregate>/<id>/<n>', () => {
    expect(eventKey('repository', 'repo-1', 0)).toBe('studio/repository/repo-1/0');
  });

  it('keep an id with slashes in one segment, and every id apart', () => {
    expect(eventKey('branch', 'merge/w1', 2)).toBe('studio/branch/merge%2Fw1/2');
    expect(eventKey('branch', 'merge%2Fw1', 2)).not.toBe(eventKey('branch', 'merge/w1', 2));
  });

  it('are read back as they were written, whatever the id', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (id, position) => {
        const key = eventKey('branch', id, position);
        const stored = storedEvent(key, 'value');
        expect(stored).toEqual({ key, aggregate: 'branch', id, position, event: 'value', meta: { at: '', by: '' } });
      }),
    );
  });

  it.each(['', '%', '%2F', '%25', '%252F', 'a/b%2Fc%', '/', '//'])('hold the id %j', (id) => {
    const key = eventKey('branch', id, 3);
    expect(key.split('/')).toHaveLength(4);
    expect(storedEvent(key, 'value')).toMatchObject({ id, position: 3 });
  });

  it.each([
    'notes/x',
    'studio/repository/x',
    'studio/repository/x/01',
    'studio/repository/x/0/y',
    'studio/repository/x/-1',
    'studio/repository/x/one',
    'studio/repository/x/1234567890123456',
  ])('do not claim %s', (key) => {
    expect(storedEvent(key, 'value')).toBeUndefined();
  });
});

describe('what is stored with an event', () => {
  const key = eventKey('task', 't', 0);

  it('is read with it', () => {
    const meta = { at: 'then', by: 'operate', workUnitId: 'wu-1', sessionId: 'ses-1', cause: 'studio/task/t/9' };
    expect(storedEvent(key, { type: 'TaskCreated', meta })?.meta).toEqual(meta);
  });

  it('is read without what this version does not know of it', () => {
    const meta = { at: 'then', by: 'operate', other: 'x' };
    expect(storedEvent(key, { type: 'TaskCreated', meta })?.meta).toEqual({ at: 'then', by: 'operate' });
  });

  it.each([{ at: 7, by: 'operate' }, { at: 'then' }, 'text', null])(
    'is nothing where it cannot be read: %j',
    (meta) => {
      expect(storedEvent(key, { type: 'TaskCreated', meta })?.meta).toEqual({ at: '', by: '' });
    },
  );
});
