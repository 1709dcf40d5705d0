import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { generateKeys } from '../peer.js';
import { type Submit, submitter } from '../testing/host-commands.js';
import { ManualClock } from '../testing/manual-clock.js';
import { testPeer } from '../testing/test-peer.js';

const [ann, bob] = [generateKeys().publicKey, generateKeys().publicKey];

/** A room with sessions 1 of Ann and 2 of Bob. */
async function meeting() {
  const clock = new ManualClock();
  const host = createHost({ store: memoryStore(), clock, limits: { presenceBytes: 2000 } });
  const submit = submitter(host);
  await submit({ OpenSession: { session_id: 1, peer_pubkey_hex: ann } });
  await submit({ OpenSession: { session_id: 2, peer_pubkey_hex: bob } });
  return { clock, host, submit };
}

async function shown(submit: Submit): Promise<unknown> {
  const [event] = await submit('PresenceGetAll');
  return event?.['PresenceValuesListed']?.['entries'];
}

describe('presence through the host door', () => {
  it('[HC4] shows what sessions say of themselves, and what peers do', async () => {
    const { host, submit } = await meeting();
    expect(await shown(submit)).toEqual([]);
    const first = await submit({ PresenceSet: { session_id: 1, data: { x: 1 } } });
    expect(first).toEqual([
      { PresenceValueSet: { session_id: 1, from_peer_pubkey: ann, data: { x: 1 }, joined: true } },
    ]);
    const again = await submit({ PresenceSet: { session_id: 1, data: { x: 2 } } });
    expect(again).toMatchObject([{ PresenceValueSet: { data: { x: 2 }, joined: false } }]);
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello', pubkey: bob });
    expect(await peer.nextOf('presence')).toMatchObject({ from: ann, data: { x: 2 } });
    peer.send({ type: 'presence', data: 'there' });
    await peer.nextOf('pack');
    await expect
      .poll(() => shown(submit))
      .toEqual([
        { session_id: 1, from_peer_pubkey: ann, data: { x: 2 } },
        { session_id: expect.stringMatching(/-/) as string, from_peer_pubkey: bob, data: 'there' },
      ]);
    await host.close();
  });

  it('[HC4] goes with its session', async () => {
    const { submit } = await meeting();
    await submit({ PresenceSet: { session_id: 1, data: 1 } });
    expect(await submit({ CloseSession: { session_id: 1 } })).toEqual([
      { SessionClosed: { session_id: 1 } },
      { PresenceValueRemoved: { session_id: 1, from_peer_pubkey: ann, reason: 'leave' } },
    ]);
    expect(await shown(submit)).toEqual([]);
  });

  it('[PR1] goes when its time is over by the clock of the host, whatever time is told', async () => {
    const { submit, clock } = await meeting();
    await submit({ PresenceSet: { session_id: 1, data: 1, ttl_ms: 1000, now_unix_ms: 5 } });
    await submit({ PresenceSet: { session_id: 2, data: 2 } });
    clock.advance(999);
    expect(await shown(submit)).toHaveLength(2);
    clock.advance(1);
    expect(await shown(submit)).toEqual([{ session_id: 2, from_peer_pubkey: bob, data: 2 }]);
    expect(await submit({ PresenceSweep: { now_unix_ms: clock.now() } })).toEqual([]);
  });

  it('[HC4] is swept as of a time', async () => {
    const { submit, clock } = await meeting();
    const { session_id, data } = { session_id: 1, data: 1 };
    await submit({ PresenceSet: { session_id, data, ttl_ms: 1000 } });
    await submit({ PresenceSet: { session_id: 2, data, ttl_ms: 2000 } });
    const sweep = (now_unix_ms: number) => submit({ PresenceSweep: { now_unix_ms } });
    const end = clock.now() + 1000;
    expect(await sweep(end - 1)).toEqual([]);
    expect(await sweep(end)).toEqual([
      { PresenceValueRemoved: { session_id, from_peer_pubkey: ann, reason: 'stale' } },
    ]);
    expect(await shown(submit)).toEqual([{ session_id: 2, from_peer_pubkey: bob, data }]);
  });

  it('[PR1] is bounded', async () => {
    const { submit } = await meeting();
    await expect(submit({ PresenceSet: { session_id: 1, data: 'x'.repeat(2000) } })).rejects.toMatchObject({
      reason: 'presence-full',
    });
    expect(await shown(submit)).toEqual([]);
  });

  it.each([
    { PresenceSet: { session_id: 1 } },
    { PresenceSet: { session_id: 1, data: 1, ttl_ms: 0 } },
    { PresenceSet: { session_id: '1', data: 1 } },
    { PresenceSweep: {} },
  ])('[HC1] refuses %j', async (command) => {
    const { submit } = await meeting();
    await expect(submit(command)).rejects.toMatchObject({ reason: 'invalid-command' });
  });
});
