import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Played } from '../../../testing/models/fake-vendor.js';
import { faultOf, HELLO, never, providerBattery, requestOf } from '../../../testing/models/provider-battery.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import type { AskedFor, ModelMessage, ModelTurn, Provider, ProviderFault } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { RecordingFile, recording } from './recorder.js';
import { readScript, type WrittenLine } from './script.js';
import { scripted } from './scripted.js';

function scriptOf(...lines: readonly WrittenLine[]) {
  return readScript([{ script: 1 }, ...lines].map((line) => JSON.stringify(line)).join('\n'));
}

/** What others play, in the words of a script. */
function lineOf(played: Played): WrittenLine {
  if (played === 'hang') return { afterMs: 60_000 };
  const faults: Record<string, ProviderFault> = { half: 'unreachable', busy: 'overloaded', 'no-right': 'unauthorized' };
  if (typeof played === 'string') return { fault: faults[played] ?? 'refused' };
  const { text, calls = [], stop } = played;
  if (calls.some(({ input }) => typeof input === 'string')) return { fault: 'malformed' };
  return {
    ...(text === undefined ? {} : { text }),
    calls: calls.map(({ name, input }) => ({ name, input: typeof input === 'string' ? {} : { ...input } })),
    ...(stop === undefined ? {} : { stop }),
  };
}

providerBattery('scripted', (played) => {
  const asked: string[] = [];
  const inner = scripted(scriptOf(...played.map(lineOf)));
  const provider: Provider = {
    name: 'scripted',
    turn(request, options) {
      if (!options.signal.aborted) asked.push(JSON.stringify(request));
      return inner.turn(request, options);
    },
  };
  return Promise.resolve({ provider, asked: () => Promise.resolve(asked), quiet: () => Promise.resolve() });
});

const ask = (provider: Provider, about: AskedFor, messages: readonly ModelMessage[] = HELLO.messages) =>
  provider.turn(requestOf(messages, { about }), { signal: never() });
const says = async (turn: Promise<ModelTurn>) => (await turn).text;

