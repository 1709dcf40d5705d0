/** Peers that read slowly, come back all at once, or twice. */
import { generateKeys, toBase64 } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { altered } from '@weft/core/testing';
import { describe, expect, it } from 'vitest';
import { Peer } from './peer.js';
import { serveHere, serveProcess, transports } from './serving.js';
import { stoppedReaders } from './stopped-readers.js';
import { push, replicaOf } from './writer.js';

const MIB = 1024 * 1024;

/** The beginning of a pack that says how many nodes it has, and has none. */
function claimOf(nodes: number): Uint8Array {
  const bytes = new Uint8Array(156);
  bytes.set([0x57, 1, 0, 0x94, 1, (nodes & 127) | 128, ((nodes >> 7) & 127) | 128, nodes >> 14]);
  return bytes;
}

describe.each(transports)('over %s', (transport) => {
  it('fault 7: readers that stop go on where they were', () => stoppedReaders(transport));

  it('fault 7: a reader that stops is told to come back when more waits than it may owe', async () => {
    const { url } = await serveHere(transport, { limits: { outboxBytes: 256 * 1024 } });
    const [slow, quick] = [await Peer.enter(url), await Peer.enter(url)];
    slow.socket.pause();
    const data = '.'.repeat(64 * 1024);
    for (let i = 0; i < 500 && quick.frames.every(({ type }) => type !== 'peer-left'); i++) {
      quick.send({ type: 'presence', data });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await quick.nextOf('peer-left');
    slow.socket.resume();
    expect(await slow.closed).toEqual({ code: 4001, reason: 'resync required' });
  });

  it('fault 8: a peer that sends faster than it may is cut off, and nothing waits for who has gone', async () => {
    const { weft, url } = await serveProcess('--store', 'memory', '--transport', transport);
    const claim = { type: 'pack', nodes: toBase64(claimOf(1_000_000)) };
    const [fast, gone] = [await Peer.enter(url), await Peer.enter(url)];
    for (const peer of [fast, gone]) peer.send(claim); // what comes behind it waits for minutes
    gone.send({ type: 'server-info' });
    gone.socket.close();
    for (let sent = 0; sent < 17; sent++) fast.send({ type: 'pack', nodes: '.'.repeat(4 * MIB) });
    expect(await fast.closed).toEqual({ code: 4008, reason: 'rate limit exceeded' });
    await gone.closed;
    await Peer.enter(url);
    expect(await weft.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('fault 10: 300 peers that come back at once are let in, and the room is read once for all of them', async () => {
    const store = memoryStore();
    let reads = 0;
    const log = altered(store.log, {
      read(room, from) {
        reads++;
        return store.log.read(room, from);
      },
    });
    const before = await serveHere(transport, { store });
    const writer = await Peer.dial(before.url);
    const replica = await replicaOf((await writer.join()).welcome);
    for (let i = 0; i < 500; i++) replica.set(`k${i}`, i);
    await push(writer, replica);

    const { url, faults } = await serveHere(transport, { store: { ...store, log } });
    const peers = await Promise.all(Array.from({ length: 300 }, () => Peer.dial(url)));
    const joined = await Promise.all(peers.map((peer) => peer.join()));
    expect(new Set(joined.map(({ welcome }) => welcome['canonical_hash']))).toEqual(new Set([replica.stateHash]));
    expect([reads, faults]).toEqual([2, []]); // its genesis, and everything
  });

  it('fault 11: the end of a connection that another has taken over is not the end of its peer', async () => {
    const { url } = await serveHere(transport);
    const hello = { pubkey: generateKeys().publicKey, peer_id: 'ann' };
    const witness = await Peer.enter(url);
    const before = await Peer.enter(url, 'room', hello);
    expect(await witness.nextOf('peer-joined')).toMatchObject({ peer_id: 'ann' });
    before.socket.pause(); // it does not even see that it is being closed
    const after = await Peer.enter(url, 'room', hello);
    before.socket.terminate();
    await before.closed;

    after.send({ type: 'presence', data: 'still here' });
    expect(await witness.next()).toMatchObject({ type: 'presence', data: 'still here' });
    expect((await (await Peer.dial(url)).join()).welcome['peers']).toHaveLength(2);
    expect(after.isOpen).toBe(true);
  });

  it('fault 12: a peer that connects again while its connection hangs is sent everything once, on the new one', async () => {
    const { url } = await serveHere(transport);
    const hello = { pubkey: generateKeys().publicKey, peer_id: 'ann' };
    const writer = await Peer.dial(url);
    const replica = await replicaOf((await writer.join()).welcome);
    const before = await Peer.enter(url, 'room', hello);
    before.socket.pause();
    const after = await Peer.enter(url, 'room', hello);
    for (let i = 0; i < 10; i++) {
      replica.set('k', i);
      await push(writer, replica);
    }
    before.socket.resume();
    expect(await before.closed).toMatchObject({ code: 1008 });
    expect(before.frames.filter(({ type }) => type === 'pack')).toEqual([]);

    const roots = new Set<unknown>();
    for (let i = 0; i < 10; i++) roots.add((await after.nextOf('pack'))['root']);
    expect(roots.size).toBe(10);
    after.send({ type: 'server-info' });
    expect((await after.next()).type).toBe('server-info');
  });
});
