/**
 * Programs that behave as the command lines and agents that the studio runs, each a process of its own. What they are told lands in
 * `told.jsonl` of their folder, what they say is in `play.json`, one reply for each start or prompt.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isAlive } from '../is-alive.js';
import { NodeProcesses } from '../../workspace/programs/node-processes.js';
import type { Played } from './fake-vendor.js';
import { tempFolder } from '../temp-folder.js';

export interface FakeProgram {
  readonly processes: NodeProcesses;
  readonly command: readonly string[];
  readonly folder: string;
  told(): Promise<readonly Told[]>;
  /** Resolves when no process that it has started is left. */
  quiet(): Promise<void>;
}

export interface Told {
  readonly pids: readonly number[];
  readonly args: readonly string[];
  readonly prompt: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** What all of them begin with. `text` is a reply as a model without tools of its own writes it. */
const OPENING = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
const played = JSON.parse(readFileSync('play.json', 'utf8'));
const next = () => played[Math.min(existsSync('told.jsonl') ? readFileSync('told.jsonl', 'utf8').trim().split('\\n').length : 0, played.length - 1)];
const isHanging = (play) => play === 'hang';
const tell = (prompt, play) => {
  // A stranger in its group, which holds its output and would outlive it.
  const pids = [process.pid];
  if (isHanging(play)) pids.push(spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }).pid);
  appendFileSync('told.jsonl', JSON.stringify({ pids, args: process.argv.slice(2), prompt, environment: process.env }) + '\\n');
};
const fence = '\`\`\`';
const textOf = ({ text = '', calls = [] }) => {
  const block = calls.map(({ name, input }) => typeof input === 'string' ? '{"name": "' + name + '", "input": ' + input : JSON.stringify({ name, input }));
  return [text, ...(calls.length === 0 ? [] : [fence + 'calls\\n[' + block.join(', ') + ']\\n' + fence])].filter((part) => part !== '').join('\\n');
};
const readAll = async () => { let all = ''; for await (const piece of process.stdin) all += piece; return all; };
const line = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
const secret = process.env.ANTHROPIC_API_KEY ?? process.env.CODEX_API_KEY ?? process.env.AGENT_KEY ?? '';
`;

const CLAUDE = `
const prompt = await readAll();
const play = next();
tell(prompt, play);
const at = process.argv.indexOf('--resume');
line({ type: 'system', subtype: 'init', session_id: 'unknown', tools: [] });
if (play === 'hang') setInterval(() => {}, 1000);
else if (play === 'busy') { line({ type: 'result', is_error: true, result: 'API Error: 529 overloaded ' + secret }); process.exitCode = 1; }
else if (play === 'no-right') { line({ type: 'result', is_error: true, result: 'Invalid API key ' + secret + ' · Please run /login' }); process.exitCode = 1; }
else if (play === 'half') { process.stdout.write('{"type":"assistant","mess'); process.exit(137); }
else {
  line({ type: 'assistant', message: { content: [{ type: 'text', text: textOf(play) }] } });
  line({ type: 'result', subtype: 'success', is_error: false, result: textOf(play), session_id: 'session-' + (at < 0 ? 1 : 2),
    usage: { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 40, output_tokens: 7 } });
}
`;

const CODEX = `
const prompt = await readAll();
const play = next();
tell(prompt, play);
line({ type: 'thread.started', thread_id: 'thread-1' });
line({ type: 'turn.started' });
if (play === 'hang') setInterval(() => {}, 1000);
else if (play === 'busy') { line({ type: 'turn.failed', error: { message: 'stream error: 503 Service Unavailable ' + secret } }); process.exitCode = 1; }
else if (play === 'no-right') { process.stderr.write('401 Unauthorized: ' + secret); process.exitCode = 1; }
else if (play === 'half') process.exit(1);
else {
  line({ type: 'item.completed', item: { id: 'item_0', type: 'reasoning', text: 'thinking' } });
  line({ type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: textOf(play) } });
  // A thread that goes on tells what all its turns have used.
  const turns = process.argv.includes('resume') ? 2 : 1;
  line({ type: 'turn.completed', usage: { input_tokens: 140 * turns, cached_input_tokens: 40 * turns, output_tokens: 7 * turns } });
}
`;

const AGENT = `
import { Readable, Writable } from 'node:stream';
const { agent, ndJsonStream, RequestError } = await import(process.argv[2]);
const canLoad = process.argv[3] === 'load';
agent({ name: 'fake' })
  .onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: { loadSession: canLoad } }))
  .onRequest('session/new', () => ({ sessionId: 'session-1' }))
  .onRequest('session/load', async ({ params, client }) => {
    await client.notify('session/update', { sessionId: params.sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'what was said before' } } });
    return {};
  })
  .onRequest('session/prompt', async ({ params, client }) => {
    const play = next();
    tell(params.prompt.map(({ text }) => text).join(''), play);
    const say = (text) => client.notify('session/update', { sessionId: params.sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } });
    if (play === 'hang') await new Promise(() => {});
    if (play === 'busy') throw new RequestError(-32000, 'overloaded: 529 ' + secret);
    if (play === 'no-right') throw new RequestError(-32000, 'Authentication required ' + secret);
    if (play === 'half') { await say('half of'); process.exit(1); }
    if (play.asks) {
      const answers = {};
      for (const [method, more] of Object.entries(play.asks))
        answers[method] = await client.request(method, { sessionId: params.sessionId, ...more }).then(() => 'done', ({ code }) => code);
      await say(JSON.stringify(answers));
    }
    if (play.asksPermission) {
      const { outcome } = await client.request('session/request_permission', { sessionId: params.sessionId, toolCall: { toolCallId: 't', title: 'rm' },
        options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }] });
      await say(JSON.stringify(outcome));
    }
    const text = textOf(play);
    await say(text.slice(0, 5));
    await say(text.slice(5));
    return { stopReason: play.stop === 'length' ? 'max_tokens' : 'end_turn' };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
`;

const programs = { claude: CLAUDE, codex: CODEX, agent: AGENT };

export async function fakeProgram(
  kind: keyof typeof programs,
  played: readonly (Played | { readonly asksPermission: true } | { readonly asks: Readonly<Record<string, object>> })[],
  ...args: readonly string[]
): Promise<FakeProgram> {
  const folder = join(await tempFolder(), 'home');
  await mkdir(folder);
  const script = join(folder, '..', `${kind}.mjs`);
  await writeFile(script, OPENING + programs[kind]);
  await writeFile(join(folder, 'play.json'), JSON.stringify(played));
  // A program in a folder of its own finds no packages by name.
  const sdk = pathToFileURL(createRequire(import.meta.url).resolve('@agentclientprotocol/sdk')).href;
  const told = async (): Promise<Told[]> => {
    const text = await readFile(join(folder, 'told.jsonl'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .slice(0, -1) // what has no end yet is being written
      .map((line) => JSON.parse(line) as Told);
  };
  return {
    command: [process.execPath, script, ...(kind === 'agent' ? [sdk] : []), ...args],
    folder,
    processes: await testProcesses(),
    told,
    async quiet() {
      for (const { pids } of await told())
        while (pids.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

/** They end with the test. */
export async function testProcesses(folder?: string): Promise<NodeProcesses> {
  const processes = new NodeProcesses(folder ?? (await tempFolder()), { graceMs: 0 });
  await processes.recover();
  onTestFinished(() => processes.close());
  return processes;
}
