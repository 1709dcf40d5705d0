import { describe, expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { LIMITS } from '../wire/limits.js';
import { Inbox } from './inbox.js';

const limits = { ...LIMITS, nodesPerSecond: 1000, nodesBurst: 2000, bytesPerSecond: 1000, bytesBurst: 5000 };
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

describe('the rate of a peer', () => {
  it('[LM4] lets through what the burst holds, and makes the rest wait as long as it takes', async () => {
    const clock = new ManualClock();
    const inbox = new Inbox(limits, clock);
    expect(inbox.pack(2000, 10)).toBeUndefined();
    let isThrough = false;
    const waiting = inbox.pack(500, 10)?.then(() => (isThrough = true));
    clock.advance(499);
    await turns();
    expect(isThrough).toBe(false);
    clock.advance(1);
    await waiting;
    expect(isThrough).toBe(true);
    clock.advance(60_000);
    expect(inbox.pack(2000, 10)).toBeUndefined();
  });

  it('[LM4] counts bytes as well as nodes', () => {
    const inbox = new Inbox(limits, new ManualClock());
    expect(inbox.pack(1, 5000)).toBeUndefined();
    expect(inbox.pack(1, 1)).toBeDefined();
  });

  it('[LM4] keeps the order, however late its timers are', async () => {
    const clock = new ManualClock();
    let late: (() => void)[] = [];
    const inbox = new Inbox(limits, {
      now: () => clock.now(),
      after: (_, callback) => {
        late.push(callback);
        return () => undefined;
      },
    });
    const order: number[] = [];
    expect(inbox.pack(2000, 0)).toBeUndefined();
    const first = inbox.pack(1, 0)?.then(() => order.push(1));
    await turns();
    clock.advance(10_000); // its time has come, its timer has not
    const second = (inbox.pack(1, 0) ?? Promise.resolve()).then(() => order.push(2));
    await turns();
    expect(order).toEqual([]);
    const due = late;
    late = [];
    for (const callback of due) callback();
    await Promise.all([first, second]);
    expect(order).toEqual([1, 2]);
    expect(inbox.pack(1, 0)).toBeUndefined();
  });

  it('[LM4] is another one for frames without nodes', () => {
    const inbox = new Inbox({ ...limits, framesPerSecond: 10 }, new ManualClock());
    for (let i = 0; i < 40; i++) expect(inbox.frame(1)).toBeUndefined();
    expect(inbox.frame(1)).toBeDefined();
    expect(inbox.pack(1, 0)).toBeDefined(); // behind it
  });

  it('[LM2] what was not processed yet is bounded in bytes and in frames', () => {
    const inbox = new Inbox({ ...limits, inboxBytes: 1000 }, new ManualClock());
    expect([inbox.arrived(600), inbox.arrived(401)]).toEqual([true, false]);
    inbox.processed(600);
    expect(inbox.arrived(0)).toBe(true);
    const many = new Inbox(limits, new ManualClock());
    for (let i = 0; i < 10_000; i++) expect(many.arrived(0)).toBe(true);
    expect(many.arrived(0)).toBe(false);
  });
});
