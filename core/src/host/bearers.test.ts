/** Bearers: judged as peers are, by a token alone. */
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { type Host, type HostOptions, createHost } from '../engine.js';
import { parseRoomId } from '../codec/bytes/room-id.js';
import { generateKeys, signToken } from '../peer.js';
import { ManualClock } from '../testing/manual-clock.js';
import type { Bearer } from './bearers.js';

const admin = generateKeys();
const ann = generateKeys();

function begin(entry: HostOptions['entry'] = {}) {
  const clock = new ManualClock(1_700_000_000_000);
  const host = createHost({ store: memoryStore(), clock, adminKey: admin.publicKey, entry });
  const told: string[] = [];
  const gateway = {
    dismissed: (code: number, reason: string) => void told.push(`${code} ${reason}`),
    waitingBytes: () => 0,
  };
  const token = (caps: readonly string[], room = 'room', seed = admin.seed) =>
    signToken({ room, peer: ann.publicKey, expiry: clock.now() / 1000 + 60, caps: [...caps] }, seed);
  const enter = async (caps?: readonly string[], room = 'room'): Promise<Bearer> =>
    host.bearer(room, caps === undefined ? undefined : await token(caps, room), gateway);
  return { clock, host, told, gateway, token, enter };
}

const lock = (host: Host, key: string): Promise<unknown> =>
  host.submit({ room_id: 'room', command: { SetRoomKey: { pubkey_hex: key } } });

describe('a bearer', () => {
  it('[AU13] enters an open room with nothing, and a room that asks for a token with one that can be borne', async () => {
    const open = await begin().enter();
    expect([open.by, open.mayRead('k'), open.mayWrite('k')]).toEqual([undefined, true, true]);
    const { enter, host, gateway } = begin({ require: 'token' });
    await expect(enter()).rejects.toThrow('auth: missing token');
    await expect(enter(['room.admin'])).rejects.toThrow('needs the capability bearer');
    await expect(host.bearer('room', 'no token', gateway)).rejects.toThrow('auth: missing token.peer_pubkey');
    expect((await enter(['bearer'])).by).toBe(ann.publicKey);
    await expect(begin({ require: 'key' }).enter()).rejects.toThrow('auth: missing proof');
  });

  it('[AU13] may read and write what its token names and the policy allows to its key', async () => {
    const { enter, host } = begin();
    const bearer = await enter(['bearer', 'read:docs/**', 'write:docs/open/**', 'write:docs/own/**']);
    const may = (key: string): readonly boolean[] => [bearer.mayRead(key), bearer.mayWrite(key)];
    expect(['docs/open/k', 'docs/k', 'k'].map(may)).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);
    const rules = [
      { path_glob: 'docs/open/**', can_write: [] },
      { path_glob: 'docs/own/**', can_write: [ann.publicKey] },
    ];
    await host.submit({ room_id: 'room', command: { SetPolicy: { default: 'allow', rules } } });
    expect(['docs/open/k', 'docs/own/k'].map(may)).toEqual([
      [true, false],
      [true, true],
    ]);
  });

  it('[AU13] begins no room that is not for everybody to begin, and enters none of the host’s own', async () => {
    const { enter } = begin({ createRooms: ['free-*'] });
    await expect(enter(['bearer'])).rejects.toThrow('may not begin it');
    await enter(['bearer', 'room.create']);
    await enter(undefined, 'free-1');
    await expect(enter(undefined, '~host')).rejects.toThrow('room locked');
    await expect(enter(undefined, 'no/room')).rejects.toThrow('is not a room id');
  });

  it('[AU13] has to go when its token expires or is revoked', async () => {
    const { enter, host, clock } = begin();
    const [one, two] = [await enter(['bearer']), await enter(['bearer'])];
    await host.submit({
      room_id: 'room',
      command: { RevokeToken: { peer_pubkey: ann.publicKey, before: clock.now() / 1000 + 61 } },
    });
    expect(() => one.check()).toThrow('token revoked');
    clock.advance(60_000);
    expect(() => two.check()).toThrow('token has expired');
  });

  it('[AU13] has to go when its room is locked without it, or shut', async () => {
    const { enter, host } = begin();
    const [stranger, known] = [await enter(), await enter(['bearer'])];
    await lock(host, generateKeys().publicKey);
    expect(() => stranger.check()).toThrow('room locked');
    known.check();
    await host.quarantine(parseRoomId('room')!, 'a look');
    expect(() => known.check()).toThrow('quarantined');
    await expect(enter(['bearer'])).rejects.toThrow('quarantined');
  });

  it('[AU13] is told once when the host is closed, and not when it has left', async () => {
    const { enter, host, told } = begin();
    const [, gone] = [await enter(), await enter()];
    gone.leave();
    gone.leave();
    await host.close();
    expect(told).toEqual(['1001 the host is closed']);
  });

  it('[AU13] is whom an authentication hook names, without a key, for as long as the hook says', async () => {
    const asked: unknown[] = [];
    const world = begin({
      require: 'token',
      authenticate: (request, { token, proven, pubkey }) => {
        asked.push([request, token, proven, pubkey]);
        if (token !== 'ann’s word') return 'pass';
        return { grant: { caps: ['write:docs/**'], subject: 'ann', issuedAt: 5, recheckAfter: 30 } };
      },
    });
    const { host, gateway, clock, told, enter } = world;
    const request = { address: '127.0.0.1', headers: { origin: 'https://app' } };
    const bearer = await host.bearer('room', 'ann’s word', { ...gateway, request });
    expect([bearer.by, bearer.mayWrite('docs/k'), bearer.mayWrite('k')]).toEqual(['ann', true, false]);
    expect(asked).toEqual([[{ ...request, room: 'room' }, 'ann’s word', false, undefined]]);
    await expect(host.bearer('room', 'another', gateway)).rejects.toThrow('auth: ');
    await expect(enter()).rejects.toThrow('auth: missing token');
    expect((await enter(['bearer'])).by).toBe(ann.publicKey);
    bearer.check();
    clock.advance(30_000);
    expect(() => bearer.check()).toThrow('asked again');
    expect(told).toEqual([]);
  });
});
