import type { ColdMoves, ColdTier, Notice } from '@weft/core';
import { ManualClock, MemoryCold } from '@weft/core/testing';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../metrics.js';
import { startColdMoves } from './cold-moves.js';
import { meteredCold } from './metered-cold.js';

const HOUR = 3_600_000;

/** Tier that answers what it is told, and notes how old is old enough. */
class Told implements ColdTier {
  readonly asked: number[] = [];
  answer: () => Promise<ColdMoves | undefined> = () => Promise.resolve({ objects: 0, bytes: 0 });

  move(olderThanMs: number): Promise<ColdMoves | undefined> {
    this.asked.push(olderThanMs);
    return this.answer();
  }

  bringBack = (): Promise<undefined> => Promise.resolve(undefined);
  usage = () => Promise.resolve({ objects: 3, bytes: 500, leftovers: 1 });
}

function started(cold: ColdTier) {
  const [clock, metrics, told] = [new ManualClock(), createMetrics({ ofProcess: false }), [] as Notice[]];
  const telemetry = { ...metrics.telemetry, tell: (notice: Notice) => void told.push(notice) };
  return { clock, metrics, told, telemetry, stop: startColdMoves({ cold, olderThanMs: 7, telemetry, clock }) };
}

describe('moves to the cold store', () => {
  it('are made at the start and every hour, and told when there were any', async () => {
    const cold = new Told();
    cold.answer = () => Promise.resolve({ objects: cold.asked.length - 1, bytes: 9 });
    const { clock, metrics, told, stop } = started(cold);
    await expect.poll(() => clock.timers).toBe(1);
    expect([cold.asked, told]).toEqual([[7], []]);
    clock.advance(HOUR);
    await expect.poll(() => clock.timers).toBe(1);
    expect(cold.asked).toEqual([7, 7]);
    expect(told).toMatchObject([{ level: 'info', about: { objects: 1, bytes: 9 } }]);
    const shown = await metrics.render();
    for (const line of ['weft_cold_objects 3', 'weft_cold_stored_bytes 500', 'weft_cold_leftovers 1'])
      expect(shown).toContain(line);
    await stop();
    expect(clock.timers).toBe(0);
  });

  it('that fail are told, counted, and tried again', async () => {
    const cold = new Told();
    cold.answer = () => Promise.reject(new Error('the bucket is away'));
    const { clock, metrics, told, stop } = started(cold);
    await expect.poll(() => clock.timers).toBe(1);
    expect(told).toMatchObject([{ level: 'error', error: { message: 'the bucket is away' } }]);
    expect(await metrics.render()).toContain('weft_cold_failed_total 1');
    clock.advance(HOUR);
    await expect.poll(() => cold.asked.length).toBe(2);
    await stop();
  });

  it('end with the server, which waits for the object under way', async () => {
    const cold = new Told();
    let end: (moved: ColdMoves) => void = () => undefined;
    cold.answer = () => new Promise((resolve) => (end = resolve));
    const { clock, stop } = started(cold);
    let isStopped = false;
    const stopping = stop().then(() => (isStopped = true));
    await Promise.resolve();
    expect(isStopped).toBe(false);
    end({ objects: 1, bytes: 1 });
    await stopping;
    expect(clock.timers).toBe(0);
  });
});

describe('a metered cold store', () => {
  it('counts what goes in and out, and what is not there', async () => {
    const metrics = createMetrics({ ofProcess: false });
    const cold = meteredCold(new MemoryCold(), metrics.telemetry);
    await cold.put('a', new Uint8Array(10));
    await cold.get('a');
    await cold.get('a');
    await cold.get('b');
    await cold.remove('a');
    const shown = await metrics.render();
    for (const line of ['{direction="in"} 10', '{direction="out"} 20'])
      expect(shown).toContain(`weft_cold_bytes_total${line}`);
    expect(shown).toContain('weft_cold_missing_total 1');
  });
});
