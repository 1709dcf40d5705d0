import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeProgram, testProcesses } from '../../../testing/models/fake-programs.js';
import { PLAYED_USAGE } from '../../../testing/models/fake-vendor.js';
import { faultOf, HELLO, never, providerBattery, requestOf, SECRET } from '../../../testing/models/provider-battery.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import type { Provider } from '../../provider.js';
import { acp } from './acp.js';
import { claudeCli, codexCli, type ProgramModel } from './command-line.js';
import { byLines } from './program.js';

const key = () => SECRET;
const kinds = {
  claude: (model: ProgramModel & { command: readonly string[] }): Provider => claudeCli(model),
  codex: (model: ProgramModel & { command: readonly string[] }): Provider => codexCli(model),
  agent: (model: ProgramModel & { command: readonly string[] }): Provider => acp({ keyName: 'AGENT_KEY', ...model }),
};
type Kind = keyof typeof kinds;
const all: readonly Kind[] = ['claude', 'codex', 'agent'];
const limits = { silenceMs: 20_000, wholeMs: 60_000, mostBytes: 1 << 20 };

for (const kind of all) {
  providerBattery(kind, async (played) => {
    const { told, quiet, ...fake } = await fakeProgram(kind, played);
    return {
      provider: kinds[kind]({ ...fake, key, limits }),
      asked: async () => (await told()).map(({ prompt }) => prompt),
      quiet,
    };
  });
}

const says = (script: string) => ['/bin/sh', '-c', script, '--'] as const;
const said = { role: 'assistant' as const, text: 'First.', calls: [] };
const more = { role: 'user' as const, text: 'And then?' };

