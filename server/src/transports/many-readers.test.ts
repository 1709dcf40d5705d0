/** Many readers of one room, who mostly get the same: each gets exactly what was written to it, in order. */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { PeerSocket } from '@weft/core';
import { HIGH_WATER_BYTES } from './link.js';
import { transportsHere } from '../testing/transports-here.js';

type Frame = string | Uint8Array;

/** Short, for comparisons of much: which one it is, of which kind and how long. */
function label(frame: Frame): string {
  const text = typeof frame === 'string' ? frame.slice(0, 20) : Buffer.from(frame.subarray(0, 20)).toString();
  return `${text.split('.', 1)[0]}: ${frame.length} of ${typeof frame}`;
}

/** The two ends of a connection. What the socket does not take waits, as in the engine. */
class Reader {
  readonly written: string[] = [];
  readonly received: string[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  hasStalled = false;
  private readonly waiting: Frame[] = [];
  private takes = true;
  private isOpen = true;

  constructor(
    readonly socket: PeerSocket,
    readonly client: WebSocket,
  ) {
    client.on('message', (bytes: Buffer, binary) => this.received.push(label(binary ? bytes : bytes.toString())));
    client.on('error', () => undefined);
    this.closed = once(client, 'close').then(([code, reason]) => ({ code: Number(code), reason: String(reason) }));
  }

  write(frame: Frame): void {
    if (!this.isOpen) return;
    this.written.push(label(frame));
    this.waiting.push(frame);
    this.drain(this.takes);
  }

  drain(takes = true): void {
    this.takes = takes;
    while (this.takes && this.waiting.length > 0) this.takes = this.socket.send(this.waiting.shift() ?? '');
    this.hasStalled ||= !this.takes;
  }

  close(): void {
    this.isOpen = false;
    this.socket.close(4000, 'enough');
  }

  leave(): void {
    this.isOpen = false;
    this.client.terminate();
  }

  /** Once it has all that was written. */
  async caughtUp(): Promise<void> {
    while (this.received.length < this.written.length) await once(this.client, 'message');
    expect(this.received).toEqual(this.written);
  }
}

let cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  cleanups = [];
});

