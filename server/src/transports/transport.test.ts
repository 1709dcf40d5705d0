import { EventEmitter, once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import type { PeerSocket, RoomId } from '@weft/core';
import { HIGH_WATER_BYTES } from './link.js';
import type { PeerListening, Transport } from './transport.js';
import { transportsHere } from '../testing/transports-here.js';

const FRAME_BYTES = 4 * 1024 * 1024;
const SHUTDOWN = 'the server is shutting down';
const UPGRADE_HEADERS =
  'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

/** What an engine would be given for one connection, recorded. Emits `frame`, `drained` and `closed`. */
class Seen extends EventEmitter {
  readonly frames: (string | Uint8Array)[] = [];
  drains = 0;
  closes = 0;

  constructor(
    readonly roomId: RoomId,
    readonly socket: PeerSocket,
  ) {
    super();
  }
}

type React = (seen: Seen, frame: string | Uint8Array) => void;
const echo: React = (seen, frame) => void seen.socket.send(frame);

interface Room {
  readonly port: number;
  readonly listening: PeerListening;
  readonly connections: Seen[];
  /** Opens a client and waits for both ends to be there. */
  join(path?: string, options?: ClientOptions): Promise<{ client: WebSocket; seen: Seen }>;
}

let cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  cleanups = [];
});

async function openRoom(transport: Transport, react: React = echo, graceMs?: number): Promise<Room> {
  const arrivals = new EventEmitter();
  const connections: Seen[] = [];
  const listening = await transport.listen({
    host: '127.0.0.1',
    port: 0,
    frameBytes: FRAME_BYTES,
    graceMs,
    accept: (roomId, socket) => {
      const seen = new Seen(roomId, socket);
      connections.push(seen);
      queueMicrotask(() => arrivals.emit('arrival', seen));
      return {
        receive: (frame) => {
          seen.frames.push(frame);
          seen.emit('frame', frame);
          react(seen, frame);
        },
        drained: () => {
          seen.drains += 1;
          seen.emit('drained');
        },
        progressed: () => undefined,
        closed: () => {
          seen.closes += 1;
          seen.emit('closed');
        },
      };
    },
  });
  cleanups.push(() => listening.close());
  const join: Room['join'] = async (path = '/ws/room', options = {}) => {
    const arrival = once(arrivals, 'arrival');
    const client = new WebSocket(`ws://127.0.0.1:${listening.port}${path}`, options);
    cleanups.push(() => client.terminate());
    await once(client, 'open');
    const [seen] = (await arrival) as [Seen];
    return { client, seen };
  };
  return { port: listening.port, listening, connections, join };
}

/** Sends until told to stop; gives the number of frames. */
function fill(socket: PeerSocket): number {
  const frame = new Uint8Array(256 * 1024);
  for (let sent = 1; sent < 200; sent++) if (!socket.send(frame)) return sent;
  throw new Error('never told to stop');
}

async function closeOf(client: WebSocket): Promise<{ code: number; reason: string }> {
  client.on('error', () => undefined);
  const [code, reason] = (await once(client, 'close')) as [number, Buffer];
  return { code, reason: reason.toString() };
}

async function nextFrames(client: WebSocket, count: number): Promise<(string | Buffer)[]> {
  const frames: (string | Buffer)[] = [];
  return new Promise((resolve) => {
    client.on('message', (payload: Buffer, binary) => {
      frames.push(binary ? payload : payload.toString());
      if (frames.length === count) resolve(frames);
    });
  });
}

