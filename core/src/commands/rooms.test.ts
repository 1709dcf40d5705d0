import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromBase64 } from '../codec/bytes/bytes.js';
import { createHost } from '../engine.js';
import { hostErrorOf } from '../host/host-errors.js';
import { createReplica, generateKeys } from '../peer.js';
import { Rejection } from '../rejection.js';
import { submitter } from '../testing/host-commands.js';
import { testPeer } from '../testing/test-peer.js';

const [key, other] = [generateKeys().publicKey, generateKeys().publicKey];
const room = () => {
  const store = memoryStore();
  const host = createHost({ store });
  return { store, host, submit: submitter(host) };
};

describe('rooms through the host door', () => {
  it('[HC6] are made durable, once', async () => {
    const { store, host, submit } = room();
    expect(await submit('Noop')).toEqual([{ NoopAck: {} }]);
    expect(await store.log.head((await host.room('room')).id)).toBe(0);
    expect(await submit('EnsureRoom')).toEqual([{ RoomEnsured: {} }]);
    const { heads, id, seq } = await host.room('room');
    expect([await store.log.head(id), seq, heads.frontier.length]).toEqual([1, 1, 1]);
    expect(await submit('EnsureRoom')).toEqual([{ RoomEnsured: {} }]);
    expect(await store.log.head(id)).toBe(1);
    const again = await createHost({ store }).room('room');
    expect(again.heads).toEqual(heads);
  });

  it('[HC6] a room that was only made durable takes writes, and peers follow', async () => {
    const { host, submit } = room();
    const early = testPeer(host, 'room');
    early.send({ type: 'hello' });
    await early.nextOf('pack');
    await Promise.all([submit('EnsureRoom'), submit({ MapSet: { namespace: 'n', key: 'k', value: 1 } })]);
    const { genesis, seq } = await host.room('room');
    const replica = await createReplica({ genesis: genesis.pack, keys: generateKeys() });
    await replica.receive(fromBase64(String((await early.nextOf('pack'))['nodes'])));
    expect([replica.get('n/k'), seq]).toEqual([1, 2]);
  });

  it('[HC3] are locked, locked anew and opened by the operator; peers without a token have to go', async () => {
    const { host, submit } = room();
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    await peer.nextOf('pack');
    expect(await submit({ RotateRoomKey: { pubkey_hex: key } })).toEqual([
      { RotateRoomKeyRejected: { msg: 'room not locked' } },
    ]);
    expect(await submit('UnlockRoom')).toEqual([{ UnlockRoomRejected: { msg: 'room not locked' } }]);
    expect(await submit({ SetRoomKey: { pubkey_hex: 'xyz' } })).toEqual([
      { SetRoomKeyRejected: { msg: 'set-room-key: invalid pubkey hex' } },
    ]);
    expect(await submit({ SetRoomKey: { pubkey_hex: key.toUpperCase() } })).toEqual([
      { RoomLocked: { pubkey_hex: key } },
    ]);
    expect(await peer.closed).toEqual({ code: 1008, reason: 'auth: room locked' });
    expect(await submit({ SetRoomKey: { pubkey_hex: other } })).toEqual([
      { SetRoomKeyRejected: { msg: 'room already locked' } },
    ]);
    expect(await submit({ RotateRoomKey: { pubkey_hex: other } })).toEqual([{ RoomLocked: { pubkey_hex: other } }]);
    expect((await host.room('room')).facts.lock).toBe(other);
    expect(await submit('UnlockRoom')).toEqual([{ RoomUnlocked: {} }]);
    expect((await host.room('room')).facts.lock).toBeUndefined();
  });

  it('[HC3] give up tokens that the operator revokes', async () => {
    const { host, submit } = room();
    const before = Math.floor(Date.now() / 1000) + 100;
    const revoked = [{ TokenRevoked: { peer_pubkey: key, before } }];
    expect(await submit({ RevokeToken: { peer_pubkey: key, before } })).toEqual(revoked);
    expect(await submit({ RevokeToken: { peer_pubkey: key, before: 5 } })).toEqual(revoked);
    expect((await host.room('room')).facts.revokedBefore(key)).toBe(before);
    await expect(submit({ RevokeToken: { peer_pubkey: 'x', before } })).rejects.toMatchObject({
      reason: 'invalid-command',
    });
  });

  it('[HC3] get their policy from the operator', async () => {
    const { host, submit } = room();
    const rules = [{ path_glob: 'n/**', can_write: [key] }];
    expect(await submit({ SetPolicy: { default: 'deny', rules } })).toEqual([{ PolicySet: {} }]);
    expect((await host.room('room')).facts.policy).toEqual({ default: 'deny', rules });
    expect(await submit({ SetPolicy: { default: 'maybe' } })).toMatchObject([
      { SetPolicyRejected: { msg: expect.stringContaining("unknown default 'maybe'") as string } },
    ]);
  });

  it('[HC3] tick for the operator', async () => {
    const { host, submit } = room();
    const settings = { interval_ms: 50, intent_prefix: 'in/' };
    expect(await submit({ StartTick: settings })).toEqual([{ TickStarted: settings }]);
    expect(await submit('StartTick')).toEqual([{ TickAlreadyRunning: settings }]);
    expect(await submit('StopTick')).toEqual([{ TickStopped: {} }]);
    expect((await host.room('room')).facts.tick).toBeUndefined();
    await expect(submit({ StartTick: { intent_prefix: 'world/' } })).rejects.toMatchObject({
      reason: 'invalid-payload',
    });
    await host.close();
  });

  it('[HC3] are compacted, and peers are sent the snapshot', async () => {
    const { host, submit } = room();
    await submit({ MapSet: { namespace: 'n', key: 'k', value: 1 } });
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    await peer.nextOf('pack');
    const [event] = await submit('CompactRoom');
    expect(event).toMatchObject({ RoomCompacted: { canonical_seq: 2 } });
    const snapshot = await peer.nextOf('snapshot-pack');
    expect(event?.['RoomCompacted']?.['snapshot_hash']).toBe(snapshot['snapshot_hash']);
    await submit({ MapSet: { namespace: 'n', key: 'k', value: 2 } });
    await expect(submit('CompactRoom')).rejects.toMatchObject({ reason: 'rate-limit' });
  });

  it('[HC3] tell the key of their authority', async () => {
    const { host, submit } = room();
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    const { server_pubkey: pubkey } = await peer.nextOf('welcome');
    expect(await submit('ServerInfo')).toEqual([{ ServerInfoRead: { pubkey } }]);
  });
});

describe('errors of the host door', () => {
  it.each([
    ['reject.room_not_found', 'RoomNotFound'],
    ['session-not-found', 'SessionNotFound'],
    ['session-already-open', 'SessionAlreadyOpen'],
    ['invalid-value', 'InvalidCommand'],
    ['auth', 'AuthViolation'],
    ['presence-full', 'ProtocolViolation'],
  ])('[HC1] calls a refusal with %s %s', (reason, name) => {
    expect(hostErrorOf(new Rejection(reason, 'no'))).toBe(name);
  });

  it('[HC1] calls whatever is no refusal an invariant that does not hold', () => {
    expect(hostErrorOf(new Error('a bug'))).toBe('InternalInvariant');
  });
});
