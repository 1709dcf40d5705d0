import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromBase64, toBase64 } from '../codec/bytes/bytes.js';
import { decodeValue } from '../codec/bytes/msgpack.js';
import { type Host, createHost } from '../engine.js';
import type { HostRequest } from '../host/host-door.js';
import { createReplica, generateKeys } from '../peer.js';

async function ask(host: Host, command: HostRequest['command']): Promise<Record<string, unknown>> {
  const { events } = await host.submit({ room_id: 'room', command });
  expect(events).toHaveLength(1);
  return { ...Object.values(events[0]!)[0] };
}

/** A room in which a peer has written one value of each kind. */
async function written() {
  const host = createHost({ store: memoryStore() });
  const room = await host.room('room');
  await room.set('n/k', { deep: [1] });
  const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  for (const pack of room.packs()) await replica.receive(pack);
  replica.text('t').insert(0, 'tëxt');
  replica.list('n/k').push(1, 'two');
  replica.setBlob('blob', 'ab'.repeat(32));
  replica.set('gone', 1);
  replica.delete('gone');
  const pack = (await replica.seal())!;
  await room.admit(pack, { from: 'peer' });
  return { host, room, replica, pack };
}

describe('what the host tells of a room', () => {
  it('[HC2] resolves every key, by key and kind', async () => {
    const { host } = await written();
    const { entries, entry_count, room_id } = await ask(host, 'GetCanonicalResolution');
    const shown = (entries as { key: string; kind: string; value_bytes_b64: string }[]).map((entry) => {
      const bytes = fromBase64(entry.value_bytes_b64);
      const value =
        entry.kind === 'text' ? new TextDecoder().decode(bytes) : entry.kind === 'blob' ? bytes : decodeValue(bytes);
      return [entry.key, entry.kind, value];
    });
    expect([room_id, entry_count, shown]).toEqual([
      'room',
      4,
      [
        ['blob', 'blob', new Uint8Array(32).fill(0xab)],
        ['n/k', 'register', { deep: [1] }],
        ['n/k', 'list', [1, 'two']],
        ['t', 'text', 'tëxt'],
      ],
    ]);
  });

  it('[HC2] tells what a node stands on, and that it does not know one', async () => {
    const { host, room, replica } = await written();
    const [head] = room.heads.frontier;
    const { parent_ids_hex, ...rest } = await ask(host, { GetCausalParents: { node_id_hex: head } });
    expect(rest).toEqual({ room_id: 'room', node_id_hex: head, node_found: true });
    expect(room.nodes.lacks(parent_ids_hex as never[])).toEqual([]);
    expect(parent_ids_hex).toHaveLength(1);
    replica.set('later', 1);
    for (const node_id_hex of [replica.frontier[0], '00'.repeat(32), 'no id'])
      expect(await ask(host, { GetCausalParents: { node_id_hex } })).toEqual({
        room_id: 'room',
        node_id_hex,
        parent_ids_hex: [],
        node_found: false,
      });
  });

  it('[HC2] tells what only one side holds', async () => {
    const { host, room } = await written();
    const held: string[] = [];
    for await (const { nodeId } of room.history()) held.push(nodeId);
    const stranger = '0f'.repeat(32);
    const peer = [...held.slice(1), stranger, stranger.toUpperCase()];
    expect(await ask(host, { ComputeSyncDiff: { peer_node_ids_hex: peer } })).toEqual({
      room_id: 'room',
      only_in_server: held.slice(0, 1),
      only_in_peer: [stranger],
    });
    expect(await ask(host, { ComputeSyncDiff: { peer_node_ids_hex: [] } })).toMatchObject({
      only_in_server: [...held].sort(),
      only_in_peer: [],
    });
  });

  it('[HC2] tells how a pack hangs together, and applies nothing', async () => {
    const { host, room, replica } = await written();
    const before = room.heads;
    const { seq } = room;
    const stood = replica.frontier;
    replica.confirm();
    replica.set('a', 1);
    replica.set('b', 1);
    const nodes_b64 = toBase64((await replica.seal())!);
    expect(await ask(host, { InspectPack: { nodes_b64 } })).toEqual({
      room_id: 'room',
      node_count: 2,
      external_parent_ids_hex: [...stood],
      tip_node_ids_hex: [...replica.frontier],
    });
    expect([room.heads, room.seq]).toEqual([before, seq]);
    for (const wrong of ['!', toBase64(new Uint8Array(5))])
      await expect(ask(host, { InspectPack: { nodes_b64: wrong } })).rejects.toMatchObject({
        reason: 'invalid-command',
      });
  });
});