describe.each(transportsHere)('many readers on $name', (transport) => {
  /** The first half of them by text, the others by bytes. */
  async function enter(count: number): Promise<Reader[]> {
    const sockets: PeerSocket[] = [];
    const readers: Reader[] = [];
    const listening = await transport.listen({
      host: '127.0.0.1',
      port: 0,
      frameBytes: 1024 * 1024,
      accept: (_, socket) => {
        const at = sockets.push(socket) - 1;
        return {
          receive: () => undefined,
          drained: () => readers[at]?.drain(),
          progressed: () => undefined,
          closed: () => undefined,
        };
      },
    });
    cleanups.push(() => listening.close());
    for (let i = 0; i < count; i++) {
      const client = new WebSocket(`ws://127.0.0.1:${listening.port}/ws/room`);
      cleanups.push(() => client.terminate());
      await once(client, 'open');
      while (sockets.length === i) await nextTurn();
      readers.push(new Reader(sockets[i]!, client));
    }
    return readers;
  }

  let frames = 0;
  function told(readers: readonly Reader[], but: readonly Reader[] = [], length = 100): void {
    const text = `${++frames}`.padEnd(length, '.');
    const bytes = Buffer.from(text);
    for (const [i, reader] of readers.entries())
      if (!but.includes(reader)) reader.write(i < readers.length / 2 ? text : bytes);
  }

  /** By then whoever gets the same has done so for long enough to belong together. */
  async function settle(readers: readonly Reader[]): Promise<void> {
    for (let turn = 0; turn < 12; turn++) {
      told(readers);
      await nextTurn();
    }
  }

  it('each gets the frames of each turn in its encoding, however many and however large', async () => {
    const readers = await enter(24);
    await settle(readers);
    for (let turn = 0; turn < 60; turn++) {
      for (let i = 0; i <= turn % 4; i++) told(readers, [], [1, 100, 3000, 20_000, 150_000][(turn + i) % 5]);
      await nextTurn();
    }
    await Promise.all(readers.map((reader) => reader.caughtUp()));
  });

  it('who wrote a frame does not get it, whether one writes or some do, in turns or at once', async () => {
    const readers = await enter(40);
    await settle(readers);
    for (let turn = 0; turn < 90; turn++) {
      const authors = readers.filter((_, i) => (i + turn) % 20 < [1, 2, 5][Math.floor(turn / 30)]!);
      for (const author of authors) told(readers, [author]);
      await nextTurn();
    }
    for (let turn = 0; turn < 30; turn++) {
      told(readers, [readers[3]!, readers[20]!]);
      readers[3]!.write(`${turn}: yours alone`);
      await nextTurn();
    }
    await Promise.all(readers.map((reader) => reader.caughtUp()));
  });

  it('what goes to one alone stands where it was written, before, between and behind what goes to all', async () => {
    const readers = await enter(24);
    await settle(readers);
    for (let turn = 0; turn < 60; turn++) {
      const one = readers[turn % 7]!;
      if (turn % 3 === 0) one.write(`${turn}: before`);
      told(readers);
      if (turn % 3 === 1) one.write(`${turn}: between`);
      told(readers);
      if (turn % 3 === 2) one.write(`${turn}: behind`);
      await nextTurn();
      // Behind what was published, and before the native code sends that.
      setImmediate(() => one.write(`${turn}: next`));
    }
    await nextTurn();
    await Promise.all(readers.map((reader) => reader.caughtUp()));
  });

  it('one that stalls is told to stop, and has everything in order when it reads again', async () => {
    const readers = await enter(24);
    await settle(readers);
    const [slow, ...others] = readers as [Reader, ...Reader[]];
    slow.client.pause();
    for (let turn = 0; !slow.hasStalled; turn++) {
      told(readers, [], 12_000);
      if (turn % 20 === 0) await Promise.all(others.map((reader) => reader.caughtUp()));
      else await nextTurn();
      // What the system keeps for a socket is some megabytes.
      expect(turn * 12_000).toBeLessThan(HIGH_WATER_BYTES + 32 * 1024 * 1024);
    }
    await settle(readers);
    slow.client.resume();
    await slow.caughtUp();
    await settle(readers);
    await settle(readers);
    await Promise.all(readers.map((reader) => reader.caughtUp()));
  });

  it('one that goes away in the middle takes nothing from the others', async () => {
    const readers = await enter(24);
    await settle(readers);
    const [first, second, ...others] = readers as [Reader, Reader, ...Reader[]];
    told(readers);
    first.leave();
    await first.closed;
    await settle(readers);
    setImmediate(() => second.leave());
    told(readers);
    await settle(readers);
    await Promise.all(others.map((reader) => reader.caughtUp()));
    expect(first.written.slice(0, first.received.length)).toEqual(first.received);
  });

  it('one that is sent away gets all that was written to it before, in the same turn or right behind it', async () => {
    const readers = await enter(32);
    await settle(readers);
    const gone = readers.filter((_, i) => i % 4 === 0);
    for (const [i, one] of gone.entries()) {
      told(readers);
      if (i % 3 === 0) one.close();
      // Behind the end of the turn, and before the native code sends what was published in it.
      else if (i % 3 === 1) setImmediate(() => one.close());
      else {
        one.write('goodbye');
        setImmediate(() => one.close());
      }
      await nextTurn();
    }
    await settle(readers);
    for (const one of gone) expect(await one.closed).toEqual({ code: 4000, reason: 'enough' });
    await Promise.all(readers.map((reader) => reader.caughtUp()));
  });

  const step = fc.record({
    kind: fc.constantFrom(
      'all',
      'all',
      'all',
      'all',
      'but',
      'but',
      'one',
      'pause',
      'resume',
      'close',
      'leave',
      'turn',
      'turn',
    ),
    reader: fc.nat(19),
    length: fc.constantFrom(1, 80, 80, 80, 2000, 18_000, 90_000),
  });

  it('whatever they do, each has exactly what was written to it, in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 250 }), async (steps) => {
        const readers = await enter(20);
        await settle(readers);
        const left = new Set<Reader>();
        for (const { kind, reader, length } of steps) {
          const one = readers[reader]!;
          if (kind === 'all') told(readers, [], length);
          else if (kind === 'but') told(readers, [one], length);
          else if (kind === 'one') one.write(`${++frames} alone`.padEnd(length, '.'));
          else if (kind === 'turn') await nextTurn();
          else if (kind === 'close') one.close();
          else if (kind === 'leave') left.add(one).size && one.leave();
          else if (one.client.readyState === WebSocket.OPEN) one.client[kind]();
        }
        for (const reader of readers) {
          reader.client.resume();
          if (left.has(reader)) expect(reader.written.slice(0, reader.received.length)).toEqual(reader.received);
          else await reader.caughtUp();
          reader.client.terminate();
        }
      }),
      { numRuns: 5 },
    );
  });
});
