import { describe, expect, it } from 'vitest';
import { generateKeys } from '../peer.js';
import { guests } from '../testing/guests.js';
import { Callers } from './callers.js';

describe('callers', () => {
  const bounds = { hostConnections: 5, addressConnections: 2, keyConnections: 1 };

  it('[LM10] are so many in all and from one address, and as many again when some have left', () => {
    const callers = new Callers(bounds);
    expect(callers.enter('10.0.0.1')).toBeUndefined();
    expect(callers.enter('10.0.0.1')).toBeUndefined();
    expect(callers.enter('10.0.0.1')?.message).toMatch(/this address has its 2 connections/);
    callers.leave('10.0.0.1');
    callers.leave('10.0.0.1');
    expect(callers.enter('10.0.0.1')).toBeUndefined();
    for (const address of ['10.0.0.2', '10.0.0.3', undefined]) expect(callers.enter(address)).toBeUndefined();
    expect(callers.enter('10.0.0.4')).toMatchObject({
      reason: 'too-many-connections',
      message: 'the server has its 5 connections; close some, or come back later',
      retryMs: expect.any(Number),
    });
  });

  it('[LM10] of one network of IPv6 are of one address', () => {
    const callers = new Callers(bounds);
    for (const address of ['2001:db8::1', '2001:db8:0:0:ffff::2']) expect(callers.enter(address)).toBeUndefined();
    expect(callers.enter('2001:db8:0:0:1:2:3:4')).toBeDefined();
    callers.leave('2001:db8:0:0:1:2:3:4');
    expect(callers.enter('2001:db8:1::1')).toBeUndefined();
    expect(callers.enter('::1')).toBeUndefined();
  });

  it('[LM10] of one proven key are so many; a key that is merely claimed takes nobody’s place', async () => {
    const place = guests({ limits: { keyConnections: 2 } });
    const ann = generateKeys();
    const [first] = [await place.enter(await place.hello(ann)), await place.enter(await place.hello(ann))];
    await place.enter({ type: 'hello', pubkey: ann.publicKey });
    const third = place.connect();
    third.send(await place.hello(ann));
    expect(await third.next()).toMatchObject({ code: 'too-many-connections', retry_ms: expect.any(Number) });
    expect((await third.closed).code).toBe(1012);
    first.leave();
    await place.enter(await place.hello(ann));
    await place.enter(await place.hello(generateKeys()));
  });
});
