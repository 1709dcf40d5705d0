/**
 * Stand-ins for agent programs that work in a folder: they speak as Claude Code, Codex and agents over ACP do, edit files and run commands
 * for real, call the studio's tools over HTTP, and keep sessions in the folder that they are given for it. What they do is a play: one
 * list of acts for each prompt that they are given.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { filesBelow } from '../files-below.js';
import { tempFolder } from '../temp-folder.js';

export type Act =
  | { readonly say: string }
  /** Two pieces of a message; the second one once a file is there. */
  | { readonly saying: readonly [string, string]; readonly until: string }
  | { readonly read: string }
  | { readonly write: string; readonly text: string }
  | { readonly run: string }
  | { readonly tool: string; readonly input?: object }
  /** Claude Code's word for a limit of its plan, in seconds from now. */
  | { readonly limited: number }
  | 'hang'
  | 'die';

export interface Prompted {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly prompt: string;
  readonly session: string;
  /** Answers of the studio's tools in this run. */
  readonly answers: readonly string[];
}

export interface WorkerProgram {
  readonly command: readonly string[];
  /** What it was told, of all units below a studio's folder. */
  prompted(studioFolder: string): Promise<readonly Prompted[]>;
}

/** What all of them begin with. Sessions and what was told lie in the home. */
const OPENING = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
const played = JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'play.json'), 'utf8'));
const home = process.env.CLAUDE_CONFIG_DIR ?? process.env.CODEX_HOME ?? process.env.XDG_CONFIG_HOME;
mkdirSync(home, { recursive: true });
const toldPath = join(home, 'told.jsonl');
const toldBefore = () => existsSync(toldPath) ? readFileSync(toldPath, 'utf8').trim().split('\\n').length : 0;
const isKnown = (session) => existsSync(join(home, 'session-' + session));
const open = (session) => { writeFileSync(join(home, 'session-' + session), ''); return session; };
/** Runs that a session has had, this one included: some tell what all of them have used. */
const runsOf = (session) => { const path = join(home, 'runs-' + session); appendFileSync(path, '.'); return readFileSync(path, 'utf8').length; };
const line = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
const readAll = async () => { let all = ''; for await (const piece of process.stdin) all += piece; return all; };
let calls = 0;
const byHttp = (url, token) => async (method, params) => {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: ++calls, method, params }),
    headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json', accept: 'application/json, text/event-stream' } });
  const text = await answer.text();
  const data = text.startsWith('{') ? text : text.split('\\n').filter((one) => one.startsWith('data: ')).at(-1)?.slice(6);
  const { result, error } = JSON.parse(data ?? '{}');
  if (!result) throw new Error(error?.message ?? text.slice(0, 200));
  return result;
};
/** Acts out one prompt. \`tell\` shows what is done: begun, and what came of it. */
const act = async (prompt, session, { ask, tell, say }) => {
  const acts = played[toldBefore()] ?? [];
  const answers = [];
  const keep = () => appendFileSync(toldPath, JSON.stringify({ args: process.argv.slice(2), environment: process.env, prompt, session, answers }) + '\\n');
  const once = (() => { let isKept = false; return () => { if (!isKept) keep(); isKept = true; }; })();
  for (const [at, one] of acts.entries()) {
    const id = 'call-' + at;
    if (one === 'hang') { once(); await new Promise(() => setInterval(() => {}, 1000)); }
    if (one === 'die') { once(); process.kill(process.pid, 'SIGKILL'); await new Promise(() => setInterval(() => {}, 1000)); }
    if (one.limited !== undefined) { once(); return { limited: one.limited }; }
    if (one.say !== undefined) { await say(one.say); continue; }
    if (one.saying !== undefined) {
      const [first, second] = one.saying;
      await say.piece(first, first);
      while (!existsSync(one.until)) await new Promise((resolve) => setTimeout(resolve, 20));
      await say.piece(second, first + second);
      await say.whole(first + second);
      continue;
    }
    const doing = one.read !== undefined ? ['read', one.read] : one.write !== undefined ? ['write', one.write] : one.run !== undefined ? ['run', one.run] : ['tool', one.tool];
    const end = await tell(id, doing[0], doing[1], one);
    try {
      let text = '';
      if (one.read !== undefined) text = readFileSync(one.read, 'utf8');
      else if (one.write !== undefined) { mkdirSync(dirname(one.write), { recursive: true }); writeFileSync(one.write, one.text); text = 'written'; }
      else if (one.run !== undefined) text = execSync(one.run, { encoding: 'utf8' });
      else { const result = await ask('tools/call', { name: one.tool, arguments: one.input ?? {} }); text = result.content[0].text; answers.push(text); await end(text, result.isError === true); continue; }
      await end(text, false);
    } catch (error) { answers.push(String(error.message)); await end(String(error.message), true); }
  }
  once();
  return {};
};
const known = process.argv.indexOf('--resume') < 0 ? undefined : process.argv[process.argv.indexOf('--resume') + 1];
`;

const CLAUDE = `
const prompt = await readAll();
if (known !== undefined && !isKnown(known)) { process.stderr.write('No conversation found with session ID: ' + known); process.exit(1); }
const session = known ?? open('claude-' + (toldBefore() + 1));
const { mcpServers: { weft } } = JSON.parse(readFileSync(process.argv[process.argv.indexOf('--mcp-config') + 1], 'utf8'));
const ask = byHttp(weft.url, weft.headers.Authorization.slice(7));
const status = await ask('tools/list').then(() => 'connected', () => 'failed');
line({ type: 'system', subtype: 'init', session_id: session, tools: ['Bash', 'Read', 'Write'], mcp_servers: [{ name: 'weft', status }] });
const names = { read: 'Read', write: 'Write', run: 'Bash' };
const usage = { input_tokens: 10, cache_creation_input_tokens: 5, cache_read_input_tokens: 85, output_tokens: 20 };
// Each block of an answer is a line of its own, with the usage of the whole answer.
let answered = 0;
const said = (block) => line({ type: 'assistant', message: { id: 'msg-' + answered, role: 'assistant', content: [block], usage }, parent_tool_use_id: null, session_id: session });
let last = '';
const { limited } = await act(prompt, session, { ask,
  say: Object.assign((text) => { last = text; said({ type: 'text', text }); }, {
    piece: (text) => line({ type: 'stream_event', event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, parent_tool_use_id: null, session_id: session }),
    whole: (text) => { last = text; said({ type: 'text', text }); } }),
  tell: (id, kind, what, one) => {
    const input = kind === 'run' ? { command: what } : kind === 'tool' ? one.input ?? {} : { file_path: join(process.cwd(), what), ...(one.text === undefined ? {} : { content: one.text }) };
    said({ type: 'tool_use', id, name: names[kind] ?? 'mcp__weft__' + what, input });
    return (text, isError) => { answered += 1; line({ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text, is_error: isError }] } }); };
  } });