describe('a program that runs a model', () => {
  it.each(all)('%s is given the environment by name, and its key', async (kind) => {
    process.env['WEFT_TEST_SECRET'] = 'of the host';
    const { told, ...fake } = await fakeProgram(kind, [{ text: 'Well.' }]);
    await kinds[kind]({ ...fake, key }).turn(HELLO, { signal: never() });
    delete process.env['WEFT_TEST_SECRET'];
    const [{ environment = {}, args = [], prompt = '' } = {}] = await told();
    expect(environment['PATH']).toBe(process.env['PATH']);
    expect(Object.values(environment)).toContain(SECRET);
    expect(environment).not.toHaveProperty('WEFT_TEST_SECRET');
    expect(environment).not.toHaveProperty('NODE_ENV');
    expect(args.join(' ') + prompt).not.toContain(SECRET);
  });

  it.each([
    ['claude', [], '--resume session-1'],
    ['codex', [], 'resume thread-1 -'],
    ['agent', ['load'], undefined],
  ] as const)('%s is told only what is new while it remembers', async (kind, extra, flag) => {
    const fake = await fakeProgram(kind, [{ text: 'First.' }, { text: 'Second.' }, { text: 'Other.' }], ...extra);
    const provider = kinds[kind]({ ...fake, key });
    await provider.turn(HELLO, { signal: never() });
    const turn = await provider.turn(requestOf([...HELLO.messages, said, more]), { signal: never() });
    expect(turn.text).toBe('Second.');
    // Codex tells the sum of both.
    if (kind !== 'agent') expect(turn.usage).toEqual(PLAYED_USAGE);
    const [, second] = await fake.told();
    expect(second?.prompt).toContain('And then?');
    expect(second?.prompt).not.toContain('Begin with the tests.');
    if (flag !== undefined) expect(second?.args.join(' ')).toContain(flag);
    // What was said otherwise is another conversation.
    await provider.turn(requestOf([...HELLO.messages, { ...said, text: 'Else.' }, more]), { signal: never() });
    const [, , third] = await fake.told();
    expect(third?.prompt).toContain('Begin with the tests.');
    expect(third?.args.join(' ')).not.toContain('resume');
  });

  it('an agent that cannot load is told everything each time', async () => {
    const fake = await fakeProgram('agent', [{ text: 'First.' }, { text: 'Second.' }]);
    const provider = acp({ ...fake, key });
    await provider.turn(HELLO, { signal: never() });
    await provider.turn(requestOf([...HELLO.messages, said, more]), { signal: never() });
    expect((await fake.told())[1]?.prompt).toContain('Begin with the tests.');
  });

  it('what it has forgotten is told again', async () => {
    const fake = await fakeProgram('codex', [{ text: 'First.' }, 'half', { text: 'Second.' }]);
    const provider = codexCli({ ...fake, key });
    await provider.turn(HELLO, { signal: never() });
    let restarts = 0;
    const request = requestOf([...HELLO.messages, said, more]);
    const turn = await provider.turn(request, { signal: never(), onStartOver: () => (restarts += 1) });
    expect([turn.text, restarts]).toEqual(['Second.', 1]);
    const told = await fake.told();
    expect(told[1]?.args).toContain('resume');
    expect(told[2]?.args).not.toContain('resume');
    expect(told[2]?.prompt).toContain('Begin with the tests.');
  });

  it.each(['claude', 'codex'] as const)('%s counts as it says', async (kind) => {
    const fake = await fakeProgram(kind, [{ text: 'Well.' }]);
    const turn = await kinds[kind]({ ...fake, key }).turn(HELLO, { signal: never() });
    expect(turn.usage).toEqual(PLAYED_USAGE);
  });

  it('claude gets no tools of its own', async () => {
    const fake = await fakeProgram('claude', [{ text: 'Well.' }]);
    await claudeCli({ ...fake, key }).turn(HELLO, { signal: never() });
    const args = (await fake.told())[0]?.args ?? [];
    expect(args[args.indexOf('--tools') + 1]).toBe('');
    expect(args).toContain('--strict-mcp-config');
  });

  it('an agent is denied what it asks leave for', async () => {
    const fake = await fakeProgram('agent', [{ asksPermission: true }]);
    const { text } = await acp({ ...fake, key }).turn(HELLO, { signal: never() });
    expect(JSON.parse(text)).toEqual({ outcome: 'selected', optionId: 'no' });
  });

  it('an agent has no files and no terminals of its host', async () => {
    const inside = join(await tempFolder(), 'secret');
    await writeFile(inside, 'of the host');
    const asks = {
      'fs/read_text_file': { path: inside },
      'fs/write_text_file': { path: inside, content: 'changed' },
      'terminal/create': { command: 'cat', args: [inside] },
    };
    const fake = await fakeProgram('agent', [{ asks }]);
    const { text } = await acp({ ...fake, key }).turn(HELLO, { signal: never() });
    const none = -32601;
    expect(JSON.parse(text)).toEqual(Object.fromEntries(Object.keys(asks).map((method) => [method, none])));
    expect(await readFile(inside, 'utf8')).toBe('of the host');
  });

  it.each([
    ['does not exist', ['/nowhere/at-all'], 'refused'],
    ['says nothing', [process.execPath, '-e', '', '--'], 'unreachable'],
    ['hangs', [process.execPath, '-e', 'setInterval(() => {}, 1000)', '--'], 'timeout'],
    [
      'ignores that it should end',
      [process.execPath, '-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)', '--'],
      'timeout',
    ],
    [
      'writes without end',
      [process.execPath, '-e', 'for (;;) require("fs").writeSync(1, "x".repeat(100000))', '--'],
      'malformed',
    ],
  ] as const)('one that %s is a fault', async (_, command, fault) => {
    const [folder, processes] = [await tempFolder(), await testProcesses()];
    // Whoever ends by itself has time for it, however busy the machine is.
    const tight = { ...limits, silenceMs: fault === 'timeout' ? 400 : limits.silenceMs };
    for (const kind of all) {
      const error = await faultOf(
        kinds[kind]({ processes, command, folder, key, limits: tight }).turn(HELLO, { signal: never() }),
      );
      expect([kind, error.fault]).toEqual([kind, fault]);
    }
  });

  it.each([
    ['is not there', ['/nowhere/at-all'], 'refused', /at-all cannot be started: install it, or name its command/],
    ['prints help', says('echo "Usage: x [options]"'), 'refused', /is it the right program\? Usage: x \[options\]/],
    ['is too old', says('echo "error: unknown option --tools" >&2; exit 1'), 'refused', /of a version.*unknown option/],
    [
      'is not logged in',
      says('echo "Not logged in" >&2; exit 1'),
      'unauthorized',
      /as the user of this host.* log ?in/,
    ],
  ] as const)('one that %s is told in words that say what to do', async (_, command, fault, words) => {
    const [folder, processes] = [await tempFolder(), await testProcesses()];
    for (const kind of all) {
      const error = await faultOf(kinds[kind]({ processes, command, folder, key }).turn(HELLO, { signal: never() }));
      expect([kind, error.fault]).toEqual([kind, fault]);
      expect(error.message).toMatch(words);
    }
  });

  it('an agent that goes on without a word of the protocol is told for what it says', async () => {
    const [folder, processes] = [await tempFolder(), await testProcesses()];
    const tight = { ...limits, silenceMs: 400 };
    const command = says('echo "Welcome! Type your question."; sleep 1000');
    const error = await faultOf(
      acp({ processes, command, folder, key, limits: tight }).turn(HELLO, { signal: never() }),
    );
    expect([error.fault, error.message]).toEqual([
      'refused',
      'sh does not answer as it should: is it the right program? Welcome! Type your question.',
    ]);
  });

  it('codex is told of another address where it looks for it, and what went wrong on its way is told when it ends so', async () => {
    const fake = await fakeProgram('codex', [{ text: 'Well.' }]);
    await codexCli({ ...fake, key, baseUrl: 'http://127.0.0.1:9/v1' }).turn(HELLO, { signal: never() });
    const [{ args = [], environment = {} } = {}] = await fake.told();
    expect(args[args.indexOf('--config') + 1]).toBe('openai_base_url="http://127.0.0.1:9/v1"');
    expect(environment['OPENAI_BASE_URL']).toBe('http://127.0.0.1:9/v1');
    const [folder, processes] = [await tempFolder(), await testProcesses()];
    const trouble = JSON.stringify({ type: 'error', message: 'Reconnecting... 5/5' });
    const command = says(`echo '${trouble}'; exit 1`);
    const error = await faultOf(codexCli({ processes, command, folder, key }).turn(HELLO, { signal: never() }));
    expect([error.fault, error.message]).toEqual(['unreachable', 'sh says: Reconnecting... 5/5']);
  });

  it.each(all)('%s ends when a host that comes after a crash finds it', async (kind) => {
    const { told, quiet, ...fake } = await fakeProgram(kind, ['hang']);
    const folder = await tempFolder();
    const processes = await testProcesses(folder);
    const fault = faultOf(kinds[kind]({ ...fake, processes, key }).turn(HELLO, { signal: never() }));
    while ((await told()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await testProcesses(folder);
    expect((await fault).fault).toBe('unreachable');
    await quiet();
  });

  it('a reply in many pieces comes whole', async () => {
    const folder = await tempFolder();
    const script = join(folder, 'pieces.mjs');
    const text = 'grüße 🧵 '.repeat(3000);
    await writeFile(
      script,
      `const bytes = Buffer.from(JSON.stringify({ type: 'result', result: ${JSON.stringify(text)} }) + '\\n');
       for (let at = 0; at < bytes.length; at += 1001) {
         process.stdout.write(bytes.subarray(at, at + 1001));
         await new Promise((resolve) => setImmediate(resolve));
       }`,
    );
    const provider = claudeCli({ processes: await testProcesses(), command: [process.execPath, script], folder, key });
    expect((await provider.turn(HELLO, { signal: never() })).text).toBe(text.trim());
  });

  it('lines are whole, wherever pieces end', () => {
    const lines: string[] = [];
    const take = byLines((line) => lines.push(line));
    for (const byte of Buffer.from('grüße\n🧵\n\nno end')) take(Buffer.from([byte]));
    take(Buffer.from(' yet\nat last'));
    expect(lines).toEqual(['grüße', '🧵', '', 'no end yet']);
  });
});
