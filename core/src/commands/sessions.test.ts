import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromBase64 } from '../codec/bytes/bytes.js';
import { type Host, createHost } from '../engine.js';
import type { HostEvent } from '../host/host-door.js';
import { hostErrorOf } from '../host/host-errors.js';
import { createReplica, generateKeys, signToken } from '../peer.js';
import { type Submit, submitter } from '../testing/host-commands.js';
import { ManualClock } from '../testing/manual-clock.js';
import { testPeer } from '../testing/test-peer.js';

const [ann, bob, roomKey] = [generateKeys(), generateKeys(), generateKeys()];
const open = (session_id: number, { publicKey } = ann) => ({
  OpenSession: { session_id, peer_pubkey_hex: publicKey },
});
const hello = (session_id: number, more: object = {}, { publicKey } = ann) => ({
  ClientHello: { session_id, hello: { peer_pubkey_hex: publicKey, ...more } },
});

function newHost(): { host: Host; submit: Submit; events: HostEvent[]; clock: ManualClock } {
  const events: HostEvent[] = [];
  const clock = new ManualClock();
  const host = createHost({ store: memoryStore(), clock, onEvent: (event) => events.push(event) });
  return { host, submit: submitter(host), events, clock };
}

/** What a session was told so far, by type. */
function heardBy(events: readonly HostEvent[], session: number): Record<string, unknown>[] {
  return events.flatMap(({ SessionHeard: heard }) =>
    heard?.['session_id'] === session ? [heard['frame'] as Record<string, unknown>] : [],
  );
}
const typesOf = (frames: readonly Record<string, unknown>[]) => frames.map(({ type }) => type);

async function rejection(answer: Promise<unknown>): Promise<[reason: unknown, error: string]> {
  const error: unknown = await answer.catch((caught: unknown) => caught);
  return [(error as { reason?: unknown }).reason, hostErrorOf(error)];
}

