/** Calls, streams, stores and sockets over a real port of two threads; both ends are in this one. */
import { MessageChannel } from 'node:worker_threads';
import { BlobError, type Closing, type Connection, type PeerSocket, type RoomId, StoreError } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { blobBattery, storeBattery } from '@weft/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NotThere, OperatorError } from '../operator/define.js';
import { NearSockets } from './near-sockets.js';
import { RemoteSockets } from './remote-sockets.js';
import { remoteStore, storeAnswers } from './remote-store.js';
import { threadOf } from './thread-of.js';
import { Wire } from './wire.js';

function wires(): [Wire, Wire] {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  return [new Wire(port1), new Wire(port2)];
}

describe('a store of another thread', () => {
  const open = async () => {
    const [here, there] = wires();
    const store = memoryStore();
    await store.open();
    there.serve(storeAnswers(store, there));
    return remoteStore(here);
  };
  // What outlives a store object is the business of the thread that has it open.
  const cases = [...storeBattery, ...blobBattery].filter(({ durable }) => !durable);
  for (const { name, run } of cases) it(name, () => run(open));
});

describe('a call', () => {
  it('is answered in order with what was told before it', async () => {
    const [here, there] = wires();
    const heard: unknown[] = [];
    there.serve({ note: (what: string) => heard.push(what), heard: () => [...heard] });
    here.tell('note', 'one');
    here.tell('note', 'two');
    expect(await here.call('heard')).toEqual(['one', 'two']);
  });

  it.each([
    [new StoreError('full', 'no space'), { name: 'StoreError', fault: 'full', message: 'no space' }],
    [new BlobError('too-large', 'large'), { name: 'BlobError', fault: 'too-large', message: 'large' }],
    [new NotThere('no room'), { message: 'no room' }],
    [new TypeError('a bug'), { message: 'a bug' }],
  ])('fails with the class that its error had: %s', async (thrown, expected) => {
    const [here, there] = wires();
    there.serve({
      fail() {
        throw thrown;
      },
    });
    const failed = await here.call('fail').catch((error: unknown) => error);
    expect(failed).toMatchObject(expected);
    expect(failed instanceof OperatorError).toBe(thrown instanceof OperatorError);
  });

  it('fails when nothing answers it, and when the other thread is gone', async () => {
    const [here, there] = wires();
    await expect(here.call('unknown')).rejects.toThrow('nothing here answers unknown');
    there.serve({ never: () => new Promise(() => undefined) });
    const waiting = here.call('never');
    here.end(new Error('the thread has ended'));
    await expect(waiting).rejects.toThrow('the thread has ended');
    await expect(here.call('never')).rejects.toThrow('the thread has ended');
  });
});

describe('a stream', () => {
  it('comes whole, with its error behind what went before, and is given back when its reader stops', async () => {
    const [here, there] = wires();
    const ended: string[] = [];
    async function* count(name: string, most: number): AsyncGenerator<number> {
      try {
        for (let i = 0; i < most; i++) yield i;
        if (name === 'broken') throw new Error('it broke off');
      } finally {
        ended.push(name);
      }
    }
    there.serve({ count: (name: string, most: number) => there.lend(count(name, most)) });
    const stream = async function* (name: string, most: number): AsyncGenerator<number> {
      yield* here.borrow<number>(await here.call('count', name, most));
    };
    const seen: number[] = [];
    for await (const item of stream('whole', 1000)) seen.push(item);
    expect(seen).toEqual(Array.from({ length: 1000 }, (_, i) => i));
    const broken: number[] = [];
    const reading = (async () => {
      for await (const item of stream('broken', 3)) broken.push(item);
    })();
    await expect(reading).rejects.toThrow('it broke off');
    expect(broken).toEqual([0, 1, 2]);
    for await (const item of stream('left', 100_000)) if (item === 2) break;
    await expect.poll(() => ended).toEqual(['whole', 'broken', 'left']);
  });
});

class SlowSocket implements PeerSocket {
  readonly sent: (string | Uint8Array)[] = [];
  readonly closed: [number, string][] = [];
  takes = true;

