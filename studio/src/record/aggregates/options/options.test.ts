import { describe, expect, it } from 'vitest';
import { decided, stateOf } from '../../../testing/record/given.js';
import { DEFAULT_OPTIONS, options } from './options.js';

describe('options', () => {
  it('are changed one by one, and what is not said stays', () => {
    const first = decided(options, [], 'change', { maxConcurrentWorkers: 7, buildCommand: 'make' });
    expect(first).toEqual([{ type: 'OptionsChanged', v: 1, maxConcurrentWorkers: 7, buildCommand: 'make' }]);
    const second = decided(options, first, 'change', { maxConcurrentWorkers: 7, buildCommand: null });
    expect(second).toEqual([{ type: 'OptionsChanged', v: 1, buildCommand: null }]);
    expect(stateOf(options, [...first, ...second])).toEqual({ ...DEFAULT_OPTIONS, maxConcurrentWorkers: 7 });
    expect(decided(options, first, 'change', { maxConcurrentWorkers: 7 })).toEqual([]);
  });
});