line({ type: 'something_new', of: 'a later version' });
if (limited !== undefined) {
  line({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: Math.floor(Date.now() / 1000) + limited, rateLimitType: 'five_hour' } });
  line({ type: 'result', subtype: 'success', is_error: true, result: "You've hit your usage limit", session_id: session, total_cost_usd: 0, usage });
  process.exitCode = 1;
} else line({ type: 'result', subtype: 'success', is_error: false, num_turns: 2, result: last, session_id: session, total_cost_usd: 0.25, usage: { ...usage, output_tokens: 40 } });
// Some versions stay when they have ended.
if (process.argv.includes('--linger')) setInterval(() => {}, 1000);
`;

const CODEX = `
const prompt = await readAll();
const resumed = process.argv.indexOf('resume') < 0 ? undefined : process.argv[process.argv.indexOf('resume') + 1];
if (resumed !== undefined && !isKnown(resumed)) { line({ type: 'error', message: 'no rollout found for thread id ' + resumed }); process.exit(1); }
const session = resumed ?? open('thread-' + (toldBefore() + 1));
const settings = Object.fromEntries(process.argv.flatMap((one, at) => one === '--config' ? [[process.argv[at + 1].split('=')[0], JSON.parse(process.argv[at + 1].slice(process.argv[at + 1].indexOf('=') + 1))]] : []));
line({ type: 'thread.started', thread_id: session });
const runs = runsOf(session);
line({ type: 'turn.started' });
const item = (id, type, more) => line({ type: 'item.completed', item: { id, type, ...more } });
await act(prompt, session, { ask: byHttp(settings['mcp_servers.weft.url'], process.env[settings['mcp_servers.weft.bearer_token_env_var']]),
  say: Object.assign((text) => item('said', 'agent_message', { text }), {
    piece: (_, text) => line({ type: 'item.updated', item: { id: 'said', type: 'agent_message', text } }),
    whole: (text) => item('said', 'agent_message', { text }) }),
  tell: (id, kind, what, one) => {
    line({ type: 'item.started', item: { id, type: 'command_execution', command: what, aggregated_output: '', status: 'in_progress' } });
    return (text, isError) => {
      if (kind === 'tool') item(id, 'mcp_tool_call', { server: 'weft', tool: what, arguments: one.input ?? {}, result: { content: [{ type: 'text', text }] }, error: isError ? { message: text } : null, status: isError ? 'failed' : 'completed' });
      else if (kind === 'write') item(id, 'file_change', { changes: [{ path: join(process.cwd(), what), kind: 'add' }], status: 'completed' });
      else item(id, 'command_execution', { command: kind === 'read' ? 'cat ' + what : what, aggregated_output: text, exit_code: isError ? 1 : 0, status: 'completed' });
    };
  } });
