// The studio as its callers meet it: over HTTP, over tools, as followers of events, and at a start on a long log.
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Host, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { type RunningStudio, newTokens, startStudio } from '@weft/studio';
import type { Bench, BenchOptions, Column } from './bench.js';
import { runEntrants } from './entrant.js';
import type { Goal } from './goals.js';
import { collectGarbage, mustHold, timed } from './harness.js';
import type { Row } from './row.js';
import { type Figures, median, percentile } from './statistics.js';
import { followInProcess } from './studio-followers.js';
import { fillRecord, tellEvents } from './weft/record.js';
import { WEFT_VERSION } from './weft/engine.js';

const EVENTS = 100_000;
const UNITS = 10_000;
const FOLLOWERS = 500;
const EVENTS_PER_SECOND = 1000;
const SECONDS = 5;
const REQUESTS_PER_SECOND = 200;

const columns: readonly Column[] = [
  { figure: 'get_p50_ms', title: 'GET p50 ms', digits: 2 },
  { figure: 'get_p99_ms', title: 'p99', digits: 1 },
  { figure: 'post_p50_ms', title: 'POST p50 ms', digits: 2 },
  { figure: 'post_p99_ms', title: 'p99', digits: 1 },
  { figure: 'page_ms', title: 'page of the units ms', digits: 1 },
  { figure: 'tools_list_ms', title: 'tools/list ms', digits: 1 },
  { figure: 'tools_call_ms', title: 'tools/call ms', digits: 1 },
  { figure: 'start_ms', title: 'start ms', digits: 0 },
  { figure: 'follow_p99_ms', title: 'event p99 ms', digits: 0 },
  { figure: 'lost', title: 'events lost', digits: 0 },
  { figure: 'delivery_us', title: 'CPU per delivery µs', digits: 2 },
];

const goals: readonly Goal[] = [
  { figure: 'get_p50_ms', of: 'weft', most: 2 },
  { figure: 'get_p99_ms', of: 'weft', most: 15 },
  { figure: 'post_p50_ms', of: 'weft', most: 4 },
  { figure: 'post_p99_ms', of: 'weft', most: 20 },
  { figure: 'page_ms', of: 'weft', most: 10 },
  { figure: 'tools_list_ms', of: 'weft', most: 8 },
  { figure: 'tools_call_ms', of: 'weft', most: 3 },
  { figure: 'start_ms', of: 'weft', most: 2000 },
  { figure: 'follow_p99_ms', of: 'weft', most: 150 },
  { figure: 'lost', of: 'weft', most: 0 },
];

export const studioBench: Bench = {
  name: 'studio',
  summary: `the studio with ${EVENTS} events and ${UNITS} work units, and ${FOLLOWERS} followers`,
  columns,
  goals,
  run: runStudio,
};

