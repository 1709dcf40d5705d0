import { describe, expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { Entry, type EntryOptions, REQUIREMENTS } from './entry.js';

const entryOf = (options: EntryOptions) => new Entry(options, { clock: new ManualClock(), onFault: () => undefined });
const creates = (entry: Entry, caps: readonly string[] = []) =>
  ['own/a', 'other'].map((room) => entry.mayCreate(room, { capabilities: new Set(caps) }));

describe('an entry', () => {
  it('[AU8] asks for one of three things, and for nothing where it is not said', () => {
    expect(REQUIREMENTS).toEqual(['open', 'key', 'token']);
    expect(entryOf({}).require).toBe('open');
    expect(entryOf({ require: 'token' }).require).toBe('token');
    expect(entryOf({}).hook).toBeUndefined();
    expect(entryOf({ authenticate: () => 'pass' }).hook).toBeDefined();
  });

  it('[AU8] lets rooms be begun by their ids, or by a capability', () => {
    expect(creates(entryOf({}))).toEqual([true, true]);
    const some = entryOf({ createRooms: ['own/*'] });
    expect(creates(some)).toEqual([true, false]);
    expect(creates(some, ['room.create'])).toEqual([true, true]);
    expect(creates(some, ['room.admin'])).toEqual([true, false]);
  });
});