line({ type: 'turn.completed', usage: { input_tokens: 100 * runs, cached_input_tokens: 85 * runs, cache_write_input_tokens: 5 * runs, output_tokens: 40 * runs, reasoning_output_tokens: 5 * runs } });
`;

const AGENT = `
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
/** Starts a tool server as a program, and greets it. */
const byProgram = async (command, args, env) => {
  const child = spawn(command, args, { env: { ...process.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) }, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (text) => { const answer = JSON.parse(text); waiting.get(answer.id)?.(answer); waiting.delete(answer.id); });
  const tell = (message) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const ask = (method, params = {}) => new Promise((resolve, reject) => {
    const id = ++calls;
    waiting.set(id, ({ result, error }) => result ? resolve(result) : reject(new Error(error.message)));
    tell({ id, method, params });
  });
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'stand-in', version: '1' } });
  tell({ method: 'notifications/initialized' });
  return ask;
};
const { agent, ndJsonStream } = await import(process.argv[2]);
let servers = [];
agent({ name: 'stand-in' })
  .onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: { loadSession: process.argv[3] !== 'no-memory', mcpCapabilities: { http: process.argv[3] !== 'no-http' } } }))
  .onRequest('session/new', ({ params }) => { servers = params.mcpServers; return { sessionId: open('acp-' + (toldBefore() + 1)) }; })
  .onRequest('session/load', ({ params }) => { servers = params.mcpServers; if (!isKnown(params.sessionId)) throw new Error('no such session'); return {}; })
  .onRequest('session/prompt', async ({ params: { sessionId, prompt }, client }) => {
    const update = (value) => client.notify('session/update', { sessionId, update: value });
    const { url, headers, command, args = [], env = [] } = servers[0];
    const ask = url !== undefined ? byHttp(url, headers[0].value.slice(7)) : await byProgram(command, args, env);
    const runs = runsOf(sessionId);
    const kinds = { read: 'read', write: 'edit', run: 'execute', tool: 'other' };
    await act(prompt.map(({ text }) => text).join(''), sessionId, { ask,
      say: Object.assign((text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }), {
        piece: (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }),
        whole: () => undefined }),
      tell: async (toolCallId, kind, what, one) => {
        const locations = kind === 'read' || kind === 'write' ? [{ path: what.startsWith('/') ? what : process.cwd() + '/' + what }] : [];
        await update({ sessionUpdate: 'tool_call', toolCallId, title: what, kind: kinds[kind], status: 'in_progress', rawInput: one.input ?? { what }, locations });
        if (kind === 'write') {
          const { outcome } = await client.request('session/request_permission', { sessionId, toolCall: { toolCallId, title: what, kind: 'edit', locations },
            options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }] });
          if (outcome.optionId !== 'yes') one.text = 'not permitted';
          if (outcome.optionId !== 'yes') one.write = 'refused.txt';
        }
        return (text, isError) => update({ sessionUpdate: 'tool_call_update', toolCallId, status: isError ? 'failed' : 'completed', content: [{ type: 'content', content: { type: 'text', text } }] });
      } });
    await update({ sessionUpdate: 'usage_update', used: 100, size: 1000, cost: { amount: 0.25 * runs, currency: 'USD' } });
    return { stopReason: 'end_turn' };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
`;

const programs = { claude: CLAUDE, codex: CODEX, agent: AGENT };

export async function workerProgram(
  kind: keyof typeof programs,
  played: readonly (readonly Act[])[],
  ...args: readonly string[]
): Promise<WorkerProgram> {
  // A package: a sandbox shows it to its own programs, and to them alone.
  const folder = join(await tempFolder(), 'node_modules', 'stand-in');
  await mkdir(folder, { recursive: true });
  const script = join(folder, `${kind}.mjs`);
  await writeFile(script, OPENING + programs[kind]);
  await writeFile(join(folder, 'play.json'), JSON.stringify(played));
  // A path, since a sandbox shows the package that an argument lies in.
  const sdk = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk');
  return {
    command: [process.execPath, script, ...(kind === 'agent' ? [sdk] : []), ...args],
    prompted: async (studioFolder) => {
      const paths = (await filesBelow(studioFolder)).filter((path) => path.endsWith('told.jsonl'));
      const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
      return texts.flatMap((text) =>
        text
          // A line may be written just now.
          .slice(0, text.lastIndexOf('\n') + 1)
          .trim()
          .split('\n')
          .filter((one) => one !== '')
          .map((one) => JSON.parse(one) as Prompted),
      );
    },
  };
}
