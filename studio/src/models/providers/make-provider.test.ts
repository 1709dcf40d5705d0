import { describe, expect, it } from 'vitest';
import { steadyClock } from '../../clock.js';
import { Credentials } from '../credentials.js';
import { answerOf, fakeServer, refused, vendors } from '../../testing/models/fake-vendor.js';
import { fakeProgram, testProcesses } from '../../testing/models/fake-programs.js';
import { faultOf, HELLO, never, SECRET } from '../../testing/models/provider-battery.js';
import type { TurnOptions } from '../provider.js';
import { makeProvider, PROVIDER_KINDS, type ProviderParts } from './make-provider.js';

const credentials = new Credentials();
credentials.keep({ credentialRef: 'mine', apiKey: SECRET }, () => 'never');

async function parts(more: Partial<ProviderParts> = {}): Promise<ProviderParts> {
  return {
    processes: await testProcesses(),
    keyOf: (name: string) => credentials.keyOf(name),
    folder: '/',
    clock: steadyClock,
    random: () => 0,
    readFile: () => Promise.resolve('{"script":1}\n{"text":"Well."}\n'),
    ...more,
  };
}

const turnOf = async (
  settings: Parameters<typeof makeProvider>[0],
  more?: Partial<ProviderParts>,
  options?: Partial<TurnOptions>,
) => (await makeProvider(settings, await parts(more))).turn(HELLO, { signal: never(), ...options });

describe('making a provider', () => {
  it.each(vendors)('$name answers at the address that is set, with the key that is named', async (vendor) => {
    const { url, headers } = await fakeServer([answerOf(vendor, { text: 'Well.' })]);
    const settings = { kind: vendor.name, baseUrl: url, credentialRef: 'mine' };
    expect(await turnOf(settings)).toMatchObject({ text: 'Well.' });
    expect(headers[0]?.authorization).toBe(`Bearer ${SECRET}`);
  });

  it('an editor, programs and scripts answer', async () => {
    const [, openai] = vendors;
    const { url } = await fakeServer([answerOf(openai, { text: 'Well.' })]);
    const claude = await fakeProgram('claude', [{ text: 'Well.' }]);
    const codex = await fakeProgram('codex', [{ text: 'Well.' }]);
    const agent = await fakeProgram('agent', [{ text: 'Well.' }]);
    const each = {
      'vscode-lm': turnOf({ kind: 'vscode-lm', baseUrl: url }),
      'claude-cli': turnOf({ kind: 'claude-cli', command: claude.command }, claude),
      'codex-cli': turnOf({ kind: 'codex-cli', command: codex.command }, codex),
      acp: turnOf({ kind: 'acp', command: agent.command }, agent),
      scripted: turnOf({ kind: 'scripted', script: 'demo.jsonl' }),
    };
    for (const turn of Object.values(each)) expect(await turn).toMatchObject({ text: 'Well.' });
    expect([...Object.keys(each), 'anthropic', 'openai'].sort()).toEqual([...PROVIDER_KINDS].sort());
  });

  it.each([
    [{ kind: 'somebody' }, 'refused'],
    [{ kind: 'vscode-lm' }, 'refused'],
    [{ kind: 'acp' }, 'refused'],
    [{ kind: 'scripted' }, 'refused'],
    [{ kind: 'anthropic' }, 'unauthorized'],
    [{ kind: 'openai', credentialRef: 'yours' }, 'unauthorized'],
    [{ kind: 'claude-cli', credentialRef: 'yours' }, 'unauthorized'],
  ] as const)('%o is %s', async (settings, fault) => {
    expect((await faultOf(turnOf(settings))).fault).toBe(fault);
  });

  it('a key that was forgotten is used no more', async () => {
    const { url, asked } = await fakeServer([answerOf(vendors[0], { text: 'Well.' })]);
    credentials.keep({ credentialRef: 'short', apiKey: SECRET }, () => 'never');
    const provider = await makeProvider({ kind: 'anthropic', baseUrl: url, credentialRef: 'short' }, await parts());
    await provider.turn(HELLO, { signal: never() });
    credentials.evict('short');
    expect((await faultOf(provider.turn(HELLO, { signal: never() }))).fault).toBe('unauthorized');
    expect(asked).toHaveLength(1);
  });

  it('puts calls right where that is set', async () => {
    const wrong = answerOf(vendors[0], { calls: [{ name: 'LOOK', input: '{"at":1,}' }] });
    const { url, asked } = await fakeServer([wrong]);
    const settings = { kind: 'anthropic', baseUrl: url };
    expect((await turnOf({ ...settings, isLenient: true })).calls).toMatchObject([{ name: 'look', input: { at: 1 } }]);
    expect(asked).toHaveLength(1);
    expect((await faultOf(turnOf(settings))).fault).toBe('malformed');
  });

  it('tries again and asks again, each in its place', async () => {
    const busy = refused(503, {}, { 'retry-after-ms': '1' });
    const wrong = answerOf(vendors[0], { calls: [{ name: 'fly', input: {} }] });
    const { url, asked } = await fakeServer([busy, wrong, busy, answerOf(vendors[0], { text: 'Well.' })]);
    const retries: number[] = [];
    const settings = { kind: 'anthropic', baseUrl: url };
    const onRetry = ({ delayMs }: { delayMs: number }) => retries.push(delayMs);
    expect(await turnOf(settings, {}, { onRetry })).toMatchObject({ text: 'Well.' });
    expect([asked.length, retries]).toEqual([4, [1, 1]]);
  });
});
