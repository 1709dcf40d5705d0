import { connectRoom, createHost, generateKeys } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { type CollectedSpan, Collector } from '../../../test/support/servers/collector.js';
import { createMetrics } from '../metrics.js';
import { startServer } from '../server.js';
import { TRACE_LIMITS, startTraces } from './traces.js';
import { tracesUrl } from './traces-url.js';

/** Server whose spans go to an address, with a client in a room of it. */
async function serving(url: string) {
  const { telemetry, render } = createMetrics({ ofProcess: false });
  const told: string[] = [];
  const traces = await startTraces({ url, telemetry: { ...telemetry, tell: ({ message }) => told.push(message) } });
  const host = createHost({ store: memoryStore(), telemetry, tracing: traces.tracing });
  await host.ready();
  const server = await startServer({ host, listen: '127.0.0.1:0', transport: 'ws', log: () => undefined });
  onTestFinished(async () => {
    await server.close();
    await host.close();
    await traces.close();
  });
  const enter = async (room = 'plans') => {
    const socket = new WebSocket(server.url.replace('<room>', room));
    const client = await connectRoom({ socket, keys: generateKeys() });
    onTestFinished(() => client.close());
    return client;
  };
  return { host, traces, told, render, enter };
}

const framesOf = (type: string) => (span: CollectedSpan) =>
  span.name === 'weft.frame' && span.attributes['weft.frame.type'] === type;
const named = (spans: readonly CollectedSpan[], name: string) => spans.find((span) => span.name === name)!;

