import { describe, expect, it } from 'vitest';
import { fromHex, toBase64 } from '../codec/bytes/bytes.js';
import { encodePack } from '../codec/packs/plain-pack.js';
import { generateKeys, createReplica } from '../peer.js';
import { ending, guests, quiet } from '../testing/guests.js';
import { ManualClock } from '../testing/manual-clock.js';
import { Budget } from '../wire/budget.js';
import { LIMITS } from '../wire/limits.js';
import { Inbox } from './inbox.js';

/** In how many milliseconds a wait is over; 0 when there is none. */
async function waits(clock: ManualClock, wait: Promise<void> | undefined): Promise<number> {
  if (!wait) return 0;
  const started = clock.now();
  let isOver = false;
  void wait.then(() => (isOver = true));
  for (let step = 0; step < 1e6; step++) {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    if (isOver) return clock.now() - started;
    clock.advance(1);
  }
  return Infinity;
}

describe('an inbox', () => {
  it('[LM4] lets 200,000 nodes through at once, and 5,000 a second after them', async () => {
    const clock = new ManualClock();
    const inbox = new Inbox(LIMITS, clock);
    expect(inbox.pack(200_000, 0)).toBeUndefined();
    expect(await waits(clock, inbox.pack(1, 0))).toBe(1);
    expect(await waits(clock, inbox.pack(5000, 0))).toBe(1000);
    clock.advance(1000);
    expect(inbox.pack(5000, 0)).toBeUndefined();
    expect(await waits(clock, inbox.pack(2500, 0))).toBe(500);
    clock.advance(3600_000);
    expect(inbox.pack(200_000, 0)).toBeUndefined();
    expect(await waits(clock, inbox.pack(5, 0))).toBe(1);
  });

  it('[LM4] lets more than the burst through when it has been earned, not sooner', async () => {
    const clock = new ManualClock();
    const inbox = new Inbox({ ...LIMITS, nodesPerSecond: 10, nodesBurst: 20 }, clock);
    expect(await waits(clock, inbox.pack(120, 0))).toBe(10_000);
  });

  it('[LM4] counts bytes of packs and of other frames together', async () => {
    const clock = new ManualClock();
    const inbox = new Inbox({ ...LIMITS, bytesPerSecond: 1000, bytesBurst: 4000 }, clock);
    expect(inbox.pack(1, 3000)).toBeUndefined();
    expect(inbox.frame(1000)).toBeUndefined();
    expect(await waits(clock, inbox.frame(500))).toBe(500);
    expect(await waits(clock, inbox.pack(1, 250))).toBe(250);
  });

  it('[LM4] lets frames without nodes through at their rate', async () => {
    const clock = new ManualClock();
    const inbox = new Inbox({ ...LIMITS, framesPerSecond: 500 }, clock);
    for (let i = 0; i < 2000; i++) expect(inbox.frame(10)).toBeUndefined();
    expect(await waits(clock, inbox.frame(10))).toBe(2);
    expect(inbox.pack(1, 10)).toBeUndefined(); // packs have a rate of their own
  });

  it('[LM4] keeps the order of packs that wait', async () => {
    const clock = new ManualClock();
    const inbox = new Inbox({ ...LIMITS, nodesPerSecond: 10, nodesBurst: 10 }, clock);
    const over: number[] = [];
    for (const [i, nodes] of [30, 1, 5, 1, 1].entries()) void inbox.pack(nodes, 1)?.then(() => over.push(i));
    for (let step = 0; step < 5000; step++) {
      clock.advance(1);
      await Promise.resolve();
    }
    expect(over).toEqual([0, 1, 2, 3, 4]);
  });

  it('[LM4] keeps nothing waiting for a peer that has gone', async () => {
    const clock = new ManualClock();
    const inbox = new Inbox({ ...LIMITS, nodesPerSecond: 1, nodesBurst: 1 }, clock);
    const waiting = [inbox.pack(1000, 1), inbox.pack(1000, 1), inbox.frame(1)];
    expect(waiting).not.toContain(undefined);
    inbox.close();
    await Promise.all(waiting); // no time has passed
    expect(await waits(clock, inbox.pack(1000, 1))).toBe(0);
  });

  it('[LM2] takes so many bytes and frames that are not yet processed, and no more', () => {
    const inbox = new Inbox({ ...LIMITS, inboxBytes: 100 }, new ManualClock());
    expect([inbox.arrived(60), inbox.arrived(40), inbox.arrived(1)]).toEqual([undefined, undefined, 'too much']);
    inbox.processed(60);
    expect(inbox.arrived(10)).toBeUndefined();
    const empty = new Inbox(LIMITS, new ManualClock());
    for (let i = 0; i < 10_000; i++) expect(empty.arrived(0)).toBeUndefined();
    expect(empty.arrived(0)).toBe('too much');
  });
});

