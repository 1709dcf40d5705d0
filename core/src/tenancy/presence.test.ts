import { describe, expect, it } from 'vitest';
import { generateKeys } from '../peer.js';
import { guests } from '../testing/guests.js';
import { ManualClock } from '../testing/manual-clock.js';
import { SharedFrame } from '../wire/frame.js';
import { Presence } from './presence.js';

const shown = (data: unknown): SharedFrame => new SharedFrame({ type: 'presence', data });
const datas = ({ frames }: Presence): unknown[] => frames.map(({ frame }) => frame['data']);

describe('presence', () => {
  it('[PR1] is the last value of each peer, until its time is over or the peer is gone', () => {
    const clock = new ManualClock();
    const presence = new Presence(clock, 1000);
    presence.show('a', shown(1));
    presence.show('b', shown(2), 100);
    presence.show('a', shown(3));
    expect(datas(presence).sort()).toEqual([2, 3]);
    clock.advance(100);
    expect(datas(presence)).toEqual([3]);
    presence.forget('a');
    presence.forget('a');
    expect(datas(presence)).toEqual([]);
  });

  it('[PR1] a value’s time does not end the one after it', () => {
    const clock = new ManualClock();
    const presence = new Presence(clock, 1000);
    presence.show('a', shown(1), 100);
    clock.advance(50);
    presence.show('a', shown(2), 100);
    clock.advance(99);
    expect(datas(presence)).toEqual([2]);
    presence.show('a', shown(3));
    clock.advance(1e9);
    expect(datas(presence)).toEqual([3]);
  });

  it('[PR1] is bounded; one that is refused leaves what was there [fault 27]', () => {
    const presence = new Presence(new ManualClock(), 100);
    presence.show('a', shown('x'.repeat(30)));
    expect(() => presence.show('b', shown('x'.repeat(30)))).toThrow(
      expect.objectContaining({ reason: 'presence-full' }),
    );
    expect(() => presence.show('a', shown('x'.repeat(100)))).toThrow('full');
    expect(datas(presence)).toEqual(['x'.repeat(30)]);
    for (let i = 0; i < 100; i++) presence.show('a', shown('x'.repeat(i % 60)));
    presence.forget('a');
    presence.show('b', shown('x'.repeat(60)));
  });

  it('[PR1] after a takeover is that of the new connection', async () => {
    const place = guests();
    const keys = generateKeys();
    const hello = { type: 'hello', pubkey: keys.publicKey, peer_id: 'phone' };
    const before = await place.enter(hello);
    before.send({ type: 'presence', data: 'before' });
    before.send({ type: 'server-info' });
    await before.nextOf('server-info');
    const after = await place.enter(hello);
    after.send({ type: 'presence', data: 'after' });
    after.send({ type: 'server-info' });
    await after.nextOf('server-info');
    const late = place.connect();
    late.send({ type: 'hello' });
    expect([(await late.next()).type, (await late.next())['data'], (await late.next()).type]).toEqual([
      ...['welcome', 'after', 'pack'],
    ]);
  });

  it('[PR1] is told to nobody when there is no room for it', async () => {
    const place = guests({ limits: { presenceBytes: 500 } });
    const [one, two] = [await place.enter(), await place.enter()];
    one.send({ type: 'presence', data: 'x'.repeat(600), req_id: 1 });
    expect(await one.nextOf('error')).toMatchObject({ code: 'presence-full', command: 'presence', req_id: 1 });
    one.send({ type: 'presence', data: 'small' });
    expect((await two.next())['data']).toBe('small');
  });
});