describe.each(transportsHere.map((transport) => ({ name: transport.name, transport })))('transport $name', (row) => {
  const { transport } = row;

  describe('frames', () => {
    it('hands over text as strings and binary as bytes, in order, empty ones included', async () => {
      const room = await openRoom(transport);
      const { client, seen } = await room.join();
      const sent = ['', 'héllo ✓ 🧵', Buffer.alloc(0), Buffer.from([0, 255, 1]), '{"type":"hello"}'];
      const echoed = nextFrames(client, sent.length);
      for (const frame of sent) client.send(frame);
      expect(await echoed).toEqual(sent);
      expect(seen.frames).toEqual(sent.map((frame) => (typeof frame === 'string' ? frame : new Uint8Array(frame))));
    });

    it('keeps the order of a thousand frames of both kinds', async () => {
      const room = await openRoom(transport);
      const { client } = await room.join();
      const sent = Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? `${i}` : Buffer.from(`${i}`)));
      const echoed = nextFrames(client, sent.length);
      for (const frame of sent) client.send(frame);
      expect(await echoed).toEqual(sent);
    });

    it('keeps the order of frames of all sizes sent in one turn', async () => {
      const room = await openRoom(transport);
      const { client, seen } = await room.join();
      const sent = Array.from({ length: 60 }, (_, i) => `${i}:`.padEnd([1, 20_000, 300, 70_000][i % 4] ?? 0, 'x'));
      const read = nextFrames(client, sent.length);
      for (const frame of sent) seen.socket.send(frame);
      expect(await read).toEqual(sent);
    });

    it('gives binary frames that are the receiver’s own memory', async () => {
      const room = await openRoom(transport, () => undefined);
      const { client, seen } = await room.join();
      for (let i = 0; i < 50; i++) client.send(Buffer.alloc(100, i));
      while (seen.frames.length < 50) await once(seen, 'frame');
      for (const [i, frame] of seen.frames.entries()) {
        expect(frame).toEqual(new Uint8Array(100).fill(i));
        expect((frame as Uint8Array).buffer.byteLength).toBe(100);
      }
    });

    it('carries frames of 1 MB, and of exactly the limit, both ways', async () => {
      const room = await openRoom(transport);
      const { client } = await room.join();
      const sent = [Buffer.alloc(1_000_000, 7), 'x'.repeat(1_000_000), Buffer.alloc(FRAME_BYTES, 9)];
      const echoed = nextFrames(client, sent.length);
      for (const frame of sent) client.send(frame);
      const got = await echoed;
      expect(
        got.map((frame, i) => frame.length === sent[i]?.length && frame.toString() === sent[i]?.toString()),
      ).toEqual([true, true, true]);
    });

    it('carries a message sent in fragments as one frame', async () => {
      const room = await openRoom(transport);
      const { client, seen } = await room.join();
      const echoed = nextFrames(client, 1);
      client.send('one ', { fin: false });
      client.send('two ', { fin: false });
      client.send('three', { fin: true });
      expect(await echoed).toEqual(['one two three']);
      expect(seen.frames).toHaveLength(1);
    });

    it.each([
      ['one byte over', (client: WebSocket) => client.send(Buffer.alloc(FRAME_BYTES + 1))],
      // Three bytes a character: the limit counts bytes, not characters.
      ['over in bytes alone', (client: WebSocket) => client.send('✓'.repeat(FRAME_BYTES / 2))],
      ['twice the limit', (client: WebSocket) => client.send(Buffer.alloc(2 * FRAME_BYTES))],
    ])('closes with 1009 on a frame that is %s', async (_, overdo) => {
      const room = await openRoom(transport);
      const { client, seen } = await room.join();
      const closed = once(seen, 'closed');
      const close = closeOf(client);
      overdo(client);
      expect(await close).toEqual({ code: 1009, reason: `frame over ${FRAME_BYTES} bytes; send it in smaller parts` });
      await closed;
      expect(seen.frames).toEqual([]);
      expect(seen.closes).toBe(1);
    });

    it('cuts a peer that sends far more than the limit, in one frame or in fragments [fault 5]', async () => {
      const room = await openRoom(transport);
      for (const overdo of [
        (client: WebSocket) => client.send(Buffer.alloc(3 * FRAME_BYTES)),
        (client: WebSocket) => {
          for (let i = 0; i < 6; i++) client.send(Buffer.alloc(FRAME_BYTES / 2), { fin: false });
        },
      ]) {
        const { client, seen } = await room.join();
        const closed = once(seen, 'closed');
        const close = closeOf(client);
        overdo(client);
        expect([1006, 1009]).toContain((await close).code);
        await closed;
        expect(seen.frames).toEqual([]);
        expect(seen.closes).toBe(1);
      }
    });

    it('closes a peer whose text is not UTF-8, delivering nothing', async () => {
      const room = await openRoom(transport);
      const { client, seen } = await room.join();
      const closed = once(seen, 'closed');
      const close = closeOf(client);
      client.send(Buffer.from([0xff, 0xfe]), { binary: false });
      expect([1006, 1007]).toContain((await close).code);
      await closed;
      expect(seen.frames).toEqual([]);
      expect(seen.closes).toBe(1);
    });
  });

  describe('back-pressure', () => {
    it('says stop above the high-water mark, then drained once the peer has read everything', async () => {
      const room = await openRoom(transport);
      const { client, seen } = await room.join();
      client.pause();
      const sent = fill(seen.socket);
      expect(sent * 256 * 1024).toBeGreaterThanOrEqual(HIGH_WATER_BYTES);
      expect(seen.drains).toBe(0);
      const drained = once(seen, 'drained');
      const read = nextFrames(client, sent + 1);
      client.resume();
      await drained;
      expect(seen.socket.send('after')).toBe(true);
      expect((await read).at(-1)).toBe('after');
      expect(seen.drains).toBe(1);
    });

    it('does not call drained to a sender that was never told to stop', async () => {
      const room = await openRoom(transport);
      const { client, seen } = await room.join();
      const read = nextFrames(client, 100);
      for (let i = 0; i < 100; i++) expect(seen.socket.send(`frame ${i}`)).toBe(true);
      await read;
      expect(seen.drains).toBe(0);
    });

    it('cuts the connection, not the memory, of a sender that does not stop', async () => {
      const room = await openRoom(transport);
      const { client, seen } = await room.join();
      client.pause();
      const closed = once(seen, 'closed');
      const frame = new Uint8Array(1024 * 1024);
      for (let i = 0; i < 64; i++) seen.socket.send(frame);
      await closed;
      expect(seen.closes).toBe(1);
      expect(seen.drains).toBe(0);
    });

    it('sends what waits before the close frame', async () => {
      const room = await openRoom(transport);
      const { client, seen } = await room.join();
      client.pause();
      const sent = fill(seen.socket);
      seen.socket.close(4001, 'resync required');
      let read = 0;
      client.on('message', () => (read += 1));
      const close = closeOf(client);
      client.resume();
      expect(await close).toEqual({ code: 4001, reason: 'resync required' });
      expect(read).toBe(sent);
      expect(seen).toMatchObject({ closes: 1, drains: 0 });
    });
  });

  describe('closing', () => {
    it.each([
      [1008, 'expected hello'],
      [1011, 'server overload'],
      [4002, 'token expired'],
      [4008, ''],
    ])('brings close code %i and its reason to the peer', async (code, reason) => {
      const room = await openRoom(transport, (seen) => seen.socket.close(code, reason));
      const { client, seen } = await room.join();
      const closed = once(seen, 'closed');
      const close = closeOf(client);
      client.send('go');
      expect(await close).toEqual({ code, reason });
      await closed;
      expect(seen.closes).toBe(1);
    });

    it('cuts a reason that is too long for a close frame between characters', async () => {
      const room = await openRoom(transport);
      const { client, seen } = await room.join();
      const close = closeOf(client);
      seen.socket.close(1008, '✓'.repeat(100));
      expect(await close).toEqual({ code: 1008, reason: '✓'.repeat(41) });
    });

    it('reports the close after the call that made it, once, and nothing afterwards', async () => {
      const inside: unknown[] = [];
      const room = await openRoom(transport, (seen) => {
        seen.socket.close(1008, 'enough');
        inside.push(seen.closes, seen.socket.send('late'));
        seen.socket.close(1011, 'again');
      });
      const { client, seen } = await room.join();
      const frames = nextFrames(client, 1).then(() => 'a frame');
      const close = closeOf(client);
      const closed = once(seen, 'closed');
      for (let i = 0; i < 10; i++) client.send(`${i}`);
      await closed;
      expect(await Promise.race([frames, close])).toEqual({ code: 1008, reason: 'enough' });
      await room.listening.close();
      expect(inside).toEqual([0, false]);
      expect(seen).toMatchObject({ frames: ['0'], closes: 1 });
    });

    it('lets the engine send and close while it is being connected', async () => {
      const listening = await transport.listen({
        host: '127.0.0.1',
        port: 0,
        frameBytes: FRAME_BYTES,
        accept: (_, socket) => {
          socket.send('welcome and goodbye');
          socket.close(1008, 'full');
          return {
            receive: () => undefined,
            drained: () => undefined,
            progressed: () => undefined,
            closed: () => undefined,
          };
        },
      });
      cleanups.push(() => listening.close());
      const client = new WebSocket(`ws://127.0.0.1:${listening.port}/ws/room`);
      const frames = nextFrames(client, 1);
      expect(await closeOf(client)).toEqual({ code: 1008, reason: 'full' });
      expect(await frames).toEqual(['welcome and goodbye']);
    });

    it.each([
      ['closes', (client: WebSocket) => client.close(1000, 'done')],
      ['closes without a code', (client: WebSocket) => client.close()],
      ['is cut', (client: WebSocket) => client.terminate()],
    ])('reports once that a peer %s', async (_, leave) => {
      const room = await openRoom(transport);
      const { client, seen } = await room.join();
      const closed = once(seen, 'closed');
      leave(client);
      await closed;
      expect(seen.socket.send('late')).toBe(false);
      seen.socket.close(1011, 'late');
      await room.listening.close();
      expect(seen.closes).toBe(1);
    });

    it('survives a peer that is cut while frames for it wait', async () => {
      const room = await openRoom(transport);
      const { client, seen } = await room.join();
      client.pause();
      fill(seen.socket);
      const closed = once(seen, 'closed');
      client.terminate();
      await closed;
      const other = await room.join();
      const echoed = nextFrames(other.client, 1);
      other.client.send('still here');
      expect(await echoed).toEqual(['still here']);
      expect(seen).toMatchObject({ closes: 1, drains: 0 });
    });
  });

  describe('shutting down', () => {
    it('closes every peer with 1001, tells the engine once for each, and accepts nobody', async () => {
      const room = await openRoom(transport);
      const peers = [await room.join('/ws/a'), await room.join('/ws/a'), await room.join('/ws/b')];
      const closes = peers.map(({ client }) => closeOf(client));
      await Promise.all([room.listening.close(), room.listening.close()]);
      expect(room.connections.map(({ closes: count }) => count)).toEqual([1, 1, 1]);
      expect(await Promise.all(closes)).toEqual(peers.map(() => ({ code: 1001, reason: SHUTDOWN })));
      const late = connect(room.port, '127.0.0.1');
      await expect(once(late, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    });

    it('lets nobody in once it refuses, and goes on serving those who are here', async () => {
      const room = await openRoom(transport);
      const { client } = await room.join();
      room.listening.refuse();
      const late = connect(room.port, '127.0.0.1');
      await expect(once(late, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      const echoed = nextFrames(client, 1);
      client.send('still here');
      expect(await echoed).toEqual(['still here']);
      const closed = closeOf(client);
      room.listening.refuse();
      await room.listening.close();
      expect((await closed).code).toBe(1001);
    });

    it('does not wait for ever for a peer that reads nothing', async () => {
      const room = await openRoom(transport, echo, 50);
      const { client, seen } = await room.join();
      client.pause();
      fill(seen.socket);
      await room.listening.close();
      expect(seen.closes).toBe(1);
    });

    it('waits for no half-sent request, nor upgrades it afterwards', async () => {
      const room = await openRoom(transport);
      const idle = connect(room.port, '127.0.0.1');
      cleanups.push(() => idle.destroy());
      idle.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(idle, 'data');
      idle.write('GET /ws/room HTTP/1.1\r\n');
      await room.listening.close();
      let late = '';
      idle.on('data', (bytes) => (late += bytes.toString()));
      idle.on('error', () => undefined);
      const ended = new Promise((resolve) => idle.once('close', resolve));
      idle.write(`${UPGRADE_HEADERS}\r\n`);
      await ended;
      expect(late).not.toContain('101');
      expect(room.connections).toEqual([]);
    });

    it('frees the port', async () => {
      const room = await openRoom(transport);
      const { client } = await room.join();
      const close = closeOf(client);
      await room.listening.close();
      await close;
      const again = await transport.listen({ ...unused, port: room.port });
      cleanups.push(() => again.close());
      expect(again.port).toBe(room.port);
    });
  });

  describe('listening', () => {
    it('names a port that another program has', async () => {
      const other = await occupy();
      const { port } = other.address() as AddressInfo;
      await expect(transport.listen({ ...unused, port })).rejects.toThrow(
        `cannot listen on 127.0.0.1:${port}: address already in use; choose another with --listen`,
      );
    });

    it.each(transportsHere)('names a port that a $name listener has', async (holder) => {
      const { port } = await openRoom(holder);
      await expect(transport.listen({ ...unused, port })).rejects.toThrow(
        `cannot listen on 127.0.0.1:${port}: address already in use; choose another with --listen`,
      );
    });

    it('names an address that is not of this machine', async () => {
      await expect(transport.listen({ ...unused, host: '192.0.2.1', port: 0 })).rejects.toThrow(
        'cannot listen on 192.0.2.1:0: this machine has no such address; choose another with --listen',
      );
    });
  });
});

const unused = {
  host: '127.0.0.1',
  frameBytes: FRAME_BYTES,
  accept: () => ({
    receive: () => undefined,
    drained: () => undefined,
    progressed: () => undefined,
    closed: () => undefined,
  }),
};

async function occupy(): Promise<Server> {
  const other = createServer().listen(0, '127.0.0.1');
  cleanups.push(() => other.close());
  await once(other, 'listening');
  return other;
}
