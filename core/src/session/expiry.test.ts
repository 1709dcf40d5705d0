import { describe, expect, it } from 'vitest';
import { generateKeys } from '../peer.js';
import { guests, quiet } from '../testing/guests.js';
import { ManualClock } from '../testing/manual-clock.js';
import { Expiry } from './expiry.js';

const NOW = 1_700_000_000_000;

describe('expiry', () => {
  it('[AU4] comes at its second, once', () => {
    const clock = new ManualClock(NOW);
    let expired = 0;
    new Expiry(clock, () => expired++).at(NOW / 1000 + 10);
    clock.advance(9999);
    expect(expired).toBe(0);
    clock.advance(1);
    expect(expired).toBe(1);
    clock.advance(1e12);
    expect(expired).toBe(1);
  });

  it('[AU4] comes at once when it is over, never without a time, and not after it was cancelled', () => {
    const clock = new ManualClock(NOW);
    let expired = 0;
    const expiry = new Expiry(clock, () => expired++);
    expiry.at(undefined);
    clock.advance(1e12);
    expiry.at(NOW / 1000 + 1e10);
    expiry.cancel();
    clock.advance(1e14);
    expect(expired).toBe(0);
    expiry.at(1);
    clock.advance(0);
    expect(expired).toBe(1);
  });

  it('[AU4] may lie beyond the longest timer', () => {
    const clock = new ManualClock(NOW);
    let expired = 0;
    const longest: number[] = [];
    const noting = {
      now: () => clock.now(),
      after: (ms: number, run: () => void) => (longest.push(ms), clock.after(ms, run)),
    };
    new Expiry(noting, () => expired++).at(NOW / 1000 + 100 * 86_400);
    clock.advance(100 * 86_400_000 - 1);
    expect(expired).toBe(0);
    clock.advance(1);
    expect([expired, Math.max(...longest) < 2 ** 31]).toEqual([1, true]);
  });

  it('[AU4] of a token ends the connection with 4002; the others hear that it left', async () => {
    const place = guests();
    const peer = await place.enter(await place.hello(generateKeys(), ['room.admin']));
    const other = await place.enter();
    place.clock.advance(3_599_999);
    peer.send({ type: 'server-info' });
    expect((await peer.nextOf('server-info')).type).toBe('server-info');
    place.clock.advance(1);
    expect(await peer.nextOf('error')).toEqual({ type: 'error', msg: 'auth: token has expired', code: 'auth' });
    expect(await peer.closed).toEqual({ code: 4002, reason: 'token expired' });
    expect((await other.next()).type).toBe('peer-left');
    place.clock.advance(1e9);
    other.send({ type: 'server-info' });
    expect((await other.nextOf('server-info')).type).toBe('server-info');
  });

  it('[AU4] of a token that nobody uses any more harms nobody', async () => {
    const place = guests();
    const keys = generateKeys();
    const before = await place.enter(await place.hello(keys, [], { peer_id: 'phone' }));
    const after = await place.enter(await place.hello(keys, undefined, { peer_id: 'phone' }));
    expect((await before.closed).code).toBe(1008);
    place.clock.advance(1e10);
    await quiet();
    after.send({ type: 'server-info' });
    expect((await after.nextOf('server-info')).type).toBe('server-info');
  });
});
