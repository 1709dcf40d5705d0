/**
 * The studio: one program over one host's rooms.
 *
 * It owns its listener and nothing else; the host it runs on belongs to the caller, who closes it afterwards.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host, Room } from '@weft/core';
import { type ModelOptions, Models } from './models/models.js';
import type { Gate } from './rules/branches/branch-context.js';
import { Radar } from './rules/branches/radar.js';
import { resumeLandings } from './rules/proposals/resume.js';
import { EndWithUnit } from './rules/runs/end-with-unit.js';
import { gateOf } from './rules/runs/gate.js';
import { trialsOf } from './rules/runs/trials.js';
import { createAgentDoor } from './doors/tools/agent.js';
import { createFront } from './doors/front.js';
import { Listener, parseAddress } from './doors/listener.js';
import { createGuard } from './doors/entry/guard.js';
import type { StreamLimits } from './doors/events/event-streams.js';
import type { RateLimit } from './doors/entry/rate-limit.js';
import { type AgentToken, TokenBook, newSecret } from './doors/entry/token-book.js';
import type { ToolSessionLimits } from './doors/tools/tool-sessions.js';
import { WEBHOOK_DEFAULTS, type WebhookOptions, WebhookSender } from './doors/webhooks/webhook-sender.js';
import { causalGraphOf } from './record/ledger/causal-graph.js';
import { followHeads } from './record/ledger/heads.js';
import { Ledger } from './record/ledger/ledger.js';
import { logToStderr } from './log.js';
import type { StudioLog } from './log.js';
import type { Shared } from './operations/kernel/context.js';
import { KeyedLane } from './operations/kernel/keyed-lane.js';
import { operationTable } from './operations/table.js';
import { type AgentsOptions, startRuntime } from './runtime.js';
import type { StudioTokens } from './tokens.js';
import { createRecords } from './record/views/records.js';
import { type Clock, steadyClock, wallClock } from './clock.js';
import { Credentials } from './models/credentials.js';
import { keepTimes } from './drivers/keep-times.js';
import { misplaced } from './rules/queue/places.js';
import { takeUpAgain } from './rules/queue/restart.js';
import { sessionOf } from './rules/goals/session-of.js';
import { type SandboxOptions, findSandbox } from './workspace/programs/node-sandbox.js';
import { nodeDocuments } from './workspace/files/node-documents.js';
import { nodeDisk } from './workspace/git/node-disk.js';
import { nodeGit } from './workspace/git/node-git.js';
import { nodePrograms } from './workspace/programs/node-programs.js';
import type { LanguageServer } from './workspace/symbols/symbols.js';

/** Room ids that begin with `~` belong to the host: no peer can open one by name. */
export const WORKGROUP_ROOM = '~studio.workgroup';
/** What never leaves this host. */
export const LOCAL_ROOM = '~studio.local';

const HOST_ID = 'studio-host';
const RATE_LIMIT: RateLimit = { perSecond: 200, burst: 400 };

export interface StudioOptions {
  readonly host: Host;
  /** `address:port`; port 0 takes a free one. */
  readonly listen?: string;
  readonly tokens: StudioTokens;
  /** Where branches and workspaces are kept. Default: a folder that lasts as long as the studio runs. */
  readonly folder?: string;
  /** How much disk the folders of branches may take. Default: no limit. */
  readonly workspaceBytes?: number;
  /** Host names, besides localhost, under which the studio may be reached. */
  readonly allowedHosts?: readonly string[];
  /** Of each token. Default: 200 a second, 400 at once. */
  readonly rateLimit?: RateLimit;
  readonly streamLimits?: StreamLimits;
  /** Of clients of the tools that shook hands. */
  readonly toolSessionLimits?: Partial<ToolSessionLimits>;
  readonly webhooks?: Partial<WebhookOptions>;
  /** Protocols, such as `https`, over which repositories may be cloned. Default: none, but folders of this machine. */
  readonly cloneProtocols?: readonly string[];
  /** Who knows the symbols of languages other than TypeScript. */
  readonly languageServers?: readonly LanguageServer[];
  /** Programs of workspaces run in bubblewrap, with the network or without. Default: as the user who runs the host. */
  readonly sandbox?: SandboxOptions;
  /** What the candidate branch must pass before it reaches the user. Default: what the workgroup's options ask for. */
  readonly gate?: Gate;
  /** What makes it work on goals by itself. Default: it only keeps the record. */
  readonly agents?: AgentsOptions | undefined;
  /** What is set on this host about models: programs that run some, and what a scripted one plays. */
  readonly models?: ModelOptions;
  readonly log?: StudioLog;
  /** When questions are due. */
  readonly wall?: Clock;
  /** When leases end. */
  readonly steady?: Clock;
}

export interface RunningStudio {
  readonly url: string;
  readonly port: number;
  /** A token with which an agent reaches the tools that are dispatched to agents, until it is revoked or ends. */
  mintAgentToken(agentId: string, lifetimeMs?: number): AgentToken;
  /** Ends requests in progress, then stops. Safe to call twice. */
  close(): Promise<void>;
}