  send(frame: string | Uint8Array): boolean {
    this.sent.push(frame);
    return this.takes;
  }

  close(code: number, reason: string): void {
    this.closed.push([code, reason]);
  }
}

describe('sockets of another thread', () => {
  const FRAME = 'x'.repeat(1000);

  function setUp({ frameBytes = 10_000, hostInboxBytes = 1_000_000 } = {}) {
    const [near, far] = wires();
    const opened: { socket: PeerSocket; heard: unknown[]; drains: number; gone: (Closing | undefined)[] }[] = [];
    const sockets = new NearSockets(near, { frameBytes, hostInboxBytes });
    near.serve(sockets.answers);
    far.serve(
      new RemoteSockets(far, frameBytes).answers({
        connect(_room, socket): Connection {
          const peer = { socket, heard: [] as unknown[], drains: 0, gone: [] as (Closing | undefined)[] };
          opened.push(peer);
          return {
            receive: (frame) => peer.heard.push(frame),
            drained: () => peer.drains++,
            progressed: () => undefined,
            closed: (by) => peer.gone.push(by),
          };
        },
      }),
    );
    const dial = async () => {
      const socket = new SlowSocket();
      const connection = sockets.connect('room' as RoomId, socket, [], undefined);
      const at = opened.length;
      await expect.poll(() => opened.length).toBe(at + 1);
      return { socket, connection, far: opened[at]! };
    };
    return { dial };
  }

  it('frames keep their order, and one that goes to all comes to each of them', async () => {
    const { dial } = setUp();
    const [one, two] = [await dial(), await dial()];
    one.far.socket.send('all');
    one.far.socket.send('only one');
    two.far.socket.send('before');
    two.far.socket.send('all');
    one.far.socket.send('all');
    two.far.socket.close(4000, 'enough');
    await expect.poll(() => two.socket.closed).toEqual([[4000, 'enough']]);
    expect(one.socket.sent).toEqual(['all', 'only one', 'all']);
    expect(two.socket.sent).toEqual(['before', 'all']);
    two.connection.closed();
    await expect.poll(() => two.far.gone).toEqual([undefined]);
  });

  it('a peer that takes nothing stops the host at its window, and it goes on when the socket has drained', async () => {
    const { dial } = setUp();
    const { socket, connection, far } = await dial();
    socket.takes = false;
    let sent = 1;
    while (far.socket.send(FRAME)) sent++;
    expect(sent).toBe(11);
    await expect.poll(() => socket.sent.length).toBe(11);
    expect(far.drains).toBe(0);
    socket.takes = true;
    connection.drained();
    await expect.poll(() => far.drains).toBe(1);
    // A peer that takes what comes is never stopped for good.
    for (let i = 0; i < 1000; i++)
      if (!far.socket.send(FRAME)) await expect.poll(() => far.drains).toBeGreaterThan(i / 20);
    await expect.poll(() => socket.sent.length).toBe(1011);
  });

  it('what a thread does not take off its port is bounded, and ends the connection that brought too much', async () => {
    const { dial } = setUp({ hostInboxBytes: 5000 });
    const { socket, connection, far } = await dial();
    for (let i = 0; i < 100; i++) connection.receive(FRAME);
    await expect.poll(() => far.gone).toEqual([{ code: 1011, reason: 'server overload' }]);
    expect(socket.closed).toEqual([[1011, 'server overload']]);
    expect(far.heard).toHaveLength(6);
    // Others go on once it was taken.
    const other = await dial();
    other.connection.receive(FRAME);
    await expect.poll(() => other.far.heard).toEqual([FRAME]);
    expect(other.socket.closed).toEqual([]);
  });
});

it('rooms are spread evenly by their ids, those of the host itself are in the first thread', () => {
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 4000; i++) counts[threadOf(`room-${i}` as RoomId, 4)]!++;
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(200);
  expect([1, 2, 7].map((threads) => threadOf('~host' as RoomId, threads))).toEqual([0, 0, 0]);
});