describe('traces', () => {
  it('follow a push from its frame through judgement and append to its relay', async () => {
    const collector = await Collector.start();
    const { enter } = await serving(collector.url);
    const client = await enter();
    client.replica.set('secret-key', 'secret-value');
    await client.push();
    const names = ['weft.commit', 'weft.decide', 'weft.append', 'weft.relay'];
    const spans = await collector.trace(framesOf('pack'), names);
    const [frame, commit, decide, append, relay] = [spans[0]!, ...names.map((name) => named(spans, name))];
    expect(frame.parentSpanId ?? '').toBe('');
    expect(frame.attributes).toMatchObject({ 'weft.room': 'plans', 'weft.frame.type': 'pack' });
    expect(commit!.parentSpanId).toBe(frame.spanId);
    expect([decide, append, relay].map((span) => span!.parentSpanId)).toEqual(Array(3).fill(commit!.spanId));
    expect(spans.every(({ traceId, failed }) => traceId === frame.traceId && !failed)).toBe(true);
    expect(collector.requests[0]!.url).toBe('/v1/traces');
    expect(collector.service).toBe('weft');
    for (const unsaid of ['secret-key', 'secret-value']) expect(collector.text).not.toContain(unsaid);
  });

  it('give each of two pushes that are judged together spans of its own', async () => {
    const collector = await Collector.start();
    const { enter, traces } = await serving(collector.url);
    const client = await enter();
    const pushes = [1, 2, 3].map((value) => {
      client.replica.set('k', value);
      return client.push();
    });
    await Promise.all(pushes);
    await traces.close();
    const frames = collector.spans.filter(framesOf('pack'));
    expect(frames.length).toBeGreaterThan(0);
    for (const { spanId } of frames)
      expect(collector.spans.filter((span) => span.parentSpanId === spanId).map(({ name }) => name)).toContain(
        'weft.commit',
      );
  });

  it('say by its code why a frame was refused, and not what it held', async () => {
    const collector = await Collector.start();
    const { host, traces } = await serving(collector.url);
    let answered: (() => void) | undefined;
    const answer = new Promise<void>((resolve) => (answered = resolve));
    const socket = { send: () => (answered?.(), 'sent' as const), close: () => undefined };
    host.connect('plans' as never, socket as never).receive(JSON.stringify({ type: 'secret-type', secret: 1 }));
    await answer;
    await traces.close();
    const [frame] = collector.spans;
    expect(frame).toMatchObject({
      failed: true,
      attributes: { 'weft.frame.type': 'unknown', 'error.type': 'expected-hello' },
    });
    expect(collector.text).not.toContain('secret');
  });

  it('put a write of the application under its own span, and nothing under one that has ended', async () => {
    const collector = await Collector.start();
    const { host, traces } = await serving(collector.url);
    const { tracing } = traces;
    const room = await host.room('plans');
    const span = tracing.begin('weft.operation', {}, undefined);
    await tracing.within(span, async () => {
      await room.set('a', 1);
      span.end();
      await room.set('a', 2);
    });
    await room.set('a', 3);
    await traces.close();
    const count = (name: string) => collector.spans.filter((one) => one.name === name).length;
    expect([count('weft.operation'), count('weft.commit'), count('weft.append'), count('weft.relay')]).toEqual([
      1, 1, 1, 1,
    ]);
  });

  it('of a collector that refuses them are dropped and counted, and told once', async () => {
    const collector = await Collector.start();
    collector.status = 400;
    const { enter, traces, render, told } = await serving(collector.url);
    const client = await enter();
    client.replica.set('k', 1);
    await client.push();
    await traces.close();
    expect(await render()).toMatch(/^weft_trace_spans_dropped_total [1-9]/m);
    expect(told).toEqual(['the collector takes no traces: they are dropped']);
  });

  it('wait in a bounded queue, and are dropped and counted beyond it', async () => {
    const collector = await Collector.start();
    collector.status = undefined;
    const { traces, render } = await serving(collector.url);
    const { tracing } = traces;
    for (let i = 0; i < TRACE_LIMITS.waiting + 7; i++) tracing.begin('weft.frame', {}, undefined).end();
    expect(await render()).toMatch(/^weft_trace_spans_dropped_total 7$/m);
    await traces.close(); // by its own deadline: the collector never answers
    expect(await render()).toMatch(new RegExp(`^weft_trace_spans_dropped_total ${TRACE_LIMITS.waiting + 7}$`, 'm'));
  });

  it('of a server whose collector is not there cost it nothing else', async () => {
    const collector = await Collector.start();
    const { url } = collector;
    await collector.close();
    const { enter, traces, render } = await serving(url);
    const [ann, ben] = [await enter(), await enter()];
    const heard = new Promise<void>((resolve) => void ben.onChange(resolve));
    ann.replica.set('k', 1);
    await ann.push();
    await heard;
    await traces.close();
    expect(await render()).toMatch(/^weft_trace_spans_dropped_total [1-9]/m);
  });

  it('go on from the span that a request names, and are not kept where its sender keeps none', async () => {
    const collector = await Collector.start();
    const { traces } = await serving(collector.url);
    const { tracing } = traces;
    const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    tracing.begin('weft.request', {}, tracing.remote(`00-${trace}-${parent}-01`)).end();
    tracing.begin('weft.request', {}, tracing.remote(`00-${trace}-${parent}-00`)).end();
    await traces.close();
    expect(collector.spans).toMatchObject([{ traceId: trace, parentSpanId: parent }]);
    for (const wrong of ['', 'x', `ff-${trace}-${parent}-01`, `00-${trace}-${parent}-01-more`, `00-${trace}-${parent}`])
      expect(tracing.remote(wrong), wrong).toBeUndefined();
    for (const none of [
      `00-${'0'.repeat(32)}-${parent}-01`,
      `00-${trace}-${'0'.repeat(16)}-01`,
      `00-${trace.toUpperCase()}-${parent}-01`,
    ])
      expect(tracing.remote(none), none).toBeUndefined();
    expect(tracing.remote(`01-${trace}-${parent}-01-more`)).toBeDefined();
  });
});

describe('the address of the collector', () => {
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' };

  it.each([
    [undefined, {}, undefined],
    ['http://a:1', base, 'http://a:1'],
    [undefined, base, 'http://c:4318/v1/traces'],
    [undefined, { ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://d/x' }, 'http://d/x'],
    [undefined, { ...base, OTEL_TRACES_EXPORTER: 'none' }, undefined],
    ['http://a:1', { OTEL_SDK_DISABLED: 'true' }, undefined],
    [undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined],
  ])('is, with %j and %j, %j', (option, environment, url) => {
    expect(tracesUrl(option, environment)).toBe(url);
  });

  it('is refused by the name of its variable where it is none', () => {
    expect(() => tracesUrl(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' })).toThrow(
      /^OTEL_EXPORTER_OTLP_ENDPOINT: must be an address such as http/,
    );
    expect(() => tracesUrl(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:b@c' })).toThrow(
      /must hold no password/,
    );
  });
});
