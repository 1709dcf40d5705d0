import { describe, expect, it } from 'vitest';
import {
  type Answer,
  answerOf,
  begin,
  fakeServer,
  PLAYED_USAGE,
  type Played,
  refused,
  streamed,
  type Vendor,
  vendors,
} from '../../../testing/models/fake-vendor.js';
import { faultOf, HELLO, never, providerBattery, requestOf, SECRET } from '../../../testing/models/provider-battery.js';
import type { Provider } from '../../provider.js';
import { anthropic } from './anthropic.js';
import type { HttpLimits, HttpModel } from './http-model.js';
import { openai } from './openai.js';

const roomy: HttpLimits = { silenceMs: 20_000, wholeMs: 60_000, mostBytes: 1 << 20 };
const make = { anthropic, openai };

async function arrange(vendor: Vendor, answers: readonly Answer[], more: Partial<HttpModel> = {}) {
  const server = await fakeServer(answers);
  const provider: Provider = make[vendor.name]({ key: () => SECRET, baseUrl: server.url, limits: roomy, ...more });
  return { server, provider };
}

for (const vendor of vendors) {
  const say = (played: Played) => answerOf(vendor, played);

  providerBattery(vendor.name, async (played) => {
    const { server, provider } = await arrange(vendor, played.map(say));
    return { provider, asked: () => Promise.resolve(server.asked), quiet: server.quiet };
  });

  describe(`over HTTP: ${vendor.name}`, () => {
    const now = Date.parse('2026-03-01T10:00:00Z');

    it('counts what the vendor counts', async () => {
      const { provider } = await arrange(vendor, [say({ text: 'Well.' })]);
      expect((await provider.turn(HELLO, { signal: never() })).usage).toEqual(PLAYED_USAGE);
    });

    it('shows its key to the vendor, and takes none from the environment', async () => {
      const { provider, server } = await arrange(vendor, [say({ text: 'Well.' })]);
      await provider.turn(HELLO, { signal: never() });
      expect(server.headers[0]?.authorization).toBe(`Bearer ${SECRET}`);
      const open = await arrange(vendor, [say({ text: 'Well.' })], { key: () => undefined });
      await open.provider.turn(HELLO, { signal: never() });
      expect(open.server.headers[0]?.authorization).toBe('Bearer none');
    });

    it.each([
      [429, { 'retry-after': '7' }, 'rate-limited', 7000],
      [429, { 'retry-after': 'Sun, 01 Mar 2026 10:00:30 GMT' }, 'rate-limited', 30_000],
      [429, { 'retry-after': 'Sun, 01 Mar 2026 09:00:00 GMT' }, 'rate-limited', 0],
      [429, { 'retry-after-ms': '1500', 'retry-after': '7' }, 'rate-limited', 1500],
      [429, { 'retry-after': 'soon' }, 'rate-limited', undefined],
      [429, {}, 'rate-limited', undefined],
      [500, {}, 'overloaded', undefined],
      [503, { 'retry-after': '2' }, 'overloaded', 2000],
      [529, {}, 'overloaded', undefined],
      [408, {}, 'timeout', undefined],
      [401, {}, 'unauthorized', undefined],
      [403, {}, 'unauthorized', undefined],
      [404, {}, 'refused', undefined],
      [413, {}, 'too-long', undefined],
      [301, { location: 'http://127.0.0.1:9/' }, 'refused', undefined],
    ])('%i with %o is %s', async (status, headers, fault, wait) => {
      const body = { error: { message: `no, ${SECRET}` } };
      const { provider, server } = await arrange(vendor, [refused(status, body, headers)], { now: () => now });
      const error = await faultOf(provider.turn(HELLO, { signal: never() }));
      expect(error).toMatchObject({ fault, retryAfterMs: wait });
      // Their libraries retry nothing.
      expect(server.asked).toHaveLength(1);
    });

    it.each([
      ['invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'too-long'],
      ['invalid_request_error', "This model's maximum context length is 128000 tokens", 'too-long'],
      ['invalid_request_error', 'temperature: must be a number', 'refused'],
    ])('400 %s: %s is %s', async (type, message, fault) => {
      const { provider } = await arrange(vendor, [refused(400, { error: { type, message } })]);
      expect((await faultOf(provider.turn(HELLO, { signal: never() }))).fault).toBe(fault);
    });

    it('knows a limit of spending, which no wait ends', async () => {
      const { provider } = await arrange(vendor, [
        refused(429, { error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'pay first' } }),
      ]);
      const fault = await faultOf(provider.turn(HELLO, { signal: never() }));
      expect([fault.fault, fault.passing]).toEqual(['spent-out', false]);
    });

    it('says that nobody is there', async () => {
      const { provider } = await arrange(vendor, [], { baseUrl: 'http://127.0.0.1:9' });
      expect((await faultOf(provider.turn(HELLO, { signal: never() }))).fault).toBe('unreachable');
    });

    it('says that the connection was reset, before and in the middle', async () => {
      const early: Answer = (response) => void response.socket?.resetAndDestroy();
      const late: Answer = (response) => {
        begin(response).write(vendor.events({ text: 'half' }).slice(0, 3).join(''), () => {
          response.socket?.resetAndDestroy();
        });
      };
      for (const reset of [early, late]) {
        const { provider } = await arrange(vendor, [reset]);
        expect((await faultOf(provider.turn(HELLO, { signal: never() }))).fault).toBe('unreachable');
      }
    });

    it('tells what half a stream has cost', async () => {
      const { provider } = await arrange(vendor, [say('half')]);
      const { fault, spent } = await faultOf(provider.turn(HELLO, { signal: never() }));
      expect(fault).toBe('unreachable');
      expect(spent?.inputTokens).toBeGreaterThan(0);
    });

    it.each([
      ['before it answers', () => undefined],
      ['in the middle', (response) => void begin(response).write(vendor.events({ text: 'half' })[0])],
    ] satisfies [string, Answer][])('gives a server up that falls silent %s', async (_, silent) => {
      const limits = { ...roomy, silenceMs: 60 };
      const { provider, server } = await arrange(vendor, [silent], { limits });
      expect((await faultOf(provider.turn(HELLO, { signal: never() }))).fault).toBe('timeout');
      await server.quiet();
    });

    it('takes what drips slowly, but not for ever', async () => {
      const drip =
        (pieces: readonly string[]): Answer =>
        async (response) => {
          begin(response);
          for (const piece of pieces) {
            response.write(piece);
            await new Promise((resolve) => setTimeout(resolve, 2));
          }
          response.end();
        };
      const letters = [...vendor.events({ text: 'slow' }).join('')];
      // Silent for less than it may be, many times.
      const limits = { ...roomy, silenceMs: 700 };
      const patient = await arrange(vendor, [drip(letters)], { limits });
      expect(await patient.provider.turn(HELLO, { signal: never() })).toMatchObject({ text: 'slow' });
      const endless: Answer = (response) => {
        const timer = setInterval(() => response.write(': still here\n\n'), 5);
        begin(response).on('close', () => {
          clearInterval(timer);
        });
      };
      const { provider } = await arrange(vendor, [endless], { limits: { ...roomy, silenceMs: 5000, wholeMs: 200 } });
      expect((await faultOf(provider.turn(HELLO, { signal: never() }))).fault).toBe('timeout');
    });

    it('takes no more than anybody can want', async () => {
      const flood: Answer = (response) => {
        begin(response);
        const more = (): void => {
          while (!response.destroyed && response.write(`: ${'x'.repeat(10_000)}\n`));
        };
        response.on('drain', more);
        more();
      };
      const whole = streamed(vendor.events({ text: 'x'.repeat(2 << 20) }));
      const error = refused(500, { error: { message: 'x'.repeat(2 << 20) } });
      for (const huge of [flood, whole, error]) {
        const { provider, server } = await arrange(vendor, [huge]);
        expect((await faultOf(provider.turn(HELLO, { signal: never() }))).fault).toBe('malformed');
        await server.quiet();
      }
    });

    it.each([
      ['no JSON', 'event: message_start\ndata: {"type":"message_\n\n'],
      ['another shape', `event: message_start\ndata: {"type":"message_start","message":7,"choices":7}\n\n`],
    ])('says that a stream is %s', async (_, garbage) => {
      const { provider } = await arrange(vendor, [streamed([garbage])]);
      expect((await faultOf(provider.turn(HELLO, { signal: never() }))).fault).toBe('malformed');
    });

    it.each([
      ['overloaded_error', 'overloaded'],
      ['rate_limit_error', 'rate-limited'],
      ['authentication_error', 'unauthorized'],
    ])('a stream that ends in %s is %s', async (type, fault) => {
      const body = JSON.stringify({ type: 'error', error: { type, message: `no, ${SECRET}` } });
      const begun = vendor.events({ text: 'half of it' }).slice(0, 4);
      const { provider } = await arrange(vendor, [streamed([...begun, `event: error\ndata: ${body}\n\n`])]);
      const error = await faultOf(provider.turn(HELLO, { signal: never() }));
      expect(error.fault).toBe(fault);
      expect(error.spent?.inputTokens).toBeGreaterThan(0);
    });

    it('says that a page is no stream', async () => {
      const { provider } = await arrange(vendor, [
        (response) => {
          response.writeHead(200, { 'content-type': 'text/html' });
          response.end('<html>Log in</html>');
        },
      ]);
      const { passing } = await faultOf(provider.turn(HELLO, { signal: never() }));
      expect(passing).toBe(true);
    });

    it('keeps the whole calls of a turn that was cut, and names the one in which it ended', async () => {
      const calls = [
        { name: 'look', input: {} },
        { name: 'write', input: '{"text": "a lo' },
      ];
      const { provider } = await arrange(vendor, [say({ text: 'I', calls, stop: 'length' })]);
      const turn = await provider.turn(HELLO, { signal: never() });
      expect(turn).toMatchObject({ text: 'I', stop: 'length', cut: { tool: 'write', characters: 14 } });
      expect(turn.calls.map(({ name }) => name)).toEqual(['look']);
    });

    it.each([
      [
        { 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': '2026-03-01T15:00:00Z' },
        18_000_000,
      ],
      [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' }, 360_000],
      [{ 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '6m0s' }, undefined],
      [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '250ms' }, 250],
    ])('reads from %o when a limit begins anew', async (headers, wait) => {
      const { provider } = await arrange(vendor, [refused(429, { error: { message: 'no' } }, headers)], {
        now: () => now,
      });
      expect((await faultOf(provider.turn(HELLO, { signal: never() }))).retryAfterMs).toBe(wait);
    });

    it('gives calls ids of their own, whatever the vendor calls them', async () => {
      const calls = ['same', 'same', ''].map((callId) => ({ name: 'look', input: {}, callId }));
      const { provider } = await arrange(vendor, [say({ calls })]);
      const before = { role: 'assistant' as const, text: '', calls: [{ callId: 'call-2', name: 'look', input: {} }] };
      const after = { role: 'tool' as const, callId: 'call-2', text: 'seen', isError: false };
      const turn = await provider.turn(requestOf([...HELLO.messages, before, after]), { signal: never() });
      expect(new Set(['call-2', ...turn.calls.map(({ callId }) => callId)]).size).toBe(4);
    });
  });
}

it.each([
  ['enforced_spend_limit_reached', 'spent-out', false],
  ['contract_spend_limit_reached', 'spent-out', false],
  ['linked_organization_spend_limit_reached', 'spent-out', false],
  ['ramp_limit_exceeded', 'spent-out', false],
  ['requests_per_minute', 'rate-limited', true],
])('a limit that its code names %s is %s, whatever its type and its words say', async (code, fault, passing) => {
  const error = { type: 'rate_limit_error', message: 'too many requests', details: { error_code: code } };
  const anthropics = vendors.find(({ name }) => name === 'anthropic')!;
  const { provider } = await arrange(anthropics, [refused(429, { type: 'error', error })]);
  expect(await faultOf(provider.turn(HELLO, { signal: never() }))).toMatchObject({ fault, passing, code });
});
