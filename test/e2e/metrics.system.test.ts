/** Prometheus' own checker reads what the server exposes. */
import { execFile } from 'node:child_process';
import { connectRoom, createHost, generateKeys } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { createMetrics, startServer } from '@weft/server';
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
  const host = createHost({ store: memoryStore(), telemetry: metrics.telemetry });
  const server = await startServer({ host, listen: '127.0.0.1:0', metrics, metricsAddr: '127.0.0.1:0' });
  onTestFinished(() => server.close());
  const socket = new WebSocket(server.url.replace('<room>', 'busy'));
  const client = await connectRoom({ socket, keys: generateKeys() });
  client.replica.set('a', 1);
  await client.push();

  const text = await (await fetch(server.metricsUrl ?? '')).text();
  expect(text).toMatch(/^weft_nodes_accepted_total \d/m);
  expect(await promtool(text)).toEqual({ code: 0, output: '' });
  expect((await promtool('not metrics {')).code).not.toBe(0);
});
