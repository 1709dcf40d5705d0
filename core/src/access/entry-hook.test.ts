import { describe, expect, it, vi } from 'vitest';
import { type ComeBack, Rejection } from '../rejection.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type AuthenticateHook, EntryHook } from './entry-hook.js';

const request = { room: 'room', address: undefined, headers: {} };
const hello = {
  pubkey: undefined,
  proven: false,
  peerId: undefined,
  peerType: undefined,
  isRecheck: false,
  token: 'text',
};
const NOW_S = 1_700_000_000;

function asking(authenticate: AuthenticateHook) {
  const [clock, faults] = [new ManualClock(NOW_S * 1000 + 999), [] as Error[]];
  const hook = new EntryHook({ authenticate, clock, onFault: (error) => faults.push(error as Error) });
  return { clock, faults, ask: () => hook.ask(request, hello) };
}
const answering = (answer: unknown) => asking(() => answer as Awaited<ReturnType<AuthenticateHook>>);

describe('what a hook grants', () => {
  it('[AU10] holds for an hour from now where it does not say', async () => {
    const { ask } = answering({ grant: { caps: ['a'] } });
    expect(await ask()).toStrictEqual({ caps: ['a'], issuedAt: NOW_S, expiry: NOW_S + 3600 });
    const said = { caps: [], expiry: 0, issuedAt: 0, subject: 'x'.repeat(512), recheckAfter: 5 };
    expect(await answering({ grant: said }).ask()).toStrictEqual(said);
    const latest = { caps: [], expiry: Number.MAX_SAFE_INTEGER, issuedAt: NOW_S };
    expect(await answering({ grant: latest }).ask()).toStrictEqual(latest);
  });

  it.each([
    [0, 1],
    [1, 1],
    [86_400, 86_400],
    [86_401, 86_400],
  ])('[AU11] is asked about again within a second and a day: %i s', async (recheckAfter, seconds) => {
    expect(await answering({ grant: { caps: [], recheckAfter } }).ask()).toMatchObject({ recheckAfter: seconds });
  });

  it('[AU10] may be nothing', async () => {
    expect(await answering('pass').ask()).toBeUndefined();
    await expect(answering('expired').ask()).rejects.toMatchObject({
      reason: 'auth',
      message: 'auth: token has expired',
    });
    const { ask } = answering({ deny: 'x'.repeat(300) });
    await expect(ask()).rejects.toMatchObject({ reason: 'auth', message: `auth: ${'x'.repeat(200)}` });
  });
});

describe('a hook that cannot say', () => {
  it.each([
    ...[undefined, null, 1, 'yes', {}, { deny: 1 }, { grant: null }, { grant: 'a' }, { grant: {} }],
    ...[
      { caps: 'a' },
      { caps: [1] },
      { caps: [], subject: 1 },
      { caps: [], subject: ['ann'] },
      { caps: [], subject: 'x'.repeat(513) },
    ].map((grant) => ({ grant })),
    ...['expiry', 'issuedAt', 'recheckAfter'].flatMap((field) =>
      [-1, '1', 2 ** 53, Number.NaN, null].map((value) => ({ grant: { caps: [], [field]: value } })),
    ),
  ])('[AU10] lets nobody in: %j', async (answer) => {
    const { ask, faults } = answering(answer);
    await expect(ask()).rejects.toMatchObject({ reason: 'auth-unavailable' });
    expect(faults).toMatchObject([{ cause: { message: expect.stringContaining('the hook must answer') } }]);
  });

  it('[AU10] has peers come back at different times', async () => {
    const waits = [];
    for (const chance of [0, 0.25, 1]) {
      vi.spyOn(Math, 'random').mockReturnValue(chance);
      waits.push(
        await answering(null)
          .ask()
          .catch(({ retryMs }: ComeBack) => retryMs),
      );
    }
    expect(waits).toEqual([1000, 2000, 5000]);
  });

  it('[AU10] may refuse by itself, which is no fault', async () => {
    const { ask, faults } = asking(() => {
      throw new Rejection('auth', 'auth: not today');
    });
    await expect(ask()).rejects.toMatchObject({ message: 'auth: not today' });
    expect(faults).toEqual([]);
  });

  it('[AU10] is waited for no longer than it takes', async () => {
    const { ask, clock } = answering('pass');
    await ask();
    expect(clock.timers).toBe(0);
  });
});