describe('all inboxes of a host', () => {
  const MIB = 1024 * 1024;

  it('[LM6] share what may wait, and who has little of it goes on', () => {
    const shared = new Budget(4 * MIB);
    const [large, other, small] = [1, 2, 3].map(() => new Inbox(LIMITS, new ManualClock(), shared));
    expect([large!.arrived(3 * MIB), other!.arrived(MIB)]).toEqual([undefined, undefined]);
    expect([small!.arrived(1000), large!.arrived(1)]).toEqual([undefined, 'host full']);
    for (const [inbox, bytes] of [
      [large!, 3 * MIB + 1],
      [small!, 1000],
    ] as const)
      inbox.processed(bytes);
    expect(other!.arrived(MIB)).toBeUndefined();
  });

  it('[LM6] get back what a connection had waiting that has gone', async () => {
    const { host, connect } = guests({ limits: { hostInboxBytes: MIB, framesPerSecond: 1 } });
    const ends = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const peer = connect();
        peer.send({ type: 'hello' });
        await peer.nextOf('pack');
        for (let i = 0; i < 10; i++) peer.send({ type: 'presence', data: { is: 'x'.repeat(60_000) } });
        return peer;
      }),
    );
    expect(await Promise.race(ends.map(({ closed }) => closed))).toEqual({ code: 1011, reason: 'server overload' });
    for (const peer of ends) peer.leave();
    await host.room('room');
    await quiet(50);
    const after = connect();
    after.send({ type: 'hello' });
    await after.nextOf('pack');
    for (let i = 0; i < 10; i++) after.send({ type: 'presence', data: { is: 'x'.repeat(60_000) } });
    const end = ending(after);
    await quiet();
    expect(end()).toBeUndefined();
    after.leave();
  });
});

/** 156 bytes, stored or deflated: in a body that ends there, the count of a million nodes. */
function bomb(nodes: number): Uint8Array {
  const bytes = new Uint8Array(156);
  bytes.set([0x57, 1, 0, ...fromHex('9401')]);
  for (let at = 5, left = nodes; ; at++) {
    bytes[at] = left > 127 ? (left % 128) + 128 : left;
    left = Math.floor(left / 128);
    if (left === 0) return bytes;
  }
}

