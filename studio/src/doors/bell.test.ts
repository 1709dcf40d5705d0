import { describe, expect, it, vi } from 'vitest';
import { Bell } from './bell.js';

/** A feed of which only its listeners count. */
function feed() {
  const listeners = new Set<() => void>();
  const happen = (): void => listeners.forEach((listener) => listener());
  const onEvent = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return { listeners, happen, bell: new Bell({ onEvent } as never) };
}

describe('the bell', () => {
  it('wakes a few at once, and listens only while somebody waits', async () => {
    const { bell, listeners, happen } = feed();
    const waits = [bell.wait(60_000), bell.wait(60_000)];
    expect(listeners.size).toBe(1);
    happen();
    expect(await Promise.all(waits.map(({ rung }) => rung))).toEqual([true, true]);
    expect(listeners.size).toBe(0);
  });

  it('wakes many together, for all that has come by then', async () => {
    vi.useFakeTimers();
    const { bell, happen } = feed();
    let woken = 0;
    const waits = Array.from({ length: 100 }, () => bell.wait(60_000).rung.then(() => woken++));
    for (let n = 0; n < 5; n++) happen();
    await vi.advanceTimersByTimeAsync(9);
    expect(woken).toBe(0);
    await vi.advanceTimersByTimeAsync(2);
    expect(woken).toBe(100);
    await Promise.all(waits);
    vi.useRealTimers();
  });

  it('lets go whoever has waited long, or does not want to wait any more', async () => {
    const { bell, listeners } = feed();
    expect(await bell.wait(1).rung).toBe(false);
    const { rung, stop } = bell.wait(60_000);
    stop();
    expect(await rung).toBe(true);
    expect(listeners.size).toBe(0);
  });
});
