import { describe, expect, it } from 'vitest';
import { ComeBack } from '../rejection.js';
import { ManualClock } from '../testing/manual-clock.js';
import { SharedFrame } from '../wire/frame.js';
import { LIMITS, type Limits } from '../wire/limits.js';
import { Outbox } from './outbox.js';

function open(limits: Partial<Limits> = {}) {
  const clock = new ManualClock();
  const sent: string[] = [];
  const lost: unknown[] = [];
  const faults: unknown[] = [];
  let takes = true;
  const outbox: Outbox = new Outbox({
    socket: {
      send(frame) {
        sent.push(String(frame));
        return takes;
      },
      close: () => undefined,
    },
    limits: { ...LIMITS, ...limits },
    clock,
    lost(code, reason) {
      lost.push([code, reason]);
      outbox.close();
    },
    onFault: (error) => faults.push(error),
  });
  return { clock, sent, lost, faults, outbox, take: (does: boolean) => (takes = does) };
}
const frame = (type: string): SharedFrame => new SharedFrame({ type });
const text = (type: string): string => JSON.stringify({ type });
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

describe('an outbox', () => {
  it('[LM3] tells everybody who waits for it to be flushed, not the last one alone', async () => {
    const { outbox, take } = open();
    take(false);
    outbox.send(frame('a'));
    outbox.send(frame('b'));
    const flushed = Promise.all([outbox.flushed(), outbox.flushed()]).then(() => 'both');
    take(true);
    outbox.drained();
    expect(await Promise.race([flushed, turns().then(() => 'not both')])).toBe('both');
  });

  it('[LM3] sends while the socket takes frames, and goes on in order when it does again', async () => {
    const { outbox, sent, take } = open();
    outbox.send(frame('a'));
    take(false);
    outbox.send(frame('b'));
    outbox.send(frame('c'));
    outbox.send(frame('d'));
    expect([sent, outbox.isIdle]).toEqual([['a', 'b'].map(text), false]);
    outbox.drained();
    expect(sent).toEqual(['a', 'b', 'c'].map(text));
    take(true);
    outbox.drained();
    await turns();
    expect([sent, outbox.isIdle]).toEqual([['a', 'b', 'c', 'd'].map(text), true]);
  });

  it('[LM3] gives up a peer for which too much waits, nodes not counted', () => {
    const { outbox, lost, take } = open({ outboxBytes: 100 });
    take(false);
    outbox.send(frame('x'.repeat(1000)));
    outbox.send(frame('x'.repeat(80)));
    expect(lost).toEqual([]);
    outbox.send(frame('x'.repeat(80)));
    expect(lost).toEqual([[4001, 'resync required']]);
  });

  it('[LM3] frees what has left: it is not counted twice', () => {
    const { outbox, lost, take } = open({ outboxBytes: 200 });
    for (let i = 0; i < 100; i++) {
      take(false);
      outbox.send(frame('first'));
      outbox.send(frame('x'.repeat(150)));
      take(true);
      outbox.drained();
    }
    expect(lost).toEqual([]);
  });

  it('[LM3] gives up a peer that takes nothing for 15 s; each thing it takes begins them anew', () => {
    const { outbox, clock, lost, take } = open();
    take(false);
    outbox.send(frame('a'));
    clock.advance(LIMITS.stalledMs - 1);
    outbox.progressed();
    clock.advance(LIMITS.stalledMs - 1);
    outbox.progressed();
    clock.advance(LIMITS.stalledMs - 1);
    expect(lost).toEqual([]);
    clock.advance(1);
    expect(lost).toEqual([[1011, 'the peer takes nothing']]);
  });

  it('[LM3] does not watch a peer for which nothing waits', () => {
    const { outbox, clock, lost, take } = open();
    outbox.progressed();
    take(false);
    outbox.send(frame('a'));
    take(true);
    outbox.drained();
    outbox.progressed();
    clock.advance(1e9);
    expect(lost).toEqual([]);
  });

  it('[LM3] asks its source only while the socket takes frames, after what waits, and again when there may be more', async () => {
    const { outbox, sent, take } = open();
    const nodes = ['n1', 'n2', 'n3'];
    let asked = 0;
    const next = (): Promise<SharedFrame | undefined> => {
      asked++;
      const one = nodes.shift();
      return Promise.resolve(one === undefined ? undefined : frame(one));
    };
    take(false);
    outbox.send(frame('a'));
    outbox.send(frame('b'));
    outbox.follow({ next });
    await turns();
    expect(asked).toBe(0);
    outbox.drained();
    await turns();
    expect([sent, asked]).toEqual([['a', 'b'].map(text), 0]);
    take(true);
    outbox.drained();
    await turns();
    expect([sent, asked]).toEqual([['a', 'b', 'n1', 'n2', 'n3'].map(text), 4]);
    nodes.push('n4');
    outbox.wake();
    outbox.wake();
    await turns();
    expect([sent.at(-1), asked]).toEqual([text('n4'), 6]);
  });

  it('[LM3] sends nothing after it was closed, not even what its source was just being asked for', async () => {
    const { outbox, sent, clock, lost } = open();
    let answer: ((frame: SharedFrame) => void) | undefined;
    outbox.follow({ next: () => new Promise((resolve) => (answer = resolve)) });
    await turns();
    outbox.close();
    answer?.(frame('late'));
    outbox.send(frame('later'));
    outbox.drained();
    outbox.progressed();
    clock.advance(1e9);
    await turns();
    expect([sent, lost]).toEqual([[], []]);
  });

  it('[HS8] hands over what was waiting, once', () => {
    const { outbox, take } = open();
    take(false);
    for (const type of ['a', 'b', 'c']) outbox.send(frame(type));
    expect(outbox.close().map((one) => one.frame.type)).toEqual(['b', 'c']);
    expect(outbox.close()).toEqual([]);
  });

  it('[ER4] a peer whose room begins anew while it is read comes again, and nobody hears of it who has gone', async () => {
    const { outbox, lost, faults } = open();
    outbox.follow({ next: () => Promise.reject(new ComeBack('room-replaced', 'it begins anew', 500)) });
    await turns();
    expect([lost, faults]).toEqual([[[1012, 'it begins anew; come back in 500 ms']], []]);
  });

  it('[ER3] a source that fails is the operator’s to hear of, and a socket that throws is lost', async () => {
    const failing = open();
    failing.outbox.follow({ next: () => Promise.reject(new Error('sector 17')) });
    await turns();
    expect(failing.faults).toEqual([new Error('sector 17')]);
    const lost: unknown[] = [];
    const outbox = new Outbox({
      socket: {
        send() {
          throw new Error('gone');
        },
        close: () => undefined,
      },
      limits: LIMITS,
      clock: new ManualClock(),
      lost: (code) => lost.push(code),
      onFault: () => undefined,
    });
    outbox.send(frame('a'));
    expect(lost).toEqual([1011]);
  });
});
