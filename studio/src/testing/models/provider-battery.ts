/** What every provider of models must do, whatever it speaks. */
import { describe, expect, it } from 'vitest';
import type { ModelMessage, ModelRequest, Provider } from '../../models/provider.js';
import { ProviderError } from '../../models/provider.js';
import { reAsk } from '../../models/providers/replies/re-ask.js';
import { withRetries } from '../../models/providers/replies/with-retries.js';
import { steadyClock } from '../../clock.js';
import type { Played } from './fake-vendor.js';

export const SECRET = 'sk-very-secret-0123456789';

export interface ArrangedProvider {
  /** Bare: nothing is retried and nothing asked again. */
  readonly provider: Provider;
  /** What the model was told, each time. */
  asked(): Promise<readonly string[]>;
  /** Resolves when nothing of a call is left. */
  quiet(): Promise<void>;
}

export type Arrange = (played: readonly Played[]) => Promise<ArrangedProvider>;

export function requestOf(messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'some-model',
    system: 'You are careful.',
    messages,
    tools: [
      { name: 'look', description: 'Look at something.', input: { type: 'object', properties: {} } },
      { name: 'write', description: 'Write something.', input: { type: 'object', properties: {} } },
    ],
    maxTokens: 1000,
    ...more,
  };
}

export const HELLO = requestOf([{ role: 'user', text: 'Begin with the tests.' }]);

/** What goes wrong with a turn. */
export async function faultOf(turn: Promise<unknown>): Promise<ProviderError> {
  const error: unknown = await turn.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ProviderError);
  if (!(error instanceof ProviderError)) throw new Error('not a fault of a provider');
  expect(JSON.stringify([error.message, error.stack, error])).not.toContain(SECRET);
  return error;
}

export function never(): AbortSignal {
  return new AbortController().signal;
}

export function providerBattery(name: string, arrange: Arrange): void {
  const patient = (provider: Provider): Provider =>
    withRetries(provider, { clock: steadyClock, random: () => 0, firstMs: 1 });

  describe(`a provider: ${name}`, () => {
    it('says what the model says, as it comes and whole', async () => {
      const { provider } = await arrange([{ text: 'All is done: grüße 🧵.' }]);
      const pieces: string[] = [];
      const turn = await provider.turn(HELLO, { signal: never(), onText: (text) => pieces.push(text) });
      expect(turn).toMatchObject({ text: 'All is done: grüße 🧵.', calls: [], stop: 'end' });
      expect(pieces.join('')).toBe('All is done: grüße 🧵.');
      expect(turn.usage.inputTokens).toBeGreaterThan(0);
      expect(turn.usage.outputTokens).toBeGreaterThan(0);
    });

    it('tells the model everything that it is asked with', async () => {
      const { provider, asked } = await arrange([{ text: 'Well.' }]);
      await provider.turn(HELLO, { signal: never() });
      const [told = ''] = await asked();
      for (const part of ['You are careful.', 'Begin with the tests.', 'Look at something.', 'write'])
        expect(told).toContain(part);
    });

    it('calls tools in order, and hears their results in the next turn', async () => {
      const { provider, asked } = await arrange([
        {
          text: 'I look.',
          calls: [
            { name: 'look', input: { at: 'a"b\n' } },
            { name: 'write', input: {} },
          ],
        },
        { text: 'Now I know.' },
      ]);
      const first = await provider.turn(HELLO, { signal: never() });
      expect(first).toMatchObject({ text: 'I look.', stop: 'calls' });
      expect(first.calls.map(({ name, input }) => [name, input])).toEqual([
        ['look', { at: 'a"b\n' }],
        ['write', {}],
      ]);
      const ids = first.calls.map(({ callId }) => callId);
      expect(new Set(ids).size).toBe(2);
      const second = await provider.turn(
        requestOf([
          ...HELLO.messages,
          { role: 'assistant', text: first.text, calls: first.calls },
          { role: 'tool', callId: ids[0] ?? '', text: 'a red door', isError: false },
          { role: 'tool', callId: ids[1] ?? '', text: 'the disk is full', isError: true },
        ]),
        { signal: never() },
      );
      expect(second).toMatchObject({ text: 'Now I know.', stop: 'end' });
      const told = (await asked())[1] ?? '';
      expect(told).toContain('a red door');
      expect(told).toContain('the disk is full');
    });

    it('asks again when a tool is called that there is not, and counts both', async () => {
      const { provider, asked } = await arrange([
        { calls: [{ name: 'delete_everything', input: {} }] },
        { calls: [{ name: 'look', input: {} }] },
      ]);
      const one = (
        await (await arrange([{ calls: [{ name: 'look', input: {} }] }])).provider.turn(HELLO, { signal: never() })
      ).usage;
      let restarts = 0;
      const turn = await reAsk(provider).turn(HELLO, { signal: never(), onStartOver: () => (restarts += 1) });
      expect(turn.calls.map((call) => call.name)).toEqual(['look']);
      expect(turn.usage.outputTokens).toBeGreaterThan(one.outputTokens);
      expect(restarts).toBe(1);
      const told = await asked();
      expect(told).toHaveLength(2);
      expect(told[1]).toContain('could not be used');
      expect(told[1]).toContain('delete_everything');
    });

    it('asks again when an input is no JSON, and gives up in the end', async () => {
      const broken: Played = { text: 'I try.', calls: [{ name: 'look', input: '{"at": ' }] };
      const once = await arrange([broken, { text: 'Sorry.' }]);
      expect(await reAsk(once.provider).turn(HELLO, { signal: never() })).toMatchObject({
        text: 'Sorry.',
        stop: 'end',
      });
      const always = await arrange([broken, broken, broken, { text: 'Too late.' }]);
      const fault = await faultOf(reAsk(always.provider).turn(HELLO, { signal: never() }));
      expect(fault.fault).toBe('malformed');
      expect(await always.asked()).toHaveLength(3);
    });

    it('tries again when the model has no time, or breaks off', async () => {
      const { provider, asked } = await arrange(['busy', 'half', { text: 'Here.' }]);
      expect(await patient(provider).turn(HELLO, { signal: never() })).toMatchObject({ text: 'Here.' });
      expect(await asked()).toHaveLength(3);
    });

    it('does not try again without a right, and never shows the key', async () => {
      const { provider, asked } = await arrange(['no-right', { text: 'Here.' }]);
      expect((await faultOf(patient(provider).turn(HELLO, { signal: never() }))).fault).toBe('unauthorized');
      expect(await asked()).toHaveLength(1);
      const busy = await arrange(['busy']);
      expect((await faultOf(busy.provider.turn(HELLO, { signal: never() }))).fault).toBe('overloaded');
    });

    it('ends at once when it is stopped, and leaves nothing', async () => {
      const { provider, asked, quiet } = await arrange(['hang']);
      const stop = new AbortController();
      const fault = faultOf(patient(provider).turn(HELLO, { signal: stop.signal }));
      while ((await asked()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      stop.abort();
      expect((await fault).fault).toBe('stopped');
      await quiet();
    });

    it('does not begin when it was stopped before', async () => {
      const { provider, asked } = await arrange([{ text: 'Too late.' }]);
      expect((await faultOf(provider.turn(HELLO, { signal: AbortSignal.abort() }))).fault).toBe('stopped');
      expect(await asked()).toHaveLength(0);
    });
  });
}
