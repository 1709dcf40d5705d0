import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { IdleCollection } from './idle-collection.js';

const MB = 1e6;

/** A thread that works, fills up and is looked at as the test says. */
function makeThread() {
  const thread = {
    share: 0,
    live: 60 * MB,
    garbage: 0,
    collections: 0,
    worked: () => thread.share,
    taken: () => thread.live + thread.garbage,
    collect: () => {
      thread.collections++;
      thread.garbage = 0;
    },
  };
  const idle = new IdleCollection(thread);
  const looks = (count: number, share: number): number => {
    const before = thread.collections;
    thread.share = share;
    for (let i = 0; i < count; i++) idle.look();
    return thread.collections - before;
  };
  return { thread, idle, looks };
}

describe('IdleCollection', () => {
  it('collects once in each time of idleness that follows work', () => {
    const { thread, looks } = makeThread();
    expect(looks(100, 0)).toBe(1);
    for (let burst = 0; burst < 3; burst++) {
      thread.garbage = 200 * MB;
      expect(looks(20, 0.5)).toBe(0);
      expect(looks(1, 0)).toBe(0);
      expect(looks(100, 0)).toBe(1);
      expect(thread.garbage).toBe(0);
    }
  });

  it('does not collect in a short pause', () => {
    const { thread, looks } = makeThread();
    looks(2, 0);
    thread.garbage = 200 * MB;
    for (let pause = 0; pause < 10; pause++) {
      expect(looks(1, 0.5)).toBe(0);
      expect(looks(1, 0)).toBe(0);
    }
  });

  it('leaves a little garbage, and of a large heap no more than a quarter', () => {
    const { thread, looks } = makeThread();
    looks(2, 0);
    thread.garbage = 15 * MB;
    expect(looks(10, 0)).toBe(0);
    thread.live = 1000 * MB;
    expect(looks(10, 0)).toBe(1);
    thread.garbage = 240 * MB;
    expect(looks(10, 0)).toBe(0);
    thread.garbage = 260 * MB;
    expect(looks(10, 0)).toBe(1);
  });

  it('collects what rooms have left that went while nothing else happened, and nothing for rooms that are there', () => {
    const { thread, idle, looks } = makeThread();
    let rooms = 0;
    idle.hearing({ record: () => undefined }).watch?.('rooms_bytes', () => rooms);
    looks(2, 0);
    rooms = 300 * MB;
    thread.live += rooms;
    expect(looks(100, 0)).toBe(0);
    thread.garbage = 200 * MB;
    expect(looks(100, 0)).toBe(1);
    thread.live -= rooms;
    thread.garbage = rooms;
    rooms = 0;
    expect(looks(100, 0)).toBe(1);
  });

  it('hears of the rooms of a host, and passes on what the host tells', async () => {
    const { thread, idle, looks } = makeThread();
    const watched: string[] = [];
    const recorded: string[] = [];
    const telemetry = idle.hearing({
      record: (metric) => void recorded.push(metric),
      watch: (metric) => void watched.push(metric),
    });
    const host = createHost({ store: memoryStore(), telemetry });
    looks(2, 0);
    const room = await host.room('plans');
    await room.set('title', 'Road map');
    await host.close();
    expect(watched).toContain('rooms_bytes');
    expect(recorded).toContain('rooms');
    expect(thread.collections).toBe(1);
  });

  it('collects the garbage of this thread, and leaves no collector for others to find', async () => {
    const gone = new WeakRef({});
    await new Promise((resolve) => setImmediate(resolve)); // a reference that was made in this turn is kept for its length
    const idle = new IdleCollection();
    idle.look();
    const hasGone = async (): Promise<boolean> => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      idle.look();
      return gone.deref() === undefined;
    };
    await expect.poll(hasGone, { timeout: 60_000 }).toBe(true);
    expect(runInNewContext('typeof gc')).toBe('undefined');
  });
});
