/** Traces of the real commands: what is sent to a collector, and what is loaded where there is none. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RoomClient, connectRoom, generateKeys } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { Collector } from '../support/servers/collector.js';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

/** Says at the end which packages of OpenTelemetry the process has loaded. */
const LOADED = `import { Module } from 'node:module';
process.on('exit', () => {
  const names = Object.keys(Module._cache).map((path) => /@opentelemetry.([a-z-]+)/.exec(path)?.[1]);
  console.error('loaded: ' + [...new Set(names)].filter(Boolean).sort().join(' ') + '.');
});`;
const env = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(LOADED)}`,
  OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
};
const WORDS = ['serve', '--store', 'memory', '--listen', '127.0.0.1:0', '--transport', 'ws'];

async function push(weft: WeftProcess): Promise<RoomClient> {
  const [, address = ''] = await weft.line(/^ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>$/);
  const client = await connectRoom({ socket: new WebSocket(`ws://${address}/ws/plans`), keys: generateKeys() });
  onTestFinished(() => client.close());
  client.replica.set('k', 1);
  await client.push();
  return client;
}

// `prom-client`, which makes the metrics, loads the API for itself.
it('without a collector nothing that traces is loaded', async () => {
  const weft = new WeftProcess(WORDS, { env });
  await push(weft);
  expect(await weft.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(weft.err.filter((line) => line.startsWith('loaded:'))).toEqual(['loaded: api.']);
});

it('with one, weft serve sends what it has before it stops, under the name that OTEL_SERVICE_NAME says', async () => {
  const collector = await Collector.start();
  const weft = new WeftProcess([...WORDS, '--traces', collector.url], { env: { ...env, OTEL_SERVICE_NAME: 'rooms' } });
  await push(weft);
  expect(await weft.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  const names = new Set(collector.spans.map(({ name }) => name));
  expect([...names].sort()).toEqual(['weft.append', 'weft.commit', 'weft.decide', 'weft.frame', 'weft.relay']);
  expect(collector.service).toBe('rooms');
  expect(weft.err.find((line) => line.startsWith('loaded:'))).toContain('exporter-trace-otlp-http');
});

it('with one that never answers, weft serve serves and stops', async () => {
  const collector = await Collector.start();
  collector.status = undefined;
  const weft = new WeftProcess(WORDS, { env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  await push(weft);
  expect(await weft.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(collector.requests.map(({ url }) => url)).toContain('/v1/traces');
});

it('an address that is none is refused by name', async () => {
  const weft = new WeftProcess([...WORDS, '--traces', 'collector:4317'], { env });
  expect((await weft.exited).code).not.toBe(0);
  expect(weft.err.join('\n')).toMatch(/--traces.*must be an address such as http:\/\/127\.0\.0\.1:4318/);
});

it('a request to a studio goes on with its trace, to the events that it writes', async () => {
  const collector = await Collector.start();
  const store = join(await tempFolder(), 'data');
  const words = ['studio', '--store', store, '--listen', '127.0.0.1:0', '--json', '--traces', collector.url];
  const weft = new WeftProcess(words, { env });
  const [line = ''] = await weft.line(/^\{.*\}$/);
  const { url, tokens } = JSON.parse(line) as { url: string; tokens: string };
  const { admin } = JSON.parse(await readFile(tokens, 'utf8')) as { admin: string };
  const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const body = JSON.stringify({ path: join(store, '..', 'project'), label: 'secret-label' });
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
  const traceparent = `00-${trace}-${parent}-01`;
  const answer = await fetch(`${url}/repositories`, { method: 'POST', headers: { ...headers, traceparent }, body });
  expect(answer.status).toBe(200);
  expect((await fetch(`${url}/repositories/none`, { headers })).status).toBe(404);
  expect(await weft.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  const names = ['weft.request', 'weft.operation', 'weft.record', 'weft.commit', 'weft.append', 'weft.relay'];
  const spans = await collector.trace(({ parentSpanId }) => parentSpanId === parent, names);
  const parentOf = (name: string): string | undefined => {
    const { parentSpanId } = spans.find((span) => span.name === name)!;
    return spans.find(({ spanId }) => spanId === parentSpanId)?.name;
  };
  expect(names.slice(1).map(parentOf)).toEqual([...names.slice(0, 4), 'weft.commit']);
  expect(spans.every(({ traceId }) => traceId === trace)).toBe(true);
  expect(spans[0]!.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 200 });
  for (const unsaid of [admin, 'secret-label', 'project']) expect(collector.text).not.toContain(unsaid);
});

/** Leaves the exporter out, as in an install without it. */
const WITHOUT = `import { register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(\`export async function resolve(name, context, next) {
  if (name.startsWith('@opentelemetry/exporter')) throw new Error('not installed');
  return next(name, context);
}\`));`;

it('without the packages, what asks for traces is told what to install, and a variable of the machine stops nothing', async () => {
  const collector = await Collector.start();
  const without = { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WITHOUT)}` };
  const asking = new WeftProcess([...WORDS, '--traces', collector.url], { env: without });
  expect((await asking.exited).code).toBe(1);
  expect(asking.err.join()).toMatch(/traces need the packages .*npm install @opentelemetry\/api@/);
  const weft = new WeftProcess(WORDS, { env: { ...without, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  await push(weft);
  await weft.kill('SIGTERM');
  expect([...weft.out, ...weft.err].join()).toMatch(/nothing is traced: .*npm install @opentelemetry\/api@/);
  expect(collector.requests).toEqual([]);
});
