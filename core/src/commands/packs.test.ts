import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromBase64, toBase64 } from '../codec/bytes/bytes.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import { createHost } from '../engine.js';
import { createReplica, generateKeys } from '../peer.js';
import { submitter } from '../testing/host-commands.js';
import { ManualClock } from '../testing/manual-clock.js';
import { testPeer } from '../testing/test-peer.js';

async function start() {
  const clock = new ManualClock();
  const host = createHost({ store: memoryStore(), clock });
  const room = await host.room('room');
  const join = () => createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  return { clock, host, room, submit: submitter(host), join };
}
const set = (value: unknown, key = 'k') => ({ MapSet: { namespace: 'n', key, value } });

describe('packs through the host door', () => {
  it('[HC8] are taken as a push is: what may enter, and again as often as one likes', async () => {
    const { host, room, submit, join } = await start();
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    await peer.nextOf('pack');
    const replica = await join();
    replica.set('n/k', 1);
    replica.set('\0lock', { key: 'x' });
    const nodes_b64 = toBase64((await replica.seal())!);
    const [event] = await submit({ ImportPack: { nodes_b64 } });
    expect(event).toMatchObject({ PackImported: { incoming_count: 2, accepted_count: 0, rejected_count: 2 } });
    const honest = await join();
    honest.set('n/k', 1);
    const pack = toBase64((await honest.seal())!);
    for (let i = 0; i < 2; i++)
      expect(await submit({ ImportPack: { nodes_b64: pack } })).toEqual([
        { PackImported: { incoming_count: 1, accepted_count: 1, rejected_count: 0, rejected: [] } },
      ]);
    expect(await peer.nextOf('pack')).toMatchObject({ from: 'host' });
    expect(room.get('n/k')).toBe(1);
    expect(room.seq).toBe(2);
  });

  it('[HC8] that stand on what is not there are refused, and nothing of them waits', async () => {
    const { room, submit, join } = await start();
    const replica = await join();
    replica.set('n/k', 1);
    const first = toBase64((await replica.seal())!);
    replica.confirm();
    replica.set('n/k', 2);
    const second = toBase64((await replica.seal())!);
    expect(await submit({ ImportPack: { nodes_b64: second } })).toMatchObject([
      { PackImported: { accepted_count: 0, rejected: [{ reason: 'missing-parent' }] } },
    ]);
    await submit({ ImportPack: { nodes_b64: first } });
    expect(room.get('n/k')).toBe(1);
  });

  it.each(['*', toBase64(Uint8Array.of(1, 2, 3))])('[HC8] refuses %j', async (nodes_b64) => {
    const { submit } = await start();
    await expect(submit({ ImportPack: { nodes_b64 } })).rejects.toMatchObject({ reason: 'invalid-pack' });
  });

  it('[CF2] conflicts are told with the import that brings them, and kept with their time', async () => {
    const { clock, submit, join } = await start();
    await submit('EnsureRoom');
    const replica = await join();
    replica.set('n/k', 'theirs');
    await submit(set('ours'));
    await submit(set('other', 'no conflict'));
    clock.advance(5000);
    const [imported, observed] = await submit({ ImportPack: { nodes_b64: toBase64((await replica.seal())!) } });
    expect(imported).toHaveProperty('PackImported');
    const at_unix_ms = clock.now();
    const hex = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    const entries = [{ at_unix_ms, event: { kind: 'overwrite', key: 'n/k', winner_node_id: hex, loser_node_id: hex } }];
    expect(observed).toEqual({ ConflictsObserved: { entries } });
    expect(await submit('GetRecentConflicts')).toEqual([{ RecentConflictsListed: { entries } }]);
    const since = (since_unix_ms: number) => submit({ GetRecentConflicts: { since_unix_ms } });
    expect(await since(at_unix_ms)).toEqual([{ RecentConflictsListed: { entries } }]);
    expect(await since(at_unix_ms + 1)).toEqual([{ RecentConflictsListed: { entries: [] } }]);
    expect(await submit(set('ours again'))).toHaveLength(1);
    expect(await submit('GetRecentConflicts')).toEqual([{ RecentConflictsListed: { entries } }]);
  });

  it('[CF2] the newest 1,024 conflicts are kept, each once', async () => {
    const { clock, submit, join } = await start();
    await submit('EnsureRoom');
    const times: number[] = [];
    for (const lot of ['a', 'b']) {
      const replica = await join();
      const keys = Array.from({ length: 600 }, (_, i) => lot + String(i));
      replica.batch(() => keys.forEach((key) => replica.set(`n/${key}`, 1)));
      await Promise.all(keys.map((key) => submit(set(2, key))));
      await submit({ ImportPack: { nodes_b64: toBase64((await replica.seal())!) } });
      times.push(clock.now());
      clock.advance(1000);
    }
    const [event] = await submit('GetRecentConflicts');
    const kept = event?.['RecentConflictsListed']?.['entries'] as { at_unix_ms: number }[];
    const counts = times.map((time) => kept.filter(({ at_unix_ms: at }) => at === time).length);
    expect(counts).toEqual([424, 600]);
  });

  it('[HC8] are made of what somebody lacks', async () => {
    const { room, submit, join } = await start();
    for (let i = 0; i < 3; i++) await submit(set(i));
    const replica = await join();
    const held = room.heads.frontier;
    const receive = async (command: Parameters<typeof submit>[0]): Promise<number> => {
      const [event, ...more] = await submit(command);
      expect(more).toEqual([]);
      const { nodes_b64, root_hex } = event?.['ServerPackPrepared'] ?? {};
      expect(root_hex).toBe(room.heads.root);
      const pack = fromBase64(String(nodes_b64));
      await replica.receive(pack);
      return decodePack(pack).nodes.length;
    };
    expect(await receive('RequestServerPack')).toBe(4);
    expect(replica.stateHash).toBe(room.stateHash);
    await submit(set('more'));
    expect(await receive({ RequestServerPack: { known_ids: held } })).toBe(1);
    expect(replica.get('n/k')).toBe('more');
    expect(await receive({ RequestServerPack: { known_ids: room.heads.frontier } })).toBe(0);
    await submit(set('last'));
    expect(await receive({ MstDone: { ids: [...room.heads.frontier, '0'.repeat(64)] } })).toBe(1);
    expect(replica.get('n/k')).toBe('last');
    expect(await receive({ MstDone: { ids: [] } })).toBe(0);
    await expect(submit({ MstDone: { ids: ['x'] } })).rejects.toMatchObject({ reason: 'invalid-command' });
  });

  it('[RC3] the tree of ids is looked at as on the wire', async () => {
    const { host, submit } = await start();
    for (let i = 0; i < 20; i++) await submit(set(i));
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    peer.send({ type: 'mst-request', paths: ['', '0', 'zz'] });
    const { nodes } = await peer.nextOf('mst-response');
    expect(await submit({ MstRequest: { paths: ['', '0', 'zz'] } })).toEqual([{ MstResponsePrepared: { nodes } }]);
    const [root] = await submit('MstRequest');
    expect(root?.['MstResponsePrepared']?.['nodes']).toEqual((nodes as unknown[]).slice(0, 1));
  });
});