describe('sessions through the host door', () => {
  it('[HC4] is a peer like others: seen, counted, and told what they are told', async () => {
    const { host, submit, events } = newHost();
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    await peer.nextOf('pack');
    expect(await submit(open(7))).toEqual([{ SessionOpened: { session_id: 7 } }]);
    const joined = { pubkey: ann.publicKey, session_id: '7', peer_type: 'host', proven: true };
    expect(await peer.next()).toMatchObject({ type: 'peer-joined', ...joined });
    await submit({ MapSet: { namespace: 'n', key: 'k', value: 1 } });
    const other = testPeer(host, 'room');
    other.send({ type: 'hello', pubkey: bob.publicKey });
    expect((await other.nextOf('welcome'))['peers']).toContainEqual(expect.objectContaining(joined));
    other.send({ type: 'webrtc-ice', to: ann.publicKey, candidate: null });
    other.send({ type: 'presence', data: 1 });
    await peer.nextOf('presence');
    other.leave();
    await peer.nextOf('peer-left');
    const heard = heardBy(events, 7);
    expect(typesOf(heard)).toEqual(['pack', 'pack', 'peer-joined', 'webrtc-ice', 'presence', 'peer-left']);
    const replica = await createReplica({ genesis: (await host.room('room')).genesis.pack, keys: generateKeys() });
    for (const { nodes } of heard.slice(0, 2)) await replica.receive(fromBase64(String(nodes)));
    expect(replica.get('n/k')).toBe(1);
    expect(await submit({ CloseSession: { session_id: 7 } })).toEqual([{ SessionClosed: { session_id: 7 } }]);
    expect(await peer.nextOf('peer-left')).toMatchObject(joined);
    await host.close();
  });

  it('[HC4] names sessions per room: one of a number at a time', async () => {
    const { host, submit } = newHost();
    await submit(open(1));
    expect(await rejection(submit(open(1, bob)))).toEqual(['session-already-open', 'SessionAlreadyOpen']);
    await submitter(host, 'other')(open(1));
    await submit({ CloseSession: { session_id: 1 } });
    expect(await submit(open(1))).toEqual([{ SessionOpened: { session_id: 1 } }]);
  });

  it.each([
    { CloseSession: { session_id: 1 } },
    hello(1),
    { Subscribe: { session_id: 1, patterns: [] } },
    { PresenceSet: { session_id: 1, data: 1 } },
    {
      RelayPeerSignal: { session_id: 1, msg_type: 'webrtc-ice', to_peer_pubkey: 'x', payload: { candidate: null } },
    },
  ])('[HC4] refuses %j where no such session is open', async (command) => {
    const { host, submit } = newHost();
    await submitter(host, 'other')(open(1));
    expect(await rejection(submit(command))).toEqual(['session-not-found', 'SessionNotFound']);
  });

  it.each([
    { OpenSession: { session_id: -1, peer_pubkey_hex: ann.publicKey } },
    { OpenSession: { session_id: 1, peer_pubkey_hex: 'abc' } },
    { OpenSession: { session_id: 1 } },
    { ClientHello: { session_id: 1 } },
    { RelayPeerSignal: { session_id: 1, msg_type: 'gossip', to_peer_pubkey: 'x', payload: {} } },
  ])('[HC4] refuses %j', async (command) => {
    const { submit } = newHost();
    expect(await rejection(submit(command))).toEqual(['invalid-command', 'InvalidCommand']);
  });

  it('[HC4] is welcomed again, as the same peer, with what was negotiated', async () => {
    const { host, submit, events } = newHost();
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    while ((await peer.nextOf('pack'))['final'] !== true);
    await submit(open(1));
    await peer.nextOf('peer-joined');
    const unknown = 'ab'.repeat(32);
    const asked = { client_frontier: [unknown], capabilities: { supports_mst: false, supports_ibf: true } };
    const [welcome] = await submit(hello(1, asked));
    expect(welcome).toMatchObject({
      WelcomePrepared: {
        session_id: 1,
        negotiated: { supports_mst: false, supports_ibf: true },
        missing_from_server_count: 1,
      },
    });
    await submit({ PresenceSet: { session_id: 1, data: 'here' } });
    expect((await peer.next())['type']).toBe('presence'); // nobody heard of leaving or joining
    expect(typesOf(heardBy(events, 1))).toEqual(['pack', 'pack']);
    expect(events.filter((event) => 'SessionEnded' in event)).toEqual([]);
    expect(await rejection(submit(hello(1, {}, bob)))).toEqual(['auth', 'AuthViolation']);
    await host.close();
  });

  it('[HC4] enters a locked room with a token alone, and its key needs no proof', async () => {
    const { host, submit, events, clock } = newHost();
    await submit(open(1));
    await submit({ SetRoomKey: { pubkey_hex: roomKey.publicKey } });
    expect(events.at(-1)).toMatchObject({ SessionEnded: { session_id: 1, code: 1008 } });
    expect(await rejection(submit({ PresenceSet: { session_id: 1, data: 1 } }))).toEqual([
      'session-not-found',
      'SessionNotFound',
    ]);
    await submit(open(1));
    expect(await rejection(submit({ PresenceSet: { session_id: 1, data: 1 } }))).toEqual([
      'expected-hello',
      'ProtocolViolation',
    ]);
    expect(await rejection(submit(hello(1)))).toEqual(['auth', 'AuthViolation']);
    const claims = { room: 'room', peer: ann.publicKey, expiry: Math.floor(clock.now() / 1000) + 60, caps: [] };
    const foreign = await signToken(claims, bob.seed);
    expect(await rejection(submit(hello(1, { token: foreign })))).toEqual(['auth', 'AuthViolation']);
    const token = await signToken(claims, roomKey.seed);
    expect(await submit(hello(1, { token }))).toMatchObject([{ WelcomePrepared: { session_id: 1 } }]);
    expect(await submit({ PresenceSet: { session_id: 1, data: 1 } })).toMatchObject([{ PresenceValueSet: {} }]);
    // Another peer with the same token must prove its key all the same.
    const thief = testPeer(host, 'room');
    thief.send({ type: 'hello', pubkey: ann.publicKey, token });
    expect(await thief.nextOf('error')).toMatchObject({ msg: 'auth: missing proof' });
    clock.advance(61_000);
    expect(events.at(-1)).toMatchObject({ SessionEnded: { session_id: 1, code: 4002 } });
    await host.close();
  });

  it('[HC4] hears what it subscribes to', async () => {
    const { host, submit, events } = newHost();
    await submit(open(1));
    expect(await submit({ Subscribe: { session_id: 1, patterns: [' a/** ', ' ', 'b/*'] } })).toEqual([
      { SubscriptionUpdated: { session_id: 1, patterns: ['a/**', 'b/*'] } },
    ]);
    await submit({ MapSet: { namespace: 'x', key: 'k', value: 1 } });
    await submit({ MapSet: { namespace: 'a', key: 'k', value: 2 } });
    const replica = await createReplica({ genesis: (await host.room('room')).genesis.pack, keys: generateKeys() });
    const catchUp = async (): Promise<unknown> => {
      for (const { nodes } of heardBy(events, 1)) await replica.receive(fromBase64(String(nodes)));
      return replica.get('a/k');
    };
    await expect.poll(catchUp).toBe(2);
    expect(replica.get('x/k')).toBeUndefined();
    expect(await submit({ Subscribe: { session_id: 1, patterns: [' '] } })).toEqual([
      { SubscriptionUpdated: { session_id: 1, patterns: ['**'] } },
    ]);
    await host.close();
  });

  it('[HC4] passes signals on under its own key', async () => {
    const { host, submit, events } = newHost();
    await submit(open(1));
    await submit(open(2, bob));
    const sdp = { type: 'offer', sdp: 'v=0' };
    const signal = { msg_type: 'webrtc-offer', to_peer_pubkey: bob.publicKey, payload: { sdp, from: 'somebody' } };
    expect(await submit({ RelayPeerSignal: { session_id: 1, ...signal } })).toEqual([
      { PeerSignalRelayed: { from_peer_pubkey: ann.publicKey, ...signal } },
    ]);
    const heard = heardBy(events, 2).at(-1);
    expect(heard).toEqual({ type: 'webrtc-offer', to: bob.publicKey, sdp, from: ann.publicKey, proven: true });
    const bare = { session_id: 1, msg_type: 'webrtc-offer', to_peer_pubkey: bob.publicKey, payload: {} };
    expect(await rejection(submit({ RelayPeerSignal: bare }))).toEqual(['invalid-payload', 'InvalidCommand']);
    await host.close();
  });

  it('[HC4] is gone when it is closed while it enters', async () => {
    const { host, submit } = newHost();
    const opening = submit(open(1));
    const closing = submit({ CloseSession: { session_id: 1 } });
    await Promise.allSettled([opening, closing]);
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    expect((await peer.nextOf('welcome'))['peers']).toEqual([]);
    expect(await rejection(submit({ CloseSession: { session_id: 1 } }))).toEqual([
      'session-not-found',
      'SessionNotFound',
    ]);
    await host.close();
  });

  it('[HC4] a sink that throws harms nobody', async () => {
    const faults: unknown[] = [];
    const host = createHost({
      store: memoryStore(),
      onFault: (error) => faults.push(error),
      onEvent: () => {
        throw new Error('the sink is broken');
      },
    });
    const submit = submitter(host);
    await submit(open(1));
    expect(await submit({ PresenceSet: { session_id: 1, data: 1 } })).toMatchObject([{ PresenceValueSet: {} }]);
    expect(faults).toHaveLength(1);
    await host.close();
  });

  it('[HC4] ends with the host', async () => {
    const { host, submit, events } = newHost();
    await submit(open(1));
    await host.close();
    expect(events.at(-1)).toEqual({
      SessionEnded: { room_id: 'room', session_id: 1, code: 1001, reason: 'the host is closed' },
    });
  });
});
