import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { deadLetter } from './dead-letter.js';

const given = {
  entryId: 'DL-1',
  workUnitId: 'wu-1',
  profileId: 'worker',
  attemptCount: 1,
  maxAttemptsReached: false,
  kind: 'Stalled' as const,
  failureReason: 'no progress',
};
const failed = decided(deadLetter, [], 'fail', given);

describe('a dead letter', () => {
  it('says what went wrong and when', () => {
    const { failureReason: reason, ...rest } = given;
    expect(stateOf(deadLetter, failed)).toEqual({ ...rest, reason, occurredAt: told.at });
  });

  it('is dealt with once', () => {
    const resolved = [...failed, ...decided(deadLetter, failed, 'resolve', { resolution: 'Retried' })];
    expect(stateOf(deadLetter, resolved)).toMatchObject({ resolution: 'Retried', resolvedAt: told.at });
    expect(() => decided(deadLetter, resolved, 'resolve', { resolution: 'Replanned' })).toThrow('already: Retried');
    expect(() => decided(deadLetter, [], 'resolve', { resolution: 'Retried' })).toThrow('no dead letter');
  });

  it('has no place for a key', () => {
    const [event] = failed;
    expect(deadLetter.event.parse({ ...event, apiKey: 'secret' })).not.toHaveProperty('apiKey');
  });
});
