import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { type Host, createHost } from '../engine.js';
import type { HostRequest } from './host-door.js';

const run = async (host: Host, command: HostRequest['command'], room = 'room'): Promise<unknown> =>
  (await host.submit({ room_id: room, command })).events;

describe('the host door', () => {
  it('[HC1] answers a command of one key with one event of one key', async () => {
    const host = createHost({ store: memoryStore() });
    expect(await run(host, { MapSet: { namespace: 'ns', key: 'k', value: { a: [1] } } })).toEqual([
      { MapValueUpserted: { room_id: 'room', namespace: 'ns', key: 'k', value: { a: [1] } } },
    ]);
    expect(await run(host, { MapGet: { namespace: 'ns', key: 'k' } })).toEqual([
      { MapValueRead: { room_id: 'room', namespace: 'ns', key: 'k', value: { a: [1] } } },
    ]);
    expect(await run(host, { MapGet: { namespace: 'ns', key: 'none' } })).toEqual([
      { MapValueRead: { room_id: 'room', namespace: 'ns', key: 'none' } },
    ]);
    expect(await run(host, { MapDelete: { namespace: 'ns', key: 'k' } })).toEqual([
      { MapValueDeleted: { room_id: 'room', namespace: 'ns', key: 'k', found: true } },
    ]);
    expect(await run(host, { MapDelete: { namespace: 'ns', key: 'k' } })).toEqual([
      { MapValueDeleted: { room_id: 'room', namespace: 'ns', key: 'k', found: false } },
    ]);
  });

  it('[MP3] lists one namespace, in order, and no other that begins with the same letters', async () => {
    const host = createHost({ store: memoryStore() });
    for (const [namespace, key] of [
      ['ns', 'b'],
      ['ns', 'a'],
      ['ns2', 'c'],
      ['n', 'd'],
    ]) {
      await run(host, { MapSet: { namespace, key, value: key } });
    }
    expect(await run(host, { MapAll: { namespace: 'ns' } })).toEqual([
      {
        MapEntriesListed: {
          room_id: 'room',
          namespace: 'ns',
          entries: [
            { key: 'a', value: 'a' },
            { key: 'b', value: 'b' },
          ],
        },
      },
    ]);
  });

  it('[HC1] takes a bare name for a command without payload', async () => {
    const host = createHost({ store: memoryStore() });
    const bare = await run(host, 'GetFrontier');
    expect(bare).toEqual([{ FrontierQueried: { room_id: 'room', frontier_heads_hex: [] } }]);
    for (const payload of [{}, null]) expect(await run(host, { GetFrontier: payload })).toEqual(bare);
    await run(host, { MapSet: { namespace: 'n', key: 'k', value: null } });
    const heads = (await host.room('room')).heads.frontier;
    expect(await run(host, 'GetFrontier')).toEqual([
      { FrontierQueried: { room_id: 'room', frontier_heads_hex: heads } },
    ]);
  });

  it('[HC1] registers, builds, reads and replays as on the wire', async () => {
    const host = createHost({ store: memoryStore() });
    await run(host, { MapSet: { namespace: 'ns', key: 'k', value: 1 } });
    const ids = { projection_id: 'p', query_spec_id: 'q' };
    const standing = { room_id: 'room', ...ids, version: '1', state: 'active' };
    const hex = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    const { stateHash, heads } = await host.room('room');
    expect(await run(host, { RegisterQuerySpec: { query_spec_id: 'q', version: '1', descriptor: {} } })).toEqual([
      {
        QuerySpecRegistered: { room_id: 'room', query_spec_id: 'q', version: '1', accepted: true, canonical_hash: hex },
      },
    ]);
    const target_checkpoint = { selector: 'seq', canonical_seq: 2 };
    const checkpoint = { ...target_checkpoint, canonical_hash: stateHash, frontier: heads.frontier };
    expect(await run(host, { BuildProjection: { ...ids, target_checkpoint } })).toEqual([
      { ProjectionBuildCompleted: { ...standing, checkpoint, digest: hex } },
    ]);
    const rows = [{ k: 'ns/k', v: 1, kind: 'register' }];
    expect(await run(host, { ReadProjection: { projection_id: 'p' } })).toEqual([
      { ProjectionReadResult: { ...standing, checkpoint, digest: hex, limit: 100, rows, next_page_token: null } },
    ]);
    expect(await run(host, { InvalidateProjection: { projection_id: 'p' } })).toEqual([
      { ProjectionInvalidated: { room_id: 'room', projection_id: 'p', reason: 'manual' } },
    ]);
    expect(await run(host, 'ListProjections')).toMatchObject([
      { ProjectionListResult: { items: [{ ...ids, state: 'invalidated', invalidation_reason: 'manual' }] } },
    ]);
    expect(await run(host, { ReplayReadRange: { key_prefix: 'ns/' } })).toMatchObject([
      { ReplayRangeRead: { room_id: 'room', items: [{ seq: 1, ops: [{ kind: 'set', key: 'ns/k', value: 1 }] }] } },
    ]);
  });

  it('[HC1] tells of a rejection in an event where there is one', async () => {
    const host = createHost({ store: memoryStore() });
    const reason_message = expect.any(String) as string;
    const ids = { projection_id: 'p', query_spec_id: 'q' };
    expect(await run(host, { BuildProjection: ids })).toEqual([
      {
        ProjectionBuildRejected: {
          room_id: 'room',
          ...ids,
          reason_class: 'reject.query_spec_not_found',
          reason_message,
        },
      },
    ]);
    expect(await run(host, { RegisterQuerySpec: { query_spec_id: 'q', version: '1', descriptor: { x: 1 } } })).toEqual([
      {
        QuerySpecRejected: {
          room_id: 'room',
          query_spec_id: 'q',
          version: '1',
          reason_class: 'reject.invalid_payload',
          reason_message,
        },
      },
    ]);
    await expect(run(host, { ReadProjection: { projection_id: 7 } })).rejects.toMatchObject({
      reason: 'invalid-command',
    });
  });

  it.each<[string, HostRequest['command']]>([
    ['an unknown name', 'Nonsense'],
    ['an unknown key', { Nonsense: {} }],
    ['a name of every object', 'constructor'],
    ['no key', {}],
    ['nothing', JSON.parse('null') as HostRequest['command']],
    ['two keys', { MapAll: { namespace: 'n' }, GetFrontier: {} }],
    ['a bare name that needs a payload', 'MapGet'],
    ['a missing field', { MapGet: { namespace: 'n' } }],
    ['a missing value', { MapSet: { namespace: 'n', key: 'k' } }],
    ['an empty field', { MapGet: { namespace: 'n', key: '' } }],
    ['a field of another kind', { MapGet: { namespace: 1, key: 'k' } }],
    ['a payload that is no object', { MapGet: [] }],
  ])('[HC1] refuses %s', async (_, command) => {
    const host = createHost({ store: memoryStore() });
    await expect(run(host, command)).rejects.toMatchObject({ name: 'Rejection', reason: 'invalid-command' });
    expect((await host.room('room')).seq).toBe(0);
  });

  it.each(['', '..', 'a/b', 'x'.repeat(129)])('[HS1] refuses the room %j', async (room) => {
    const host = createHost({ store: memoryStore() });
    await expect(run(host, 'GetFrontier', room)).rejects.toMatchObject({ reason: 'invalid-command' });
  });

  it('[HS1] enters the host’s own rooms, which no peer can', async () => {
    const host = createHost({ store: memoryStore() });
    await run(host, { MapSet: { namespace: 'n', key: 'k', value: 1 } }, '~own');
    expect((await host.room('~own')).seq).toBe(2);
  });

  it('[ST4] takes nothing once the host is closed, and closes after what waited', async () => {
    const host = createHost({ store: memoryStore() });
    const waiting = Array.from({ length: 10 }, (_, i) =>
      run(host, { MapSet: { namespace: 'n', key: `${i}`, value: i } }),
    );
    await Promise.all(waiting.slice(0, 1));
    const more = run(host, { MapSet: { namespace: 'n', key: 'last', value: 1 } });
    await host.close();
    await expect(more).resolves.toHaveLength(1);
    await expect(run(host, 'GetFrontier')).rejects.toThrow('the host is closed');
  });
});
