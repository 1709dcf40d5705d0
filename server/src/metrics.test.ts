import { describe, expect, it } from 'vitest';
import { METRICS } from '@weft/core';
import { createMetrics } from './metrics.js';

const NAMES = [
  ...['rooms', 'rooms_bytes', 'rooms_limit_bytes', 'disk_free', 'read_only'],
  ...['authority_refused', 'authority_ends_seconds'],
  ...['rooms_quarantined', 'eviction_total', 'dormant_reads_total', 'rooms_begun_total', 'room_open_seconds'],
  ...['cluster_processes', 'cluster_unreachable', 'cluster_rooms', 'cluster_forwarded'],
  ...['connections', 'peers', 'join_seconds', 'joins_inflight', 'joins_waiting'],
  ...['frames_total', 'command_seconds', 'errors_total', 'closes_total'],
  ...['inbox_bytes', 'inbox_limit_bytes', 'outbox_bytes', 'pushes_waiting'],
  ...['nodes_accepted_total', 'nodes_rejected_total', 'merge_batch_seconds', 'commit_batch_nodes'],
  ...['persistence_write_seconds', 'fanout_seconds', 'webhook_requests_total', 'webhook_rooms_waiting'],
  'trace_spans_dropped_total',
  'blob_bytes_total',
  ...['cold_objects', 'cold_stored_bytes', 'cold_leftovers'],
  ...['cold_bytes_total', 'cold_missing_total', 'cold_failed_total'],
  ...['blob_stored_bytes', 'blob_stored_limit_bytes', 'blobs_refused_total'],
  ...['read_replica_bytes_total', 'read_replica_away'],
  ...['blob_gc_deleted_total', 'snapshot_total'],
  ...['query_build_total', 'query_build_seconds', 'query_build_inflight'],
  ...['query_build_queue_depth', 'query_build_queue_wait_seconds'],
  ...['topology_promotion_total', 'topology_promotion_seconds', 'topology_promotion_inflight'],
  'archive_operation_seconds',
];

describe('createMetrics', () => {
  it('exposes every metric of the engine under its name with its kind and help', async () => {
    const text = await createMetrics().render();
    for (const [name, { kind, help }] of Object.entries(METRICS)) {
      expect(text).toContain(`# TYPE weft_${name} ${kind}\n`);
      expect(text).toContain(`# HELP weft_${name} ${help}\n`);
    }
  });

  it('counts by label, adds up gauges, and fills the declared buckets', async () => {
    const metrics = createMetrics();
    const { telemetry } = metrics;
    telemetry.record('frames_total', 1, 'pack');
    telemetry.record('frames_total', 2, 'pack');
    telemetry.record('frames_total', 1, 'hello');
    telemetry.record('rooms', 3);
    telemetry.record('rooms', -1);
    telemetry.record('commit_batch_nodes', 5);
    telemetry.record('errors_total', 1);
    telemetry.record('nodes_accepted_total', 7, 'no label is declared for this one');
    const lines = (await metrics.render()).split('\n');
    expect(lines).toContain('weft_frames_total{type="pack"} 3');
    expect(lines).toContain('weft_frames_total{type="hello"} 1');
    expect(lines).toContain('weft_rooms 2');
    expect(lines).toContain('weft_commit_batch_nodes_bucket{le="4"} 0');
    expect(lines).toContain('weft_commit_batch_nodes_bucket{le="16"} 1');
    expect(lines).toContain('weft_commit_batch_nodes_sum 5');
    expect(lines).toContain('weft_errors_total{code="unknown"} 1');
    expect(lines).toContain('weft_nodes_accepted_total 7');
  });

  it('asks those who watch a gauge when somebody looks, and adds up what they say', async () => {
    const metrics = createMetrics();
    let first = 3;
    metrics.telemetry.watch?.('inbox_bytes', () => first);
    metrics.telemetry.watch?.('inbox_bytes', () => 4);
    expect(await metrics.render()).toContain('weft_inbox_bytes 7\n');
    first = 1;
    expect(await metrics.render()).toContain('weft_inbox_bytes 5\n');
  });

  it('tells series with several labels apart', async () => {
    const metrics = createMetrics();
    const { telemetry } = metrics;
    telemetry.record('topology_promotion_total', 1, 'propose', 'ok');
    telemetry.record('topology_promotion_total', 2, 'apply', 'ok');
    telemetry.record('topology_promotion_total', 1, 'apply', 'rejected');
    telemetry.record('topology_promotion_total', 1, 'apply');
    const lines = (await metrics.render())
      .split('\n')
      .filter((line) => line.startsWith('weft_topology_promotion_total'));
    expect(lines).toEqual([
      'weft_topology_promotion_total{stage="propose",outcome="ok"} 1',
      'weft_topology_promotion_total{stage="apply",outcome="ok"} 2',
      'weft_topology_promotion_total{stage="apply",outcome="rejected"} 1',
      'weft_topology_promotion_total{stage="apply",outcome="unknown"} 1',
    ]);
  });

  it('has the names that dashboards and alerts were made for: one that changes breaks them', async () => {
    const names = [...(await createMetrics().render()).matchAll(/^# TYPE weft_(\S+)/gm)].map(([, name]) => name);
    const own = names.filter((name) => !/^(process|nodejs)_/.test(name ?? ''));
    expect(own).toEqual(NAMES);
  });

  it('has the metrics of the process too, all under the same prefix', async () => {
    const text = await createMetrics().render();
    expect(text).toContain('weft_process_resident_memory_bytes');
    expect(text).toContain('weft_nodejs_eventloop_lag_seconds');
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]);
    expect(names.filter((name) => !name?.startsWith('weft_'))).toEqual([]);
  });

  it('keeps the numbers of two servers in one process apart', async () => {
    const first = createMetrics();
    const second = createMetrics();
    first.telemetry.record('peers', 5);
    expect(await first.render()).toContain('weft_peers 5\n');
    expect(await second.render()).toContain('weft_peers 0\n');
  });
});
