// Everything is stopped while many agents are at work: from when the call begins until no question is open and no program runs.
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { runEntrants } from '../measuring/entrant.js';
import type { Goal } from '../results/goals.js';
import { collectGarbage } from '../measuring/harness.js';
import type { Row } from '../results/row.js';
import type { Figures } from '../measuring/statistics.js';
import { WEFT_VERSION } from '../weft/engine.js';
import { startVendor, studioOfAgents } from './studio-of-agents.js';

/**
 * Agents: a third waits for a silent model, a third listens to one that never ends, a third runs a program that does
 * not want to end.
 */
const AGENTS = 30;
const KINDS = ['silent', 'talking', 'testing'] as const;

const columns: readonly Column[] = [
  { figure: 'answered_ms', title: 'answered ms', digits: 0 },
  { figure: 'calls_ms', title: 'no question open ms', digits: 0 },
  { figure: 'quiet_ms', title: 'no program runs ms', digits: 0 },
  { figure: 'cpu_ms', title: 'CPU until then ms', digits: 0 },
];

const goals: readonly Goal[] = [{ figure: 'quiet_ms', of: 'weft', most: 100 }];

export const stopAllBench: Bench = {
  name: 'stop-all',
  summary: `stopping everything while ${AGENTS} agents are at work`,
  columns,
  goals,
  run: runStopAll,
};

function runStopAll(options: BenchOptions): Promise<readonly Row[]> {
  const agents = Math.min(options.edits ?? AGENTS, AGENTS);
  const contender = { name: 'weft', run: () => measure(agents) };
  const about = { lib: 'weft', version: WEFT_VERSION, form: '', notes: [] };
  return runEntrants('stop-all', `${agents} agents`, [{ ...about, contender }], options);
}

async function measure(agents: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  const pids = join(folder, 'pids');
  const vendor = await startVendor((body, response) => answer(body, response, pids));
  const studio = await studioOfAgents(folder, vendor, agents);
  try {
    for (let i = 0; i < agents; i++) await studio.begin(KINDS[i % KINDS.length]!);
    const testing = Math.floor(agents / KINDS.length);
    // Each is a shell and what that has started.
    while (vendor.open() < agents - testing || pidsIn(pids).length < 2 * testing) await delay(5);
    const processes = pidsIn(pids);
    collectGarbage();
    const before = process.cpuUsage();
    const begun = performance.now();
    let answered_ms = 0;
    const stopped = studio.post('stop-all').then(() => (answered_ms = performance.now() - begun));
    while (vendor.open() > 0) await delay(1);
    const calls_ms = performance.now() - begun;
    while (processes.some(isRunning)) await delay(1);
    const quiet_ms = Math.max(calls_ms, performance.now() - begun);
    const { user, system } = process.cpuUsage(before);
    await stopped;
    return { answered_ms, calls_ms, quiet_ms, cpu_ms: (user + system) / 1000 };
  } finally {
    await studio.close();
    vendor.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Never comes to an end. */
function answer(body: string, response: ServerResponse, pids: string): void {
  const kind = KINDS.find((one) => body.includes(`Goal: ${one}`)) ?? 'silent';
  if (kind === 'silent') return;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const say = (delta: object, finish_reason: string | null = null): void => {
    const chunk = { object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  if (kind === 'talking') {
    const timer = setInterval(() => say({ content: 'and then' }), 10);
    response.on('close', () => clearInterval(timer));
    return;
  }
  const testCommand = `trap "" TERM; echo $$ >> ${pids}; sleep 1000 & echo $! >> ${pids}; wait`;
  const call = { name: 'svc_v1_workspace_test', arguments: JSON.stringify({ testCommand }) };
  say({ role: 'assistant', tool_calls: [{ index: 0, id: 'call_0', type: 'function', function: call }] });
  say({}, 'tool_calls');
  response.end('data: [DONE]\n\n');
}

function pidsIn(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

/** Whether a process runs. A zombie does not, though it keeps its number until its parent asks how it ended. */
function isRunning(pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return false;
  }
}