describe('a script', () => {
  it('begins with its version, and says which line is wrong', () => {
    expect(() => readScript('{"text":"Hello"}')).toThrow('begins with {"script":1}');
    expect(() => readScript('{"script":2}\n')).toThrow('begins with');
    expect(() => readScript('{"script":1}\n\n// of no meaning\n{"text":7}\n')).toThrow('line 4');
    expect(() => readScript('{"script":1}\n{"texts":"x"}\n{}\n')).toThrow('line 2');
    expect(() => readScript('{"script":1}\n{"text":\n{}\n')).toThrow('line 2');
  });

  it('is as the documentation shows', async () => {
    const page = await readFile(new URL('../../../../../docs/guide/scripts.md', import.meta.url), 'utf8');
    const [, example = ''] = /```jsonl\n([^]*?)```/.exec(page) ?? [];
    const provider = scripted(readScript(example));
    const about = { role: 'worker', title: 'doors', unit: 'u1' };
    const tools = [{ name: 'svc_v1_workspace_write', description: '', input: {} }];
    const { calls } = await provider.turn({ ...HELLO, tools, about }, { signal: never() });
    expect(calls.map(({ name }) => name)).toEqual(['svc_v1_workspace_write']);
  });

  it('does not count a last line that was cut off', () => {
    expect(readScript('{"script":1}\n{"text":"a"}\n{"text":"b')).toHaveLength(1);
  });

  it('lines without a reader of their own go on with that of the line before', async () => {
    const provider = scripted(scriptOf({ when: { role: 'worker' }, text: 'one' }, { text: 'two' }));
    expect(await says(ask(provider, { role: 'worker' }))).toBe('one');
    expect(await says(ask(provider, { role: 'worker' }))).toBe('two');
    const fault = await faultOf(ask(provider, { role: 'worker' }));
    expect([fault.fault, fault.message]).toEqual(['refused', 'the script does not know turn 2 of "worker"']);
    expect((await faultOf(ask(provider, { role: 'planner' }))).fault).toBe('refused');
  });

  it('what says more about who asks goes first', async () => {
    const provider = scripted(
      scriptOf(
        { when: {}, text: 'anybody' },
        { when: { role: 'worker' }, text: 'a worker' },
        { when: { role: 'worker', title: 'Doors' }, text: 'of doors' },
        { when: { says: 'windows' }, text: 'of windows' },
      ),
    );
    expect(await says(ask(provider, { role: 'worker', title: 'Doors', unit: 'u1' }))).toBe('of doors');
    expect(await says(ask(provider, { role: 'worker', title: 'Roofs', unit: 'u2' }))).toBe('a worker');
    expect(await says(ask(provider, { role: 'planner' }))).toBe('anybody');
    expect(await says(ask(provider, {}, [{ role: 'user', text: 'The windows, too.' }]))).toBe('of windows');
  });

  it('parallel agents each get their own lines, in whatever order they ask', async () => {
    const lines = [{ when: { role: 'worker' }, text: '0' }, { text: '1' }, { text: '2' }];
    const schedule = fc.shuffledSubarray(['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c'], { minLength: 9 });
    await fc.assert(
      fc.asyncProperty(schedule, async (order) => {
        const provider = scripted(scriptOf(...lines));
        const heard: Record<string, string> = {};
        for (const unit of order)
          heard[unit] = (heard[unit] ?? '') + (await says(ask(provider, { role: 'worker', unit })));
        expect(heard).toEqual({ a: '012', b: '012', c: '012' });
      }),
    );
  });

  it('who says which turn it is gets that one, also from another process', async () => {
    const script = scriptOf({ text: 'zero' }, { fault: 'overloaded' }, { text: 'one' }, { text: 'two' });
    const first = scripted(script);
    expect(await says(ask(first, { turn: 0 }))).toBe('zero');
    const second = scripted(script);
    expect(await says(ask(second, { turn: 2 }))).toBe('two');
    expect((await faultOf(ask(second, { turn: 1 }))).fault).toBe('overloaded');
    expect(await says(ask(second, { turn: 1 }))).toBe('one');
  });

  it('can repeat a line without end', async () => {
    const provider = scripted(scriptOf({ text: 'first' }, { text: 'again', repeat: true }));
    const heard = [];
    for (let turn = 0; turn < 4; turn += 1) heard.push(await says(ask(provider, {})));
    expect(heard).toEqual(['first', 'again', 'again', 'again']);
  });

  it('fills in who asks, and what tools have answered', async () => {
    const line = {
      text: 'I am {{role}} of {{ unit }}: {{result.items.1.name}}.',
      calls: [{ name: 'write', input: { ids: '{{result.items}}', note: ['for {{title}}'] } }],
    };
    const messages: ModelMessage[] = [
      ...HELLO.messages,
      { role: 'assistant', text: '', calls: [{ callId: 'a', name: 'look', input: {} }] },
      { role: 'tool', callId: 'a', text: '{"items":[{"name":"x"},{"name":"y"}]}', isError: false },
      { role: 'tool', callId: 'b', text: 'not JSON', isError: true },
    ];
    const turn = await ask(scripted(scriptOf(line)), { role: 'worker', unit: 'u7', title: 'Doors' }, messages);
    expect(turn.text).toBe('I am worker of u7: y.');
    expect(turn.calls[0]?.input).toEqual({ ids: [{ name: 'x' }, { name: 'y' }], note: ['for Doors'] });
    const unknown = scripted(scriptOf({ text: '{{result.constructor}}' }));
    expect((await faultOf(ask(unknown, {}, messages))).message).toContain('{{result.constructor}}');
  });
});

