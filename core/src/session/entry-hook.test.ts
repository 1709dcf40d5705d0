/** The authentication hook, as peers and the application that embeds the host meet it. */
import { describe, expect, it, vi } from 'vitest';
import type { AuthenticateHook, EntryAnswer, EntryHello } from '../access/entry-hook.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { parseRoomId } from '../codec/bytes/room-id.js';
import { generateKeys } from '../peer.js';
import { type Guests, guests, quiet } from '../testing/guests.js';
import { testPeer } from '../testing/test-peer.js';

const ann = generateKeys();
const room = parseRoomId('room')!;
const grant = (caps: readonly string[], more: object = {}): EntryAnswer => ({ grant: { caps, ...more } });

/** A hook that says what the test has put into `answers`, by token; what is not there is denied. */
function hooked(options: { readonly faults?: unknown[]; readonly require?: 'key' | 'token' } = {}) {
  const answers = new Map<unknown, EntryAnswer | Error>();
  const heard: EntryHello[] = [];
  const authenticate: AuthenticateHook = (_request, hello) => {
    heard.push(hello);
    const answer = answers.get(hello.token) ?? { deny: 'nobody knows this one' };
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const { require = 'open', faults = [] } = options;
  const place = guests({ entry: { authenticate, require }, onFault: (error) => faults.push(error) });
  return { ...place, answers, heard };
}

const enter = async (place: Guests, token: unknown) => place.enter(await place.hello(ann, undefined, { token }));

describe('the authentication hook', () => {
  it('[AU10] decides who enters and with which rights, and hears what a hello says', async () => {
    const place = hooked();
    place.answers.set('good', grant(['room.admin', 'write:docs/**', 'read:**']));
    const peer = await enter(place, 'good');
    expect(place.heard).toEqual([
      { pubkey: ann.publicKey, proven: true, isRecheck: false, token: 'good', peerId: undefined, peerType: undefined },
    ]);
    peer.send({ type: 'revoke-token', peer_pubkey: 'ab'.repeat(32), before: 1 });
    expect((await peer.nextOf('token-revoked'))['before']).toBe(1);

    const stranger = place.connect();
    stranger.send({ type: 'hello', token: 'bad', peer_id: 'p', peer_type: 't' });
    expect(await stranger.next()).toMatchObject({ type: 'error', code: 'auth', msg: 'auth: nobody knows this one' });
    expect(await stranger.closed).toEqual({ code: 1008, reason: 'auth: nobody knows this one' });
    expect(place.heard[1]).toEqual({
      pubkey: undefined,
      proven: false,
      isRecheck: false,
      token: 'bad',
      peerId: 'p',
      peerType: 't',
    });
  });

  it('[AU10] gives no capability to who has not proved a key, and lets nobody into a locked room who has not', async () => {
    const place = hooked();
    place.answers.set('good', grant(['room.admin']));
    const peer = await place.enter({ type: 'hello', pubkey: ann.publicKey, token: 'good' });
    peer.send({ type: 'unlock-room' });
    expect((await peer.nextOf('error'))['code']).toBe('reject.control_plane_forbidden');
    await place.host.submit({ room_id: 'room', command: { SetRoomKey: { pubkey_hex: generateKeys().publicKey } } });
    expect((await peer.closed).reason).toBe('auth: room locked');
    const again = place.connect();
    again.send({ type: 'hello', pubkey: ann.publicKey, token: 'good' });
    expect((await again.next())['msg']).toBe('auth: missing proof');
    expect(place.heard).toHaveLength(1); // it never hears of who only claims a key where one has to be proved
    await enter(place, 'good');
    expect(place.heard).toHaveLength(2);
  });

  it('[AU10] is not asked about tokens of the server’s key, and may leave a peer to the other rules', async () => {
    const place = hooked({ require: 'token' });
    await place.enter(await place.hello(ann, ['room.admin']));
    expect(place.heard).toEqual([]);
    place.answers.set(undefined, 'pass').set('unknown', 'pass');
    for (const [token, msg] of [
      [undefined, 'auth: missing token'],
      ['unknown', 'auth: missing token.peer_pubkey'],
    ]) {
      const peer = place.connect();
      peer.send(await place.hello(ann, undefined, token === undefined ? {} : { token }));
      expect((await peer.next())['msg']).toBe(msg);
    }
    expect(place.heard).toHaveLength(2);
  });

  it('[AU10] grants rights in the one room, and none in another that a command names', async () => {
    const place = hooked();
    place.answers.set('good', grant(['topology.admin', 'query.read', 'query.admin']));
    const peer = await enter(place, 'good');
    peer.send({ type: 'topology.describe-lineage', room_id: 'elsewhere' });
    const refused = await peer.next();
    expect(JSON.stringify(refused)).toContain('reject.control_plane_forbidden');
  });

  it.each([
    ['throws', () => Promise.reject(new Error('its database is gone'))],
    ['answers what is no answer', () => ({ grant: { caps: 'room.admin' } }) as unknown as EntryAnswer],
    ['answers nothing', () => undefined as unknown as EntryAnswer],
    ['grants until a time that is none', () => grant([], { expiry: 'tomorrow' })],
  ] as const)('[AU10] fails closed where it %s, and says when to come back', async (_what, authenticate) => {
    const faults: unknown[] = [];
    const host = createHost({
      store: memoryStore(),
      entry: { authenticate },
      onFault: (error) => faults.push(error),
    });
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    const refused = await peer.next();
    expect(refused).toMatchObject({ type: 'error', code: 'auth-unavailable', retry_ms: expect.any(Number) });
    expect(await peer.closed).toEqual({
      code: 1012,
      reason: `auth: it cannot be decided just now who may enter; come back in ${refused['retry_ms']} ms`,
    });
    expect(String(faults[0])).toContain('the authentication hook could not decide');
    await host.close();
  });

  it('[AU10] fails closed where it takes too long, and is told to stop', async () => {
    let stopped: unknown;
    const faults: unknown[] = [];
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const { clock, connect } = guests({
      entry: {
        authenticateMs: 700,
        authenticate: (_request, _hello, signal) => {
          asked();
          return new Promise(() => signal.addEventListener('abort', () => (stopped = signal.reason)));
        },
      },
      onFault: (error) => faults.push(error),
    });
    const peer = connect();
    peer.send({ type: 'hello' });
    await isAsked;
    clock.advance(699);
    expect(stopped).toBeUndefined();
    clock.advance(1);
    expect((await peer.next())['code']).toBe('auth-unavailable');
    expect(String(stopped)).toContain('no answer within 700 ms');
    expect(faults).toHaveLength(1);
  });

  it('[AU10] tells who comes with a credential that has expired so, at hello and within a session', async () => {
    const place = hooked();
    place.answers.set('old', 'expired').set('good', grant([]));
    const late = place.connect();
    late.send(await place.hello(ann, undefined, { token: 'old' }));
    expect(await late.closed).toEqual({ code: 4002, reason: 'token expired' });
    const peer = await enter(place, 'good');
    place.answers.set('good', 'expired');
    await place.host.recheck();
    expect((await peer.closed).code).toBe(4002);
  });

  it('[AU10] ends a session when the grant does: an hour from now where it names no time', async () => {
    const place = hooked();
    place.answers.set('short', grant([], { expiry: place.clock.now() / 1000 + 10 })).set('plain', grant([]));
    const [short, plain] = [await enter(place, 'short'), await enter(place, 'plain')];
    place.clock.advance(10_000);
    expect(await short.closed).toEqual({ code: 4002, reason: 'token expired' });
    place.clock.advance(3_589_999);
    plain.send({ type: 'server-info' });
    await plain.nextOf('server-info');
    place.clock.advance(1);
    expect((await plain.closed).code).toBe(4002);
  });

  it('[AU11] is asked again after the time that it names: other rights hold at once, and who is denied has to go', async () => {
    const place = hooked();
    const recheckAfter = 30;
    place.answers.set('t', grant(['room.admin'], { recheckAfter }));
    const peer = await enter(place, 't');
    place.answers.set('t', grant(['read:docs/**'], { recheckAfter }));
    place.clock.advance(30_000);
    await quiet();
    peer.send({ type: 'unlock-room' });
    expect((await peer.nextOf('error'))['code']).toBe('reject.control_plane_forbidden');
    await place.host.submit({
      room_id: 'room',
      command: { MapSet: { namespace: 'secret', key: 'k', value: 'hush' } },
    });
    await place.host.submit({ room_id: 'room', command: { MapSet: { namespace: 'docs', key: 'k', value: 'seen' } } });
    let told = '';
    while (!told.includes('seen'))
      told += Buffer.from(String((await peer.nextOf('pack'))['nodes']), 'base64').toString('latin1');
    expect(told).not.toContain('hush');

    place.answers.set('t', new Error('down'));
    place.clock.advance(30_000);
    await quiet();
    peer.send({ type: 'server-info' }); // what it has said before holds until it ends
    await peer.nextOf('server-info');

    expect(place.heard.map(({ isRecheck }) => isRecheck)).toEqual([false, true, true]);
    place.answers.delete('t');
    place.clock.advance(30_000);
    expect(await peer.closed).toEqual({ code: 1008, reason: 'auth: nobody knows this one' });
  });

  it('[AU11] is asked again about whom the application names, those who sleep too', async () => {
    const place = hooked();
    place.answers.set('a', grant([], { subject: 'ann' })).set('b', grant([], { subject: 'bob' }));
    const [a, b] = [await enter(place, 'a'), await enter(place, 'b')];
    place.answers.clear();
    await place.host.recheck({ subject: 'ann', room: 'elsewhere' });
    await place.host.recheck({ subject: 'ann' });
    expect((await a.closed).code).toBe(1008);
    b.send({ type: 'server-info' });
    await b.nextOf('server-info');
    for (let sweeps = 0; sweeps < 20; sweeps++) {
      place.clock.advance(60_000);
      await quiet(1);
      if (place.host.load(room).heads === undefined) break;
    }
    expect(place.host.load(room)).toMatchObject({ heads: undefined, peers: [{ proven: true }] });
    await place.host.recheck();
    expect((await b.closed).reason).toBe('auth: nobody knows this one');
  });

  it('[AU9] takes a refreshed credential: its rights hold, and what is wrong with it ends nothing', async () => {
    const place = hooked();
    place.answers.set('first', grant([], { expiry: place.clock.now() / 1000 + 10 }));
    place.answers.set('second', grant(['room.admin'], { expiry: place.clock.now() / 1000 + 100 }));
    const peer = await enter(place, 'first');
    peer.send({ type: 'refresh-token', token: 'forged' });
    expect((await peer.nextOf('error'))['msg']).toBe('auth: nobody knows this one');
    peer.send({ type: 'refresh-token', token: 'second' });
    expect(await peer.nextOf('token-refreshed')).toMatchObject({ caps: ['room.admin'] });
    place.clock.advance(50_000);
    peer.send({ type: 'server-info' });
    await peer.nextOf('server-info');
    place.clock.advance(50_000);
    expect((await peer.closed).code).toBe(4002);
  });

  it('[AU6] grants are revoked by key as tokens are', async () => {
    const place = hooked();
    place.answers.set('t', grant([]));
    const peer = await enter(place, 't');
    const before = Math.floor(place.clock.now() / 1000) + 86_400;
    await place.host.submit({ room_id: 'room', command: { RevokeToken: { peer_pubkey: ann.publicKey, before } } });
    expect((await peer.closed).reason).toBe('auth: token revoked');
    const again = place.connect();
    again.send(await place.hello(ann, undefined, { token: 't' }));
    expect((await again.next())['msg']).toBe('auth: token revoked');
  });

  it('[AU12] credentials of a subject made before a time are revoked at once, and after a restart', async () => {
    const store = memoryStore();
    const token = { subject: 'ann', issuedAt: 1000 };
    const authenticate = vi.fn<AuthenticateHook>((_request, hello) =>
      grant([], hello.token === 'new' ? { ...token, issuedAt: 2001 } : token),
    );
    const first = guests({ store, entry: { authenticate } });
    const [old, fresh] = [await enter(first, 'old'), await enter(first, 'new')];
    expect(await first.host.revokeSubject('bob')).toBe(0);
    expect(await first.host.revokeSubject('ann', 2000)).toBe(1);
    expect(await old.closed).toEqual({ code: 1008, reason: 'auth: token revoked' });
    fresh.send({ type: 'server-info' });
    await fresh.nextOf('server-info');
    expect(await first.host.revokeSubject('ann', 1)).toBe(0); // of several times the latest holds
    await first.host.close();

    const second = guests({ store, entry: { authenticate } });
    const refused = second.connect();
    refused.send(await second.hello(ann, undefined, { token: 'old' }));
    expect((await refused.next())['msg']).toBe('auth: token revoked');
    await enter(second, 'new');
    await second.host.close();
  });
});
