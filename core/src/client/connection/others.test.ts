import { beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { toHex } from '../../codec/bytes/bytes.js';
import { sha256 } from '../../codec/bytes/hash.js';
import { type Host, createHost } from '../../engine.js';
import { generateKeys, keepRoom } from '../../peer.js';
import { FrailNetwork } from '../../testing/frail-network.js';
import type { Frame } from '../../wire/frame.js';
import type { KeepOptions, RoomClient } from '../room-client.js';

let host: Host;
let network: FrailNetwork;

beforeEach(() => {
  host = createHost({ store: memoryStore(), onFault: () => undefined });
  network = new FrailNetwork(host);
});

type Options = Partial<Omit<KeepOptions, 'open' | 'crypto'>>;
async function joined(options: Options = {}, over = network): Promise<RoomClient> {
  const retry = { firstMs: 0 };
  const client = keepRoom({ open: over.open, keys: generateKeys(), network: over, retry, ...options });
  await client.joined;
  return client;
}
const shown = (client: RoomClient): unknown => Object.fromEntries(client.presence);

describe('the others', () => {
  it('[CL6] are those who are there, and those who come until they leave', async () => {
    const first = await joined({ peerId: 'first', peerType: 'bot' });
    const keys = generateKeys();
    const second = await joined({ peerId: 'second', keys });
    expect(second.peers).toMatchObject([{ peerId: 'first', peerType: 'bot', proven: false }]);
    await expect.poll(() => first.peers).toMatchObject([{ peerId: 'second', publicKey: keys.publicKey }]);
    second.close();
    await expect.poll(() => first.peers).toEqual([]);
    expect(second.peers).toEqual([]);
  });

  it('[CL6] show what they show, to who comes later too, on whatever connection', async () => {
    const frail = new FrailNetwork(host);
    const [watcher, other] = [await joined(), await joined({ peerId: 'other' }, frail)];
    for (let at = 0; at < 10; at++) other.present({ at });
    await expect.poll(() => shown(watcher)).toEqual({ other: { at: 9 } });
    expect(frail.types.filter((type) => type === 'presence')).toHaveLength(1);
    const later = await joined();
    await expect.poll(() => shown(later)).toEqual({ other: { at: 9 } });
    frail.cut();
    await expect.poll(() => shown(watcher)).toEqual({});
    await expect.poll(() => shown(watcher)).toEqual({ other: { at: 9 } });
    other.present(null);
    await expect.poll(() => shown(watcher)).toEqual({ other: null });
    other.close();
    await expect.poll(() => shown(watcher)).toEqual({});
  });

  it('[CL6] are nobody without a connection', async () => {
    const frail = new FrailNetwork(host);
    const other = await joined({ peerId: 'other' });
    other.present(1);
    const client = await joined({}, frail);
    await expect.poll(() => shown(client)).toEqual({ other: 1 });
    const told: unknown[] = [];
    client.onPeers((peers) => told.push(peers.length));
    client.onPresence((presence) => told.push(presence.size));
    frail.cut();
    expect([client.peers, shown(client)]).toEqual([[], {}]);
    await expect.poll(() => told).toEqual([0, 0, 1, 1]);
  });

  it('[CL6] who have one name and two connections leave when both have', async () => {
    const watcher = await joined();
    const keys = generateKeys();
    const connect = () => joined({ keys, peerId: undefined as never });
    const both = [await connect(), await connect()];
    both[0]!.present('here');
    await expect.poll(() => [watcher.peers.length, watcher.presence.size]).toEqual([2, 1]);
    both[1]!.close();
    await expect.poll(() => [watcher.peers.length, watcher.presence.size]).toEqual([1, 1]);
    both[0]!.close();
    await expect.poll(() => [watcher.peers.length, watcher.presence.size]).toEqual([0, 0]);
  });
});

describe('requests and notices', () => {
  it('[ER2] a request gets its answer, or the server’s refusal', async () => {
    const client = await joined();
    expect(await client.request({ type: 'subscribe', patterns: ['a/**'] })).toMatchObject({ patterns: ['a/**'] });
    await expect(client.request({ type: 'start-tick' })).rejects.toMatchObject({
      reason: 'reject.control_plane_forbidden',
    });
    await expect(client.request({ type: 'nothing' })).rejects.toMatchObject({ reason: 'unknown-type' });
  });

  it('[PR2] what others say past the graph is told', async () => {
    const [one, other] = [await joined(), await joined()];
    const told: Frame[] = [];
    const stop = one.onNotice((frame) => told.push(frame));
    const signal = { type: 'webrtc-ice', to: other.peers[0]!.publicKey, candidate: 'c' };
    other.send(signal);
    await expect.poll(() => told).toMatchObject([{ type: 'webrtc-ice', candidate: 'c' }]);
    stop();
    other.close();
    expect(() => other.send(signal)).toThrow(expect.objectContaining({ reason: 'disconnected' }));
  });
});

describe('blobs', () => {
  it('[CL7] go through the socket, and come as what their names say', async () => {
    const [one, other] = [await joined(), await joined()];
    const bytes = globalThis.crypto.getRandomValues(new Uint8Array(50_000));
    const told: Frame[] = [];
    other.onNotice((frame) => told.push(frame));
    const hash = await one.putBlob(bytes);
    expect(hash).toBe(toHex(sha256(bytes)));
    expect(await other.getBlob(hash)).toEqual(bytes);
    expect(await other.getBlob('00'.repeat(32))).toBeUndefined();
    expect(told).toEqual([{ type: 'blob-available', hashes: [hash] }]);
    other.close();
    await expect(other.putBlob(bytes)).rejects.toMatchObject({ reason: 'disconnected' });
    await expect(one.putBlob(new Uint8Array(13 * 1024 * 1024))).rejects.toMatchObject({ reason: 'blob-too-large' });
  });

  it('[CL7] that are not what their names say are refused', async () => {
    const client = await joined();
    const hash = await client.putBlob(Uint8Array.of(1, 2, 3));
    network.change = (frame) =>
      frame.type === 'blob-pack' ? { ...frame, blobs: [{ hash, data: Uint8Array.of(1, 2, 4) }] } : frame;
    await expect(client.getBlob(hash)).rejects.toMatchObject({ reason: 'blob-refused' });
  });
});
