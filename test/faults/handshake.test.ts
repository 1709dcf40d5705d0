/** What arrives before a peer is one: floods before hello, edits before it is let in, frames that claim too much. */
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { createReplica, generateKeys, signToken, toBase64 } from '@weft/core';
import { ManualClock } from '@weft/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { Peer } from './peer.js';
import { serveHere, transports } from './serving.js';

const UPGRADE =
  'GET /ws/room HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** An upgraded connection without a WebSocket library, that may send any bytes. */
async function upgraded(audience: string): Promise<Socket> {
  const socket = connect(Number(audience.split(':')[1]), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined); // the server may cut it in the middle of a write
  socket.write(UPGRADE);
  await once(socket, 'data');
  socket.resume();
  return socket;
}

/** A masked frame header, in the hex of its first bytes and without a payload. */
const header = (hex: string): Buffer => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(4)]);

describe.each(transports)('over %s', (transport) => {
  it('fault 1: the time for a hello is not made longer by whatever else arrives', async () => {
    const { url } = await serveHere(transport, { limits: { helloMs: 400 } });
    const peer = await Peer.dial(url);
    let sent = 0;
    const flood = setInterval(() => {
      if (peer.socket.readyState !== WebSocket.OPEN) return;
      peer.socket.ping();
      peer.socket.send('x', { fin: false });
      sent++;
    }, 5);
    onTestFinished(() => clearInterval(flood));
    expect(await peer.closed).toEqual({ code: 1008, reason: 'expected hello' });
    expect(sent).toBeGreaterThan(0);
  });

  it('fault 2: nothing is done for a peer whose hello is refused, however much came right behind it', async () => {
    const { url, host } = await serveHere(transport);
    const room = await host.room('room');
    const keys = generateKeys();
    const replica = await createReplica({ genesis: room.genesis.pack, keys });
    replica.set('k', 1);
    const nodes = toBase64((await replica.seal()) ?? new Uint8Array());
    const witness = await Peer.enter(url);
    const expiry = Math.floor(Date.now() / 1000) + 3600;
    const claims = { room: 'room', peer: keys.publicKey, expiry, caps: ['room.admin'] };
    const token = await signToken(claims, generateKeys().seed); // the key of nobody

    const peer = await Peer.dial(url);
    peer.send({ type: 'hello', pubkey: keys.publicKey, token });
    for (let i = 0; i < 20; i++) peer.send({ type: 'pack', nodes });
    peer.send({ type: 'presence', data: 'here' });
    peer.send({ type: 'set-room-key', pubkey: keys.publicKey });
    expect((await peer.next()).type).toBe('error');
    expect((await peer.closed).code).toBe(1008);

    await room.settled();
    expect([room.seq, room.get('k'), room.facts.lock]).toEqual([0, undefined, undefined]);
    witness.send({ type: 'server-info' });
    expect((await witness.next()).type).toBe('server-info');
  });

  it.each([
    ['2^63 - 1 bytes', '82ff7fffffffffffffff'],
    ['2^64 - 1 bytes', '82ffffffffffffffffff'],
    ['4 GiB', '82ff0000000100000000'],
    ['more than twice the limit', '81ff0000000002000001'],
  ])('fault 4: a frame that claims %s ends its connection, and takes no memory', async (_, hex) => {
    const { url, audience } = await serveHere(transport, { clock: new ManualClock() }); // no time for a hello runs out
    const before = process.memoryUsage();
    const socket = await upgraded(audience);
    const ended = once(socket, 'close', { signal: AbortSignal.timeout(5000) });
    socket.write(header(hex));
    await ended;
    const after = process.memoryUsage();
    expect(after.arrayBuffers + after.external - before.arrayBuffers - before.external).toBeLessThan(16 * 1024 * 1024);
    await Peer.enter(url);
  });

  it('fault 5: a message in a million fragments ends its connection, or costs no more than its bytes', async () => {
    const { url, audience } = await serveHere(transport);
    const before = process.memoryUsage().rss;
    const socket = await upgraded(audience);
    // The first of a message, and what goes on with it: one byte each, masked with zeros.
    const first = Buffer.from('01810000000061', 'hex');
    const more = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.from('00810000000061', 'hex')));
    socket.write(first);
    for (let i = 0; i < 100 && !socket.destroyed; i++)
      if (!socket.write(more)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    await Peer.enter(url);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });
});
