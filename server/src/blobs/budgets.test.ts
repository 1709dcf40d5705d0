import { describe, expect, it } from 'vitest';
import { parseBlobHash, parseRoomId } from '@weft/core';
import { ManualClock } from '@weft/core/testing';
import { Budgets } from './budgets.js';
import type { Grant, LinkMethod } from './links.js';

const room = parseRoomId('room');
const hash = parseBlobHash('ab'.repeat(32));
const MIB = 1024 * 1024;

function grant(id: string, method: LinkMethod = 'PUT'): Grant {
  if (!room || !hash) throw new Error('bad names');
  return { method, room, hash, size: 10 * MIB, expires: 1_700_000_900, id };
}

describe('the budget of a link', () => {
  it('[BL7] is a few times its blob, each link for itself', () => {
    const budgets = new Budgets(new ManualClock());
    for (let use = 0; use < 4; use++) expect(budgets.take(grant('a'), 10 * MIB, 10 * MIB)).toBeDefined();
    expect(budgets.take(grant('a'), 10 * MIB, 10 * MIB)).toBeUndefined();
    expect(budgets.take(grant('b'), 10 * MIB, 10 * MIB)).toBeDefined();
    for (let use = 0; use < 17; use++) expect(budgets.take(grant('c', 'GET'), 10 * MIB, 10 * MIB)).toBeDefined();
    expect(budgets.take(grant('c', 'GET'), 10 * MIB, 10 * MIB)).toBeUndefined();
  });

  it('[BL7] takes back what was not moved, but no request is free', () => {
    const budgets = new Budgets(new ManualClock());
    let uses = 0;
    for (; uses < 10_000; uses++) {
      const giveBack = budgets.take(grant('a'), MIB, MIB);
      if (!giveBack) break;
      giveBack(MIB);
    }
    // Four blobs and one MiB, less the last that must fit, at 16 KiB a request.
    expect(uses).toBe((4 * MIB) / (16 * 1024));
    let empty = 0;
    while (empty < 10_000 && budgets.take(grant('b', 'GET'), 0, 0)) empty++;
    expect(empty).toBe((16 * MIB) / (16 * 1024));
  });

  it('[BL7] is forgotten for expired links, and for the oldest when there are too many', () => {
    const clock = new ManualClock();
    const budgets = new Budgets(clock);
    const spend = (link: string): void => {
      while (budgets.take(grant(link), MIB, MIB));
    };
    spend('first');
    for (let i = 0; i < 65_535; i++) budgets.take(grant(`more ${i}`), MIB, 0);
    spend('last');
    expect(budgets.take(grant('last'), MIB, MIB)).toBeUndefined();
    expect(budgets.take(grant('first'), MIB, MIB)).toBeDefined();
  });
});
