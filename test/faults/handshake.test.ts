/** What arrives before a peer is one: floods before hello, edits before it is let in, frames that claim too much. */
import { once } from 'node:events';
import { createReplica, generateKeys, signToken, toBase64 } from '@weft/core';
import { ManualClock } from '@weft/core/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import WebSocket from 'ws';
import { fragments } from './fragments.js';
import { Peer } from './peer.js';
import { serveHere, transports } from './serving.js';
import { upgraded } from './upgraded.js';

const MIB = 1024 * 1024;

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
    const allocated = (['alloc', 'allocUnsafe', 'allocUnsafeSlow'] as const).map((name) => vi.spyOn(Buffer, name));
    const socket = await upgraded(audience);
    const ended = once(socket, 'close');
    socket.write(header(hex));
    await ended;
    const sizes = allocated.flatMap(({ mock }) => mock.calls.map(([size]) => size));
    vi.restoreAllMocks();
    expect(Math.max(0, ...sizes)).toBeLessThan(MIB);
    await Peer.enter(url);
  });

  it('fault 5: a message in a million fragments ends its connection, or is taken', () => fragments(transport));
});