describe('child rooms through the host', () => {
  it('[TP1] are made of a checkpoint that a build has told, for as long as it is one', async () => {
    const { host, room } = await written();
    await ask(host, { RegisterQuerySpec: { query_spec_id: 'q', version: '1', descriptor: {} } });
    const { checkpoint } = await ask(host, { BuildProjection: { projection_id: 'p', query_spec_id: 'q' } });
    const wanted = { child_purpose: 'p', promotion_policy_id: 'reference-only', parent_checkpoint: checkpoint };
    await ask(host, { CreateTopologyChild: { ...wanted, child_room_id: 'c' } });
    expect([...(await host.room('c')).entries('n/')]).toEqual([...room.entries('n/')]);
    await room.set('n/k', 'changed');
    await expect(ask(host, { CreateTopologyChild: { ...wanted, child_room_id: 'd' } })).rejects.toMatchObject({
      reason: 'reject.lineage_parent_checkpoint_mismatch',
    });
    const nowhere = { ...(checkpoint as object), frontier: ['00'.repeat(32)] };
    await expect(
      ask(host, { CreateTopologyChild: { ...wanted, child_room_id: 'd', parent_checkpoint: nowhere } }),
    ).rejects.toMatchObject({ reason: 'reject.lineage_parent_checkpoint_mismatch' });
  });

  it('[TP1] are made, described and listed', async () => {
    const { host, room } = await written();
    const checkpoint = { canonical_hash: room.stateHash, frontier: room.heads.frontier };
    const wanted = { child_room_id: 'c', child_purpose: 'p', promotion_policy_id: 'reference-only' };
    const made = await ask(host, { CreateTopologyChild: { ...wanted, parent_checkpoint: checkpoint } });
    expect(made).toMatchObject({ child_room_id: 'c', lineage: { parent_room_id: 'room', created_by: 'operator' } });
    expect(await ask(host, 'ListTopologyChildren')).toEqual({
      room_id: 'room',
      children: [
        { child_room_id: 'c', child_purpose: 'p', promotion_policy_id: 'reference-only', created_by: 'operator' },
      ],
    });
    expect(await ask(host, 'DescribeRoomLineage')).toEqual({ room_id: 'room', lineage: null, ancestors: [] });
    const { events } = await host.submit({ room_id: 'c', command: 'DescribeRoomLineage' });
    const lineage = made['lineage'];
    expect(events).toEqual([{ RoomLineageDescribed: { room_id: 'c', lineage, ancestors: [lineage] } }]);
    await expect(ask(host, { CreateTopologyChild: wanted })).rejects.toMatchObject({
      reason: 'reject.lineage_invalid_checkpoint',
    });
  });
});

describe('a checkpoint that is promoted', () => {
  it('[OR1] is a node of the log, the same when it is asked for again, and replay starts from it', async () => {
    const { host, room } = await written();
    const seq = room.seq;
    const first = await ask(host, { PromoteCheckpointToGraph: { selector: { selector: 'seq', canonical_seq: seq } } });
    expect(first).toEqual({
      room_id: 'room',
      seq,
      node_id_hex: room.nodes.describe(seq).nodeId,
      frontier_heads_hex: room.heads.frontier,
    });
    expect(await ask(host, 'PromoteCheckpointToGraph')).toEqual(first);
    const { items } = (await ask(host, { ReplayReadRange: { key_prefix: '' } })) as {
      items: Record<string, unknown>[];
    };
    expect(items[0]).toMatchObject({ node_id: first['node_id_hex'], origin: { canonical_seq: seq } });
    expect(items[0]!['touched_keys']).toEqual(['blob', 'gone', 'n/k', 't']);
  });

  it.each([
    [{ selector: 'newest' }, 'reject.checkpoint_selector_invalid'],
    [{ selector: 'seq', canonical_seq: 1e6 }, 'reject.checkpoint_not_found'],
    [{ selector: 'hash', canonical_hash: '00'.repeat(32) }, 'reject.checkpoint_not_found'],
    [{ selector: 'frontier', frontier: ['00'.repeat(32)] }, 'reject.checkpoint_not_found'],
  ])('[PJ2] is refused when it is none: %j', async (selector, reason) => {
    const { host, room } = await written();
    const seq = room.seq;
    await expect(ask(host, { PromoteCheckpointToGraph: { selector } })).rejects.toMatchObject({ reason });
    expect(room.seq).toBe(seq);
  });
});
