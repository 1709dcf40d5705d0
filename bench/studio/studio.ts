// The studio as its callers meet it: over HTTP, over tools, as followers of events, and at a start on a long log.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Host, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { type RunningStudio, type StudioOptions, newTokens, startStudio } from '@weft/studio';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { runEntrants } from '../measuring/entrant.js';
import type { Goal } from '../results/goals.js';
import { collectGarbage, timed } from '../measuring/harness.js';
import type { Row } from '../results/row.js';
import { type Figures, median, percentile } from '../measuring/statistics.js';
import { Caller, clocked } from './studio-caller.js';
import { followInProcess } from './studio-followers.js';
import { type AgentsLeft, fillRecord, tellEvents } from '../weft/record.js';
import { WEFT_VERSION } from '../weft/engine.js';

const EVENTS = 100_000;
const UNITS = 10_000;
/** Id of one of the units that fill the record. */
const UNIT = 'wu-bench-0';
const FOLLOWERS = 500;
const EVENTS_PER_SECOND = 1000;
const SECONDS = 5;
const REQUESTS_PER_SECOND = 200;
/** Requests of the warm-up: a host that has just begun runs code that is not compiled yet. */
const WARM = 1000;

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
  { figure: 'post_p99_ms', of: 'weft', most: 10 },
  { figure: 'page_ms', of: 'weft', most: 5 },
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
  const events = options.edits ?? EVENTS;
  const units = Math.ceil((UNITS * events) / EVENTS);
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  try {
    options.progress(`writing ${events} events`);
    await writeRecord(folder, events, units);
    const contender = { name: 'weft', run: () => measure(folder) };
    const about = { lib: 'weft', version: WEFT_VERSION, form: '', notes: [] };
    return await runEntrants('studio', `${events} events`, [{ ...about, contender }], options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes a record of so many events into a folder. */
export async function writeRecord(folder: string, events: number, units: number, left?: AgentsLeft): Promise<void> {
  const { host, studio } = await openStudio(folder);
  await fillRecord(host, events, units, left);
  await studio.close();
  await host.close();
}

/** Studio on the record of a folder. Without agents, nothing in it is worked on. */
export async function openStudio(folder: string, agents?: StudioOptions['agents']) {
  const host = createHost({ store: levelStore(folder) });
  const tokens = newTokens();
  const unlimited = { perSecond: 1e6, burst: 1e6 };
  const studio = await startStudio({
    roots: [tmpdir()],
    confinement: { unconfined: true },
    host,
    folder,
    tokens,
    listen: '127.0.0.1:0',
    rateLimit: unlimited,
    log: () => undefined,
    ...(agents && { agents }),
  });
  return { host, studio, token: tokens.admin };
}

async function measure(folder: string): Promise<Figures> {
  const { ms: start_ms, result } = await timed(() => openStudio(folder));
  const { host, studio, token } = result;
  const caller = new Caller({ port: studio.port, token });
  const atRate = async (method: 'GET' | 'POST', path: string, body?: Record<string, unknown>): Promise<number[]> => {
    await caller.call({ method, path, body, times: WARM });
    collectGarbage();
    const times = REQUESTS_PER_SECOND * SECONDS;
    return caller.call({ method, path, body, times, perSecond: REQUESTS_PER_SECOND });
  };
  const units = '/studio/workunits';
  const get = await atRate('GET', `${units}/${UNIT}`);
  const post = await atRate('POST', units, { goal: 'measure' });
  const pages = await caller.call({ method: 'GET', path: `${units}?limit=100`, times: 50 });
  const tools = await measureTools(studio, token);
  const followed = await measureFollowers(host, studio, token);
  caller.close();
  await studio.close();
  await host.close();
  return {
    start_ms,
    page_ms: median(pages),
    ...tools,
    get_p50_ms: median(get),
    get_p99_ms: percentile(get, 0.99),
    post_p50_ms: median(post),
    post_p99_ms: percentile(post, 0.99),
    follow_p50_ms: followed.p50,
    follow_p99_ms: followed.p99,
    lost: followed.lost,
    delivery_us: followed.deliveryUs,
  };
}

async function inTurn(times: number, ask: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < times; n++) took.push(await clocked(ask));
  return took;
}

async function measureTools(studio: RunningStudio, token: string): Promise<Figures> {
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const headers = { authorization: `Bearer ${token}` };
  const address = new URL(`http://127.0.0.1:${studio.port}/mcp/internal`);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  const call = { name: 'svc_v1_workunit_get', arguments: { workUnitId: UNIT } };
  // No cache, like every client that keeps no list of its own.
  const list = () => client.listTools({}, { cacheMode: 'bypass' });
  await inTurn(20, () => client.callTool(call));
  const [lists, calls] = [await inTurn(100, list), await inTurn(300, () => client.callTool(call))];
  await client.close();
  return { tools_list_ms: median(lists), tools_call_ms: median(calls) };
}

/** Figures of followers, which are in a process of their own: what they cost is not what the studio costs. */
async function measureFollowers(host: Host, studio: RunningStudio, token: string) {
  const total = EVENTS_PER_SECOND * SECONDS;
  const followers = await followInProcess({ port: studio.port, token, count: FOLLOWERS, events: total });
  const before = process.cpuUsage();
  await tellEvents(host, total, EVENTS_PER_SECOND);
  const followed = await followers.ended;
  const { user, system } = process.cpuUsage(before);
  return { ...followed, deliveryUs: (user + system) / (FOLLOWERS * total) };
}