export async function startStudio(options: StudioOptions): Promise<RunningStudio> {
  const { host, listen = '127.0.0.1:7880', tokens, allowedHosts = [], log = logToStderr } = options;
  const { rateLimit = RATE_LIMIT, cloneProtocols = [] } = options;
  const address = parseAddress(listen);
  const { wall = wallClock, steady = steadyClock } = options;
  const { folder } = options;
  // The tokens of this host lie in its folder.
  const sandbox = options.sandbox && (await findSandbox(folder === undefined ? [] : [folder], options.sandbox));
  const now = (): string => new Date(wall.now()).toISOString();
  const newId = (prefix: string): string => `${prefix}${randomBytes(16).toString('hex')}`;
  const records = createRecords();
  const webhooks = new WebhookSender(tokens.admin, { ...WEBHOOK_DEFAULTS, ...options.webhooks });
  const passing = folder === undefined ? await mkdtemp(join(tmpdir(), 'weft-branches-')) : undefined;
  const own = join(folder ?? passing ?? '', 'studio');
  const programs = await nodePrograms(own, {
    ...(options.languageServers === undefined ? {} : { servers: options.languageServers }),
    ...(sandbox === undefined ? {} : { sandbox }),
  });
  const workgroup = await host.room(WORKGROUP_ROOM);
  const local = await host.room(LOCAL_ROOM);
  const hostId = await hostIdOf(local);
  const ledger = await Ledger.open({
    hostId,
    workgroup,
    local,
    now,
    newId,
    log,
    collections: Object.values(records),
    followers: [webhooks, new EndWithUnit(records, programs)],
    sessionOf: (workUnitId, change) => sessionOf(change, records, workUnitId),
  });
  const heads = await followHeads(join(own, 'heads.json'), { workgroup, local });
  await takeUpAgain(ledger, records);
  for (const { places, ...lost } of misplaced(records)) {
    const about = { ...lost, places: places.join(', ') };
    log({ level: 'error', message: 'a work unit is in no queue, or in two', about });
  }
  const times = keepTimes({ ledger, records, wall, steady, log });
  const mostBytes = options.workspaceBytes;
  const disk = await nodeDisk(own, {
    log,
    folderOf: (repositoryId) => records.repositories.get(repositoryId)?.path,
    ...(mostBytes === undefined ? {} : { mostBytes }),
  });
  const credentials = new Credentials();
  const models = await Models.open(options.models ?? {}, {
    credentials,
    clock: steady,
    random: Math.random,
    folder: join(own, 'models'),
  });
  const shared: Shared = {
    ledger,
    records,
    webhooks,
    log,
    now,
    newId,
    newSecret,
    graph: causalGraphOf(workgroup),
    git: nodeGit,
    documents: nodeDocuments(),
    lane: new KeyedLane(),
    credentials,
    models,
    disk,
    programs,
    cloneProtocols,
    radar: new Radar(),
    gate: options.gate ?? gateOf({ records, disk, programs }),
    trials: trialsOf({ programs, log }),
  };
  const book = new TokenBook(tokens, records.tokens, now);
  const front = createFront({
    table: operationTable,
    shared,
    guard: createGuard(book, allowedHosts),
    limit: rateLimit,
    limits: options.streamLimits,
    toolSessionLimits: options.toolSessionLimits,
  });
  const listener = new Listener(front, log);
  try {
    await listener.open(address);
  } catch (error) {
    times.close();
    ledger.close();
    await heads.close();
    if (passing !== undefined) await rm(passing, { recursive: true, force: true });
    throw error;
  }
  const resumed = resumeLandings({ ...shared, change: (work) => ledger.change('studio', work) }, hostId, log);
  webhooks.start(shared);
  const runtime =
    options.agents &&
    startRuntime(
      { ...shared, times, wall, steady, tools: createAgentDoor(operationTable, shared), reach: models },
      options.agents,
    );
  let closing: Promise<void> | undefined;
  return {
    url: `http://${listen.slice(0, listen.lastIndexOf(':'))}:${listener.port}/studio`,
    port: listener.port,
    mintAgentToken: (agentId, lifetimeMs) => book.mintFor(agentId, lifetimeMs),
    close: () => {
      const called = models.stop();
      // Whoever waits for a build is told at once; it would outlast the time that requests have.
      programs.underWay.close();
      closing ??= Promise.all([listener.close(), runtime?.stop()])
        .finally(() => times.close())
        .then(async () => {
          await Promise.all([resumed, disk.idle(), programs.close(), called]);
          await models.close();
          if (passing !== undefined) await rm(passing, { recursive: true, force: true });
        })
        .finally(() => webhooks.stop())
        .finally(() => ledger.close())
        .finally(() => heads.close());
      return closing;
    },
  };
}

/** What other hosts of the workgroup know this one by: made at its first start, and kept with what never leaves it. */
export async function hostIdOf(local: Room): Promise<string> {
  const known = local.get(HOST_ID);
  if (typeof known === 'string') return known;
  const made = `host-${randomBytes(16).toString('hex')}`;
  await local.set(HOST_ID, made);
  return made;
}
