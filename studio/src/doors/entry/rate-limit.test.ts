import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startTestStudio } from '../../testing/test-studio.js';
import { RateLimiter } from './rate-limit.js';

function limiterAt(start = 0, limit = { perSecond: 200, burst: 400 }) {
  const clock = { now: start };
  return { clock, limiter: new RateLimiter(limit, () => clock.now) };
}

describe('the rate limit', () => {
  it('lets a burst through, then says how long to wait', () => {
    const { clock, limiter } = limiterAt(5);
    for (let n = 0; n < 400; n++) expect(limiter.take('a')).toBe(0);
    expect(limiter.take('a')).toBe(5);
    clock.now += 4;
    expect(limiter.take('a')).toBe(1);
    clock.now += 1;
    expect(limiter.take('a')).toBe(0);
    expect(limiter.take('a')).toBe(5);
  });

  it('is of each caller', () => {
    const { limiter } = limiterAt(0, { perSecond: 1, burst: 1 });
    expect([limiter.take('a'), limiter.take('b'), limiter.take('a')]).toEqual([0, 0, 1000]);
  });

  it('never lets more through in any time than the burst and what that time gives', () => {
    const steps = fc.array(fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 60 })), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (steps) => {
        const { clock, limiter } = limiterAt();
        const taken: number[] = [];
        for (const [pause, many] of steps) {
          clock.now += pause;
          for (let n = 0; n < many; n++) if (limiter.take('a') === 0) taken.push(clock.now);
        }
        for (const [index, from] of taken.entries()) {
          const to = taken.at(-1) ?? from;
          expect(taken.length - index).toBeLessThanOrEqual(400 + ((to - from) * 200) / 1000 + 1e-6);
        }
      }),
    );
  });

  it('forgets who has not asked for long, and only those', () => {
    const { clock, limiter } = limiterAt(0, { perSecond: 1, burst: 2 });
    for (let n = 0; n < 5000; n++) {
      limiter.take(`caller-${n}`);
      clock.now += 10;
    }
    expect(limiter.size).toBeLessThanOrEqual(1001);
    const { limiter: spent } = limiterAt(0, { perSecond: 1, burst: 1 });
    for (let n = 0; n < 2000; n++) spent.take(`caller-${n}`);
    expect(spent.take('caller-0')).toBeGreaterThan(0);
  });

  it('is answered with 429 and when to come again', async () => {
    const studio = await startTestStudio(undefined, { rateLimit: { perSecond: 0.001, burst: 2 } });
    const ask = () => studio.call('GET', '/studio/repositories');
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    const answer = await ask();
    expect(answer).toMatchObject({ status: 429, json: { code: 'reject.rate_limited', retryable: true } });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(900);
    expect((await studio.call('GET', '/studio/repositories', { as: 'read' })).status).toBe(200);
    expect((await studio.call('GET', '/studio/health', { as: undefined })).status).toBe(200);
  });
});