describe('a connection', () => {
  it('[LM4] pays for a million nodes that 156 bytes claim, before they are decoded', async () => {
    const { clock, enter } = guests({ limits: { nodesPerSecond: 5000, nodesBurst: 200_000 } });
    const peer = await enter();
    peer.send({ type: 'pack', nodes: toBase64(bomb(1_048_576)), req_id: 'bomb' });
    peer.send({ type: 'server-info', req_id: 'behind' });
    await quiet();
    let answered = 0;
    void peer.next().then(() => answered++);
    clock.advance(169_000);
    await quiet();
    expect(answered).toBe(0);
    clock.advance(1000);
    await quiet();
    expect(answered).toBe(1);
    expect(await peer.next()).toMatchObject({ type: 'server-info', req_id: 'behind' });
  });

  it('[LM4] that claims more nodes than a pack may have is refused at once, and its budget is what it was [fault 4]', async () => {
    const { enter } = guests();
    const peer = await enter();
    for (const claimed of [1_048_577, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
      peer.send({ type: 'pack', nodes: toBase64(bomb(claimed)) });
      expect(await peer.next()).toMatchObject({ code: 'invalid-pack', msg: 'invalid pack: bad postcard' });
    }
    peer.send({ type: 'pack', nodes: toBase64(encodePack({ nodes: [], seals: [] })) });
    expect(await peer.next()).toMatchObject({ type: 'pack-ack', incoming_count: 0 });
  });

  it('[LM4] pays for what is no pack', async () => {
    const { clock, enter } = guests({ limits: { nodesPerSecond: 10, nodesBurst: 10 } });
    const peer = await enter();
    let answered = 0;
    for (let i = 0; i < 100; i++) peer.send({ type: 'pack', nodes: ['%', '', 'AAAA', 'VwEA'][i % 4] });
    void (async () => {
      for (;;) if (await peer.next()) answered++;
    })();
    await quiet();
    expect(answered).toBe(10);
    clock.advance(1000);
    await quiet();
    expect(answered).toBe(20);
  });

  it('[LM4] pays for the bytes of its frames, whatever is in them', async () => {
    const { clock, enter } = guests({ limits: { bytesPerSecond: 10_000, bytesBurst: 10_000 } });
    const peer = await enter();
    peer.send({ type: 'pack', nodes: '', padding: '.'.repeat(20_000) });
    let answered = 0;
    void peer.next().then(() => answered++);
    await quiet();
    expect(answered).toBe(0);
    clock.advance(1100);
    await quiet();
    expect(answered).toBe(1);
  });

  it('[LM4] that goes on sending over its rate is closed with 4008', async () => {
    const { enter } = guests({ limits: { framesPerSecond: 1, inboxBytes: 10_000 } });
    const peer = await enter();
    for (let i = 0; i < 500; i++) peer.send({ type: 'server-info', req_id: i });
    expect(await peer.closed).toEqual({ code: 4008, reason: 'rate limit exceeded' });
    const frames = [];
    for (let i = 0; i < 10; i++) frames.push(await peer.next().catch(() => undefined));
    expect(frames.find((frame) => frame?.type === 'error')).toMatchObject({ code: 'rate-limit' });
  });

  it('[LM5] pushes without waiting for the answers; other frames wait for the pushes before them', async () => {
    const { host, clock, enter } = guests({ limits: { nodesPerSecond: 1, nodesBurst: 1 } });
    const peer = await enter();
    const { genesis } = await host.room('room');
    const packOf = async (count: number): Promise<string> => {
      const replica = await createReplica({ genesis: genesis.pack, keys: generateKeys() });
      for (let i = 0; i < count; i++) replica.set(`k${i}`, 1);
      return toBase64((await replica.seal()) ?? new Uint8Array());
    };
    const order: unknown[] = [];
    peer.send({ type: 'pack', nodes: await packOf(4), req_id: 1 });
    peer.send({ type: 'pack', nodes: '%', req_id: 2 });
    peer.send({ type: 'server-info', req_id: 3 });
    peer.send({ type: 'pack', nodes: await packOf(1), req_id: 4 });
    void (async () => {
      for (;;) order.push((await peer.next())['req_id']);
    })();
    await quiet();
    expect(order).toEqual([]);
    for (let second = 0; second < 9; second++) {
      clock.advance(1000);
      await quiet();
    }
    expect([...order].sort()).toEqual([1, 2, 3, 4]);
    expect(order.slice(2)).toEqual([3, 4]);
  });
});

const short = { ...LIMITS, nodesPerSecond: 1000, nodesBurst: 2000 };
const someTurns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

describe('turns at the rate of a peer', () => {
  it('[LM4] keeps the order, however late its timers are', async () => {
    const clock = new ManualClock();
    let late: (() => void)[] = [];
    const inbox = new Inbox(short, {
      now: () => clock.now(),
      after: (_, callback) => {
        late.push(callback);
        return () => undefined;
      },
    });
    const order: number[] = [];
    expect(inbox.pack(2000, 0)).toBeUndefined();
    const first = inbox.pack(1, 0)?.then(() => order.push(1));
    await someTurns();
    clock.advance(10_000); // its time has come, its timer has not
    const second = (inbox.pack(1, 0) ?? Promise.resolve()).then(() => order.push(2));
    await someTurns();
    expect(order).toEqual([]);
    const due = late;
    late = [];
    for (const callback of due) callback();
    await Promise.all([first, second]);
    expect(order).toEqual([1, 2]);
    expect(inbox.pack(1, 0)).toBeUndefined();
  });
});
