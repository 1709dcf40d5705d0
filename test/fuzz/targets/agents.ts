/** What agent programs say line by line: over the Agent Client Protocol as a model and as a worker, and the two that print JSON. */
import { tmpdir } from 'node:os';
import { PassThrough, Writable } from 'node:stream';
import { acpAgent } from '../../../studio/src/models/providers/programs/executors/acp-agent.js';
import { claudeCode } from '../../../studio/src/models/providers/programs/executors/claude-code.js';
import { codexExec } from '../../../studio/src/models/providers/programs/executors/codex.js';
import { acp } from '../../../studio/src/models/providers/programs/acp.js';
import type { Assignment, Executor } from '../../../studio/src/models/executor.js';
import { ProviderError } from '../../../studio/src/models/provider.js';
import { requestOf } from '../../../studio/src/testing/models/provider-battery.js';
import type { Group, NodeProcesses, Wanted } from '../../../studio/src/workspace/programs/node-processes.js';
import { type Target, bytesOf } from '../target.js';

const isFault = (error: unknown): boolean => error instanceof ProviderError;
const REQUEST = requestOf([{ role: 'user', text: 'Begin.' }], { isLenient: true });
const folder = tmpdir();
const signal = new AbortController().signal;
const key = (): undefined => undefined;

/** Turns of the loop in which whoever listens has taken a line in, and has asked what it asks next. */
const TURNS = 4;

/** Processes of which each prints the bytes once it was told something, and ends. */
function printing(bytes: Uint8Array): NodeProcesses {
  return {
    isConfined: false,
    found: (address: string) => address,
    start({ hear }: Wanted): Promise<Group> {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      hear?.({ stdout, stderr } as unknown as Group['child']);
      let end = (): void => undefined;
      const gone = new Promise<unknown>((resolve) => (end = () => resolve({ code: 0, signal: null })));
      stdout.once('end', () => end());
      const lines = Buffer.from(bytes).toString('latin1').split('\n');
      /** Line by line, each when the last one could be taken; behind the last one it ends. */
      const say = async (): Promise<void> => {
        for (const line of lines.splice(0)) {
          stdout.write(Buffer.from(`${line}\n`, 'latin1'));
          for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
        }
        stdout.end();
      };
      const told = (done: () => void): void => {
        done();
        if (!hasBegun) void say();
        hasBegun = true;
      };
      let hasBegun = false;
      const stdin = new Writable({ write: (_chunk, _encoding, done) => told(done), final: told });
      const child = { stdin, stdout, stderr };
      const group = { child, pid: 0, gone, stop: () => (end(), Promise.resolve()) };
      return Promise.resolve(group as unknown as Group);
    },
  } as unknown as NodeProcesses;
}

const assignment: Assignment = {
  model: 'm',
  folder,
  home: folder,
  door: { url: 'http://127.0.0.1:9/mcp', token: 't' } as Assignment['door'],
  system: 'You work.',
  prompt: 'Begin.',
  isKeyed: false,
};

const works = async (executor: Executor, session?: string): Promise<void> => {
  await executor.run({ ...assignment, ...(session === undefined ? {} : { session }) }, {
    signal,
    hear: () => undefined,
  } as Parameters<Executor['run']>[1]);
};

const lines = (...said: readonly object[]): Uint8Array => bytesOf(said.map((one) => JSON.stringify(one)).join('\n'));
const update = (given: object): object => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's', update: given },
});
const answered = (id: number, result: object): object => ({ jsonrpc: '2.0', id, result });

const AGENT = lines(
  answered(0, {
    protocolVersion: 1,
    agentCapabilities: { loadSession: true, mcpCapabilities: { http: true }, sessionCapabilities: { resume: {} } },
  }),
  answered(1, { sessionId: 's' }),
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Well.' } }),
  update({
    sessionUpdate: 'tool_call',
    toolCallId: 'c',
    title: 'Edit',
    kind: 'edit',
    status: 'pending',
    locations: [{ path: `${folder}/a` }],
  }),
  {
    jsonrpc: '2.0',
    id: 9,
    method: 'session/request_permission',
    params: {
      sessionId: 's',
      toolCall: { toolCallId: 'c', locations: [{ path: '/etc' }] },
      options: [{ optionId: 'no', kind: 'reject_once', name: 'No' }],
    },
  },
  update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' }),
  update({ sessionUpdate: 'usage_update', used: 10, size: 100 }),
  answered(2, { stopReason: 'end_turn' }),
);
const CLAUDE = lines(
  {
    type: 'system',
    subtype: 'init',
    session_id: 's',
    tools: [],
    model: 'm',
    mcp_servers: [{ name: 'weft', status: 'connected' }],
  },
  { type: 'stream_event', event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'We' } } },
  {
    type: 'assistant',
    message: {
      id: 'a',
      content: [
        { type: 'text', text: 'Well.' },
        { type: 'tool_use', id: 'c', name: 'Edit', input: { file_path: 'a' } },
      ],
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  },
  { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 'c', content: 'done' }] } },
  {
    type: 'result',
    subtype: 'success',
    result: 'Well.',
    session_id: 's',
    usage: { input_tokens: 3, output_tokens: 2, cache_read_input_tokens: 1 },
  },
  {},
);
const CODEX = lines(
  { type: 'thread.started', thread_id: 's' },
  { type: 'turn.started' },
  { type: 'item.started', item: { id: 'i', type: 'command_execution', command: 'ls' } },
  {
    type: 'item.completed',
    item: { id: 'i', type: 'file_change', changes: [{ path: 'a', kind: 'update' }], status: 'completed' },
  },
  { type: 'item.completed', item: { id: 'j', type: 'agent_message', text: 'Well.' } },
  { type: 'turn.completed', usage: { input_tokens: 3, cached_input_tokens: 1, output_tokens: 2 } },
  {},
);

const target = (name: string, seed: Uint8Array, decode: (bytes: Uint8Array) => Promise<unknown>): Target => ({
  name,
  form: 'json-lines',
  seeds: () => [seed],
  decode: async (bytes) => void (await decode(bytes)),
  isRefusal: isFault,
  perByte: 1 << 14,
});

export const agentTargets: readonly Target[] = [
  target('acp-models', AGENT, (bytes) =>
    acp({ processes: printing(bytes), command: ['agent'], folder, key, model: 'm' } as Parameters<typeof acp>[0]).turn(
      REQUEST,
      { signal },
    ),
  ),
  target('acp-agents', AGENT, (bytes) =>
    works(acpAgent({ processes: printing(bytes), command: ['agent'], key, said: {} })),
  ),
  target('claude-code', CLAUDE, (bytes) => works(claudeCode({ processes: printing(bytes), key }))),
  target('codex', CODEX, (bytes) => works(codexExec({ processes: printing(bytes), key }))),
];