describe('a recording', () => {
  /** A run of two agents with a tool, as a loop runs it. */
  async function run(provider: Provider): Promise<unknown> {
    const runOne = async (unit: string): Promise<ModelMessage[]> => {
      const messages: ModelMessage[] = [{ role: 'user', text: `Do ${unit}.` }];
      for (let turn = 0; turn < 4; turn += 1) {
        const request = requestOf(messages, { about: { role: 'worker', unit, turn } });
        try {
          const { text, calls, stop, usage } = await provider.turn(request, { signal: never() });
          messages.push({ role: 'assistant', text: `${text} ${usage.outputTokens}`, calls });
          for (const { callId } of calls)
            messages.push({ role: 'tool', callId, text: `seen by ${unit}`, isError: false });
          if (stop === 'end') break;
        } catch (error) {
          if (!(error instanceof ProviderError)) throw error;
          messages.push({ role: 'user', text: `It was ${error.fault}, ${error.retryAfterMs ?? 'now'}.` });
          turn -= 1;
        }
      }
      return messages;
    };
    return Promise.all(['a', 'b', 'c'].map(runOne));
  }

  const live = () =>
    scripted(
      scriptOf(
        { when: { role: 'worker' }, text: 'I look, a {{role}}.', calls: [{ name: 'look', input: {} }] },
        { fault: 'rate-limited', retryAfterMs: 5 },
        {
          text: 'Well, {{unit}}',
          calls: [
            { name: 'write', input: { at: '{{unit}}' } },
            { name: 'look', input: {} },
          ],
        },
        { text: 'Done, and {braces} stay.' },
      ),
    );

  async function recorded() {
    const path = join(await tempFolder(), 'run.jsonl');
    const file = await RecordingFile.open(path);
    const result = await run(recording(live(), (line) => file.write(line)));
    await file.close();
    return { path, result, text: await readFile(path, 'utf8') };
  }

  it('replays to the same, without the model', async () => {
    const { text, result } = await recorded();
    expect(text.split('\n').filter((line) => line !== '')).toHaveLength(1 + 3 * 4);
    expect(await run(scripted(readScript(text), { isStrict: true }))).toEqual(result);
  });

  it('has what tools answered', async () => {
    const { text } = await recorded();
    const answers = readScript(text).flatMap(({ when, results = [] }) =>
      results.map((result) => [when.unit, result.callId, result.text]),
    );
    expect(answers).toContainEqual(['a', 'call-0-1', 'seen by a']);
    expect(answers).toContainEqual(['b', 'call-1-2', 'seen by b']);
  });

  it('is said again as it was, braces included', async () => {
    const provider = scripted(scriptOf({ asked: 'something', text: '{{unit}} {{result.x}}' }));
    expect(await says(ask(provider, { unit: 'u1' }))).toBe('{{unit}} {{result.x}}');
  });

  it('notices when a run takes another way', async () => {
    const { text } = await recorded();
    const strict = scripted(readScript(text), { isStrict: true });
    const fault = await faultOf(ask(strict, { role: 'worker', unit: 'a', turn: 0 }));
    expect(fault.message).toContain('asked otherwise');
  });

  it('is read by its owner alone, and goes on after a restart', async () => {
    const { path, text } = await recorded();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const file = await RecordingFile.open(path);
    await file.write({ when: {}, text: 'more' });
    await file.close();
    expect(await readFile(path, 'utf8')).toBe(`${text}{"when":{},"text":"more"}\n`);
  });

  it('does not hold what was stopped', async () => {
    const lines: WrittenLine[] = [];
    const provider = recording(live(), (line) => Promise.resolve(void lines.push(line)));
    const request = requestOf(HELLO.messages, { about: { role: 'worker' } });
    expect((await faultOf(provider.turn(request, { signal: AbortSignal.abort() }))).fault).toBe('stopped');
    expect(lines).toEqual([]);
    expect((await provider.turn(request, { signal: never() })).calls).toHaveLength(1);
    expect(lines).toHaveLength(1);
  });
});
