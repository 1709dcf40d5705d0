/** Who is sent away for what passes comes again, by the same code wherever that is found out; and nobody is let in by a host that has lost his room. */
import { expect, it, onTestFinished } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost, type HostOptions } from '../engine.js';
import { createReplica, generateKeys } from '../peer.js';
import { fromBase64, toBase64 } from '../codec/bytes/bytes.js';
import { type Store, StoreError, type StoreFault } from '../ports/store.js';
import { ComeBack, Rejection } from '../rejection.js';
import { altered } from '../testing/altered.js';
import { ManualClock } from '../testing/manual-clock.js';
import { testPeer } from '../testing/test-peer.js';
import { comeBackMs } from '../wire/restart-reason.js';

const OTHERS: NonNullable<HostOptions['others']> = {
  confirm: () => undefined,
  counted: () => undefined,
  eraseBelow: (child) => Promise.resolve({ children: [], left: [child] }),
  serve: () => false,
  wrote: () => undefined,
};

/** Store whose appends fail with that fault while there is one. */
function failing(): { store: Store; fail: (fault: StoreFault | undefined) => void } {
  const inner = memoryStore();
  let fault: StoreFault | undefined;
  const log = altered(inner.log, {
    append: (...asked) =>
      fault ? Promise.reject(new StoreError(fault, 'of db.example:5432')) : inner.log.append(...asked),
  });
  return { store: altered(inner, { log }), fail: (next) => (fault = next) };
}

const REASONS = [
  ['locked', 'another process has this room now'],
  ['away', 'the store does not answer'],
] as const;

it.each(REASONS)(
  '[ER7] a peer whose push meets a store that is %s comes again, and the operator is told',
  async (fault, why) => {
    const { store, fail } = failing();
    const faults: unknown[] = [];
    const host = createHost({ store, onFault: (error) => faults.push(error) });
    onTestFinished(() => host.close());
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    const { genesis } = await peer.next();
    const replica = await createReplica({ genesis: fromBase64(String(genesis)), keys: generateKeys() });
    replica.set('title', 'kept');
    const pack = { type: 'pack', nodes: toBase64((await replica.seal()) ?? new Uint8Array()) };
    fail(fault);
    peer.send(pack);
    const { code, reason } = await peer.closed;
    expect([code, reason.split(';')[0]]).toEqual([1012, why]);
    expect(comeBackMs(reason)).toBeLessThan(1000);
    expect(faults).toMatchObject([{ fault }]);
    // What was sent away with it is taken from whoever comes back.
    fail(undefined);
    const again = testPeer(host, 'room');
    again.send({ type: 'hello' });
    again.send(pack);
    expect(await again.nextOf('pack-ack')).toMatchObject({ accepted_count: 1 });
  },
);

it.each(REASONS)(
  '[ER7] whoever says hello to a host that has lost its rooms since he connected is not let in: %s',
  async (fault, why) => {
    const lost = new StoreError(fault, 'of db.example:5432');
    let isLost = false;
    let asked = 0;
    const confirm = (): Promise<void> | undefined => {
      asked++;
      return isLost ? Promise.reject(lost) : undefined;
    };
    const faults: unknown[] = [];
    const host = createHost({
      store: memoryStore(),
      others: { ...OTHERS, confirm },
      onFault: (error) => faults.push(error),
    });
    onTestFinished(() => host.close());
    await host.withRoom('room', (room) => room.set('title', 'of before'));
    const early = testPeer(host, 'room');
    early.send({ type: 'hello' });
    expect((await early.nextOf('welcome')).type).toBe('welcome');
    const [late, bearer] = [testPeer(host, 'room'), { dismissed: () => undefined, waitingBytes: () => 0 }];
    expect(asked).toBe(1);
    isLost = true;
    late.send({ type: 'hello' });
    await expect(late.next()).rejects.toThrow(`closed with 1012 ${why}; come back in `);
    await expect(host.bearer('room', undefined, bearer)).rejects.toMatchObject({ fault });
    expect(faults).toMatchObject([{ fault }]);
  },
);

it('a peer whose room has gone to another host between his coming and his hello comes again, to that one', async () => {
  const { store } = failing();
  const host = createHost({ store, others: { ...OTHERS, serve: () => true } });
  onTestFinished(() => host.close());
  const peer = testPeer(host, 'room');
  peer.send({ type: 'hello' });
  expect(await peer.nextOf('error')).toMatchObject({ code: 'room-held', retry_ms: expect.any(Number) });
  expect(await peer.closed).toMatchObject({ code: 1012 });
});

it.each([
  ['for now', new ComeBack('room-replaced', 'room room begins anew; open it again', 700), 1012],
  ['for good', new Rejection('room-deleted', 'room room was deleted'), 1008],
])(
  '[GN5] [ER7] who sleeps in a room that is refused %s when it is opened again is told so by the code that says whether to come again',
  async (_, refusal, code) => {
    const clock = new ManualClock();
    const inner = memoryStore();
    let isRefused = false;
    const log = altered(inner.log, {
      occupy: (id) => (isRefused ? Promise.reject(refusal) : inner.log.occupy(id)),
    });
    let rooms = 0;
    const host = createHost({
      store: altered(inner, { log }),
      clock,
      telemetry: { record: (metric, by) => void (rooms += metric === 'rooms' ? by : 0) },
    });
    onTestFinished(() => host.close());
    const [ann, bob] = [testPeer(host, 'room'), testPeer(host, 'room')];
    for (const peer of [ann, bob]) {
      peer.send({ type: 'hello' });
      await peer.nextOf('welcome');
      while ((await peer.nextOf('pack'))['final'] !== true);
    }
    while (rooms > 0) {
      await new Promise(setImmediate);
      clock.advance(60_000);
    }
    isRefused = true;
    ann.send({ type: 'mst-request', paths: [''] });
    for (const peer of [ann, bob]) {
      const error = await peer.nextOf('error');
      const closed = await peer.closed;
      expect([error['code'], closed.code]).toEqual([refusal.reason, code]);
      expect([error['retry_ms'], comeBackMs(closed.reason)]).toEqual(
        code === 1012 ? [700, 700] : [undefined, undefined],
      );
    }
  },
);