async function runStudio(options: BenchOptions): Promise<readonly Row[]> {
  const events = Math.min(options.edits ?? EVENTS, EVENTS);
  const units = Math.ceil((UNITS * events) / EVENTS);
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  try {
    options.progress(`writing ${events} events`);
    await fill(folder, events, units);
    const contender = { name: 'weft', run: () => measure(folder, units) };
    const about = { lib: 'weft', version: WEFT_VERSION, form: '', notes: [] };
    return await runEntrants('studio', `${events} events`, [{ ...about, contender }], options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(folder: string, events: number, units: number): Promise<void> {
  const { host, studio, caller } = await open(folder);
  await fillRecord(host, events, units);
  const { length } = JSON.parse(await caller.ask('GET', '/studio/workunits?limit=1')) as unknown[];
  mustHold(length === 1, 'nothing was written');
  await studio.close();
  await host.close();
}

async function open(folder: string) {
  const host = createHost({ store: levelStore(folder) });
  const tokens = newTokens();
  const unlimited = { perSecond: 1e6, burst: 1e6 };
  const studio = await startStudio({
    ...{ host, folder, tokens, listen: '127.0.0.1:0', rateLimit: unlimited, log: () => undefined },
  });
  return { host, studio, token: tokens.admin, caller: new Caller(studio, tokens.admin) };
}

async function measure(folder: string, units: number): Promise<Figures> {
  const { ms: start_ms, result } = await timed(() => open(folder));
  const { host, studio, token, caller } = result;
  const listed = JSON.parse(await caller.ask('GET', '/studio/workunits?limit=1000')) as { workUnitId: string }[];
  mustHold(listed.length === Math.min(units, 1000), `${listed.length} units are there`);
  const { workUnitId } = listed[0]!;
  const get = await caller.atRate(() => caller.ask('GET', `/studio/workunits/${workUnitId}`));
  const post = await caller.atRate(() => caller.ask('POST', '/studio/workunits', { goal: 'measure' }));
  const pages = await inTurn(50, () => caller.ask('GET', '/studio/workunits?limit=100'));
  const tools = await measureTools(studio, token, workUnitId);
  const followed = await measureFollowers(host, studio, token);
  caller.close();
  await studio.close();
  await host.close();
  return {
    ...{ start_ms, page_ms: median(pages), ...tools },
    ...{ get_p50_ms: median(get), get_p99_ms: percentile(get, 0.99) },
    ...{ post_p50_ms: median(post), post_p99_ms: percentile(post, 0.99) },
    ...{ follow_p50_ms: followed.p50, follow_p99_ms: followed.p99, lost: followed.lost },
    delivery_us: followed.deliveryUs,
  };
}

/** Over connections that stay open, as programs call. */
class Caller {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #studio: RunningStudio;
  readonly #token: string;

  constructor(studio: RunningStudio, token: string) {
    this.#studio = studio;
    this.#token = token;
  }

  ask(method: string, path: string, body?: object): Promise<string> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      const about = { host: '127.0.0.1', port: this.#studio.port, method, path, headers, agent: this.#agent };
      const outgoing = request(about, (incoming) => {
        let answer = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (piece: string) => (answer += piece));
        incoming.on('end', () => (incoming.statusCode === 200 ? resolve(answer) : reject(new Error(answer))));
      });
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }

  /** Asks at a steady rate, whether or not what was asked before is answered; answers how long each took. */
  async atRate(ask: () => Promise<unknown>): Promise<number[]> {
    await inTurn(50, ask);
    collectGarbage();
    const asked: Promise<number>[] = [];
    const began = performance.now();
    for (let n = 0; n < REQUESTS_PER_SECOND * SECONDS; n++) {
      const due = began + (n * 1000) / REQUESTS_PER_SECOND;
      while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      asked.push(clocked(ask));
    }
    return Promise.all(asked);
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function clocked(ask: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await ask();
  return performance.now() - began;
}

async function inTurn(times: number, ask: (n: number) => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < times; n++) took.push(await clocked(() => ask(n)));
  return took;
}

async function measureTools(studio: RunningStudio, token: string, workUnitId: string): Promise<Figures> {
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const headers = { authorization: `Bearer ${token}` };
  const address = new URL(`http://127.0.0.1:${studio.port}/mcp/internal`);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  const call = { name: 'svc_v1_workunit_get', arguments: { workUnitId } };
  // As every client does that keeps no list of its own.
  const list = () => client.listTools({}, { cacheMode: 'bypass' });
  await inTurn(20, () => client.callTool(call));
  const [lists, calls] = [await inTurn(100, list), await inTurn(300, () => client.callTool(call))];
  await client.close();
  return { tools_list_ms: median(lists), tools_call_ms: median(calls) };
}

/** Followers are in a process of their own: what they cost is not what the studio costs. */
async function measureFollowers(host: Host, studio: RunningStudio, token: string) {
  const total = EVENTS_PER_SECOND * SECONDS;
  const followers = await followInProcess({ port: studio.port, token, count: FOLLOWERS, events: total });
  const before = process.cpuUsage();
  await tellEvents(host, total, EVENTS_PER_SECOND);
  const followed = await followers.ended;
  const { user, system } = process.cpuUsage(before);
  return { ...followed, deliveryUs: (user + system) / (FOLLOWERS * total) };
}
