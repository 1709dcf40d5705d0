/** Prometheus' own checker reads what the server exposes. */
import { execFile } from 'node:child_process';
import { connectRoom, createHost, generateKeys } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { createMetrics, meteredStore, startServer } from '@weft/server';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';

function promtool(text: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = execFile('promtool', ['check', 'metrics'], (_error, out, err) => {
      resolve({ code: child.exitCode, output: out + err });
    });
    child.on('error', reject);
    child.stdin?.end(text);
  });
}

it('promtool has nothing to say about /metrics', async () => {
  const metrics = createMetrics();
  const store = meteredStore(memoryStore(), metrics.telemetry);
  const host = createHost({ store, telemetry: metrics.telemetry });
  const server = await startServer({ host, listen: '127.0.0.1:0', metrics, metricsAddr: '127.0.0.1:0' });
  onTestFinished(() => server.close());
  const socket = new WebSocket(server.url.replace('<room>', 'busy'));
  const client = await connectRoom({ socket, keys: generateKeys() });
  client.replica.set('a', 1);
  await client.push();
  await client.putBlob(new Uint8Array(1000));
  await expect(client.request({ type: 'no-such-command' })).rejects.toThrow();

  const text = await (await fetch(server.metricsUrl ?? '')).text();
  for (const name of [
    'join_seconds',
    'merge_batch_seconds',
    'persistence_write_seconds',
    'fanout_seconds',
    'room_open_seconds',
  ])
    expect(text).toMatch(new RegExp(`^weft_${name}_count [1-9]`, 'm'));
  for (const line of [
    /^weft_nodes_accepted_total [1-9]/m,
    /^weft_connections 1$/m,
    /^weft_inbox_bytes 0$/m,
    /^weft_inbox_limit_bytes 536870912$/m,
    /^weft_outbox_bytes 0$/m,
    /^weft_pushes_waiting 0$/m,
    /^weft_command_seconds_count\{type="pack"\} [1-9]/m,
    /^weft_errors_total\{code="unknown-type"\} 1$/m,
    /^weft_blob_bytes_total\{direction="in"\} 1000$/m,
  ])
    expect(text).toMatch(line);
  expect(text).not.toContain('busy'); // the room: no series is named after anything that peers choose
  expect(await promtool(text)).toEqual({ code: 0, output: '' });
  expect((await promtool('not metrics {')).code).not.toBe(0);
});
