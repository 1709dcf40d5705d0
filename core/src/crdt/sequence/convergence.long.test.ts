/** `convergence.test.ts` with three times as many seeds. */
import { describe, expect, it } from 'vitest';
import { converge } from './testing/converge.js';

describe('replicas converge to the naive tree', () => {
  it('with three authors who hear of each other soon', () => {
    expect(converge(1, 250, { authors: 3, edits: 100, editing: 20 })).toBeGreaterThan(60_000);
  });

  it('with authors who work apart for long', () => {
    expect(converge(10_000, 120, { authors: 4, edits: 160, editing: 60 })).toBeGreaterThan(60_000);
  });

  it('with many authors', () => {
    expect(converge(20_000, 30, { authors: 9, edits: 300, editing: 40 })).toBeGreaterThan(60_000);
  });

  it('with documents of many leaves and groups', () => {
    expect(converge(30_000, 2, { authors: 3, edits: 6_000, editing: 50 })).toBeGreaterThan(30_000);
  });
});
