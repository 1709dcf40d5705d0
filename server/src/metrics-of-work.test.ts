/** Metrics of the engine at work, by the names that an operator sees. */
import { createHash } from 'node:crypto';
import { type BlobHash, createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect, it } from 'vitest';
import { createMetrics } from './metrics.js';
import { gc } from './operator/gc.js';

it('builds, promotions, archives, snapshots and deleted blobs are counted, and so is what was refused', async () => {
  const { telemetry, render } = createMetrics();
  const store = memoryStore();
  const host = createHost({ store, telemetry });
  const told = (command: Record<string, object>) => host.submit({ room_id: 'plans', command });
  const room = await host.room('plans');
  await room.set('k', 1);

  await told({ RegisterQuerySpec: { query_spec_id: 'all', version: '1', descriptor: {} } });
  await told({ BuildProjection: { projection_id: 'p', query_spec_id: 'all' } });
  await told({ BuildProjection: { projection_id: 'p', query_spec_id: 'none' } });
  const parent_checkpoint = { canonical_hash: room.stateHash, frontier: room.heads.frontier };
  const about = { child_purpose: 'try', promotion_policy_id: 'promotion-based', parent_checkpoint };
  await told({ CreateTopologyChild: { child_room_id: 'try', ...about } });
  const child = await host.room('try');
  await child.set('k2', 2);
  const wanted = { child_room_id: 'try', child_checkpoint_hash: child.stateHash, payload_ref: 'all' };
  await told({ ProposeTopologyPromotion: { ...wanted, idempotency_key: 'first' } });
  await told({ ApplyTopologyPromotion: { proposal_id: 'first' } }).catch(() => undefined);
  await told({ ValidateTopologyPromotion: { proposal_id: 'first' } });
  await told({ ApplyTopologyPromotion: { proposal_id: 'first' } });
  await told({ DescribeArchive: { archive_ref: 'room://plans' } });
  await room.compact();
  const asking = {
    host,
    store,
    archives: {},
    telemetry,
    quarantined: () => Promise.resolve(host.quarantined),
    progress: () => undefined,
    signal: new AbortController().signal,
  };
  const lost = new Uint8Array(100);
  await store.blobs.put(createHash('sha256').update(lost).digest('hex') as BlobHash, chunksOf(lost), lost.length);
  await gc.answer(asking, { delete: true, grace_ms: 0 });

  const lines = (await render()).split('\n');
  for (const line of [
    'weft_query_build_total{outcome="ok"} 1',
    'weft_query_build_total{outcome="rejected"} 1',
    'weft_query_build_seconds_count 2',
    'weft_query_build_queue_wait_seconds_count 2',
    'weft_query_build_inflight 0',
    'weft_query_build_queue_depth 0',
    'weft_topology_promotion_total{stage="propose",outcome="ok"} 1',
    'weft_topology_promotion_total{stage="validate",outcome="ok"} 1',
    'weft_topology_promotion_total{stage="apply",outcome="rejected"} 1',
    'weft_topology_promotion_total{stage="apply",outcome="ok"} 1',
    'weft_topology_promotion_seconds_count{stage="apply"} 2',
    'weft_topology_promotion_inflight 0',
    'weft_archive_operation_seconds_count{operation="describe"} 1',
    'weft_snapshot_total{kind="signed"} 1',
    'weft_blob_gc_deleted_total 1',
  ])
    expect(lines).toContain(line);
  await host.close();
});

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
