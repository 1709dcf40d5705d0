import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import { faultOf, HELLO, never } from '../../../testing/models/provider-battery.js';
import type { ModelTurn, ModelUsage, Provider, Retry } from '../../provider.js';
import { PROVIDER_FAULTS, ProviderError } from '../../provider.js';
import { type Retries, withRetries } from './with-retries.js';

const turn: ModelTurn = {
  text: 'Well.',
  calls: [],
  stop: 'end',
  usage: { inputTokens: 10, cachedInputTokens: 5, outputTokens: 1 },
};

/** Fails in these ways, and then answers. */
function failing(faults: readonly ProviderError[]): Provider & { asked: number } {
  const provider = {
    name: 'failing',
    asked: 0,
    turn: () => {
      const fault = faults[provider.asked];
      provider.asked += 1;
      return fault ? Promise.reject(fault) : Promise.resolve(turn);
    },
  };
  return provider;
}

/** A clock whose time goes as soon as somebody waits. */
function eagerClock(): ManualClock & { waits: number[] } {
  const clock = Object.assign(new ManualClock(), { waits: [] as number[] });
  const after = clock.after.bind(clock);
  clock.after = (ms, call) => {
    clock.waits.push(ms);
    queueMicrotask(() => {
      clock.pass(ms);
    });
    return after(ms, call);
  };
  return clock;
}

const busy = (retryAfterMs?: number, spent?: ModelUsage) =>
  new ProviderError('overloaded', 'no time', { retryAfterMs, spent });

describe('asking again', () => {
  it('waits twice as long each time, and a little more', async () => {
    const clock = eagerClock();
    const retries: Retry[] = [];
    const options: Retries = { clock, random: () => 0.5 };
    const asked = { signal: never(), onRetry: (retry: Retry) => retries.push(retry) };
    const provider = failing([busy(), busy(), busy()]);
    expect(await withRetries(provider, options).turn(HELLO, asked)).toEqual(turn);
    expect(clock.waits).toEqual([1125, 2125, 4125]);
    expect(retries.map(({ attempt, most, delayMs }) => [attempt, most, delayMs])).toEqual([
      [1, 5, 1125],
      [2, 5, 2125],
      [3, 5, 4125],
    ]);
  });

  it('waits as long as the vendor says, and not at all when that is too long', async () => {
    const clock = eagerClock();
    const options: Retries = { clock, random: () => 0.5, longestMs: 60_000 };
    await withRetries(failing([busy(7000), busy(0)]), options).turn(HELLO, { signal: never() });
    expect(clock.waits).toEqual([7000, 0]);
    const patient = failing([busy(60_001)]);
    const fault = await faultOf(withRetries(patient, options).turn(HELLO, { signal: never() }));
    expect([fault.fault, fault.retryAfterMs, patient.asked]).toEqual(['overloaded', 60_001, 1]);
  });

  it('adds up what was spent, whether it ends well or not', async () => {
    const spent = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 3 };
    const options: Retries = { clock: eagerClock(), random: () => 0 };
    const half = busy(undefined, spent);
    const { usage } = await withRetries(failing([half, busy(), half]), options).turn(HELLO, { signal: never() });
    expect(usage).toEqual({ inputTokens: 210, cachedInputTokens: 5, outputTokens: 7 });
    const all = failing(Array<ProviderError>(6).fill(half));
    expect((await faultOf(withRetries(all, options).turn(HELLO, { signal: never() }))).spent).toEqual({
      inputTokens: 600,
      cachedInputTokens: 0,
      outputTokens: 18,
    });
  });

  it('stops at once while it waits, and leaves no timer', async () => {
    const clock = new ManualClock();
    let timers = 0;
    const after = clock.after.bind(clock);
    clock.after = (ms, call) => {
      timers += 1;
      const callOff = after(ms, call);
      return () => {
        timers -= 1;
        callOff();
      };
    };
    const stop = new AbortController();
    const provider = failing([busy()]);
    let waits: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (waits = resolve));
    const retried = withRetries(provider, { clock, random: () => 0 });
    const fault = faultOf(retried.turn(HELLO, { signal: stop.signal, onRetry: waits }));
    await waiting;
    stop.abort();
    expect((await fault).fault).toBe('stopped');
    expect([provider.asked, timers]).toEqual([1, 0]);
  });

  it('leaves what is a bug alone', async () => {
    const provider: Provider = { name: 'broken', turn: () => Promise.reject(new TypeError('a bug')) };
    const retried = withRetries(provider, { clock: eagerClock(), random: () => 0 });
    await expect(retried.turn(HELLO, { signal: never() })).rejects.toThrow(TypeError);
  });

  it('asks again exactly as long as that may help, never waits longer than it may, and tells of every wait', async () => {
    const fault = fc
      .record({ kind: fc.constantFrom(...PROVIDER_FAULTS), wait: fc.option(fc.nat(100_000), { nil: undefined }) })
      .map(({ kind, wait }) => new ProviderError(kind, 'no', { retryAfterMs: wait }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 8 }),
        fc.nat(5),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        async (faults, most, chance) => {
          const longestMs = 60_000;
          const clock = eagerClock();
          const told: number[] = [];
          const provider = failing(faults);
          const retried = withRetries(provider, { clock, random: () => chance, most, longestMs });
          const mayHelp = ({ passing, fault, retryAfterMs = 0 }: ProviderError): boolean =>
            passing && fault !== 'malformed' && retryAfterMs <= longestMs;
          const first = faults.findIndex((one) => !mayHelp(one));
          const helpless = first === -1 ? faults.length : first;
          const fails = helpless < faults.length || faults.length > most;
          const onRetry = ({ delayMs }: Retry): number => told.push(delayMs);
          const result = retried.turn(HELLO, { signal: never(), onRetry });
          if (fails) await faultOf(result);
          else await result;
          expect(provider.asked).toBe(Math.min(helpless, most) + 1);
          expect(told).toEqual(clock.waits);
          expect(told).toHaveLength(provider.asked - 1);
          for (const [place, ms] of told.entries()) {
            expect(ms).toBeLessThanOrEqual(longestMs);
            const asked = faults[place]?.retryAfterMs;
            if (asked !== undefined) expect(ms).toBe(asked);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
