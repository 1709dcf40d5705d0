/**
 * Studio: one program over one host's rooms.
 *
 * It owns its listener and nothing else; the host it runs on belongs to the caller, who closes it afterwards.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Host, Room, Tracing } from '@weft/core';
import { chooseFrom, usualModels } from './models/chosen-model.js';
import { type ModelOptions, Models } from './models/models.js';
import { Speech } from './operations/kernel/speech.js';
import { requireModels } from './models/ready-models.js';
import type { Gate } from './rules/branches/branch-context.js';
import { Radar } from './rules/branches/radar.js';
import { Transfers } from './rules/branches/transfers.js';
import { resumeLandings } from './rules/proposals/resume.js';
import { EndWithUnit } from './rules/runs/end-with-unit.js';
import { gateOf } from './rules/runs/gate.js';
import { trialsOf } from './rules/runs/trials.js';
import { createAgentDoor } from './doors/tools/agent.js';
import type { RoomsDoor } from './doors/rest/rooms.js';
import { AGENT_TOOLS, createFront } from './doors/front.js';
import { Listener, parseListen } from './doors/listener.js';
import { createGuard } from './doors/entry/guard.js';
import { Pages } from './doors/face/pages.js';
import { OneTimeCodes } from './doors/entry/one-time-codes.js';
import type { StreamLimits } from './doors/events/event-streams.js';
import type { RateLimit } from './doors/entry/rate-limit.js';
import { type AgentToken, type AgentTokenFor, TokenBook, newSecret } from './doors/entry/token-book.js';
import type { ToolSessionLimits } from './doors/tools/tool-sessions.js';
import { WEBHOOK_DEFAULTS, type WebhookOptions, WebhookSender } from './doors/webhooks/webhook-sender.js';
import { causalGraphOf } from './record/ledger/causal-graph.js';
import { followHeads } from './record/ledger/heads.js';
import { codeOfBuild, imageFile } from './record/ledger/image-file.js';
import { Ledger } from './record/ledger/ledger.js';
import { logToStderr } from './log.js';
import type { StudioLog } from './log.js';
import type { OperationParts } from './operations/kernel/context.js';
import type { Demonstration } from './operations/kernel/demonstration.js';
import { KeyedLane } from './operations/kernel/keyed-lane.js';
import { SHOWN_INSTEAD, agentTable } from './operations/agent-tools/table.js';
import { operationTable } from './operations/table.js';
import { type AgentsOptions, startRuntime } from './runtime.js';
import { Opened } from './opened.js';
import type { StudioTokens } from './tokens.js';
import { createRecords } from './record/views/records.js';
import { type Clock, steadyClock, wallClock } from './clock.js';
import { Credentials } from './models/credentials.js';
import { DESK_DEFAULTS, ForgeDesk, type DeskOptions } from './drivers/forge-desk.js';
import { isOver } from './record/aggregates/work-unit/status.js';
import { keepTimes } from './drivers/keep-times.js';
import { misplaced } from './rules/queue/places.js';
import { takeUpAgain } from './rules/queue/restart.js';
import { sessionOf } from './rules/goals/session-of.js';
import { groupParents } from './workspace/sandbox/control-groups.js';
import { confinedBy } from './workspace/sandbox/confinement.js';
import { type ConfinementOptions, findConfinement } from './workspace/sandbox/node-confinement.js';
import type { RefusedProgram } from './workspace/egress/egress.js';
import { NodeEgress } from './workspace/egress/node-egress.js';
import { upstreamOf } from './workspace/egress/upstream.js';
import { registriesOf } from './workspace/egress/node-registries.js';
import { type RepositoryNetwork, hostsOf } from './workspace/egress/repository-networks.js';
import { recordRefusedServer } from './rules/runs/refused-servers.js';
import { type NodeDocumentsOptions, nodeDocuments } from './workspace/files/node-documents.js';
import { rootsOf } from './workspace/files/roots.js';
import { homeOfUser } from './workspace/files/home.js';
import { nodeDisk } from './workspace/git/node-disk.js';
import { nodeGit } from './workspace/git/user/node-git.js';
import { ProgramHomes } from './workspace/programs/program-homes.js';
import { nodePrograms } from './workspace/programs/node-programs.js';
import type { SetUp } from './workspace/set-ups/set-ups.js';
import type { ToolHook } from './workspace/tool-hooks/tool-hooks.js';
import type { LanguageServer } from './workspace/symbols/symbols.js';

/** Workgroup room. Ids that begin with `~` belong to the host: no peer can open one by name. */
export const WORKGROUP_ROOM = '~studio.workgroup';
/** Local room: its content never leaves this host. */
export const LOCAL_ROOM = '~studio.local';

const HOST_ID = 'studio-host';
const REMOTE_PROTOCOLS = ['https', 'ssh'] as const;
export const RATE_LIMIT: RateLimit = { perSecond: 200, burst: 400 };

export interface StudioOptions {
  readonly host: Host;
  /** Listening address, `address:port`; port 0 takes a free one. */
  readonly listen?: string;
  readonly tokens: StudioTokens;
  /** Folder of branches and workspaces. Default: a temporary one for as long as the studio runs. */
  readonly folder?: string;
  /** Disk quota of the branches' folders. Default: none. */
  readonly workspaceBytes?: number;
  /** Host names, besides localhost, that requests may name. */
  readonly allowedHosts?: readonly string[];
  /** Rate limit of each token. Default: 200 a second, bursts of 400. */
  readonly rateLimit?: RateLimit;
  readonly streamLimits?: StreamLimits;
  /** Limits of the tools' protocol sessions. */
  readonly toolSessionLimits?: Partial<ToolSessionLimits>;
  readonly webhooks?: Partial<WebhookOptions>;
  /** How often forges are looked at. */
  readonly forges?: Partial<DeskOptions>;
  /** Folders below which callers may name one. Default: the home of this user, and the folder that the process is in. */
  readonly roots?: readonly string[];
  /** Protocols by which other repositories are reached, besides folders of this machine. Default: `https` and `ssh`. */
  readonly cloneProtocols?: readonly string[];
  /** Waits before a remote that did not answer is tried again. Default: one second, then five. */
  readonly remoteWaitsMs?: readonly number[];
  /** Hosts, besides this machine, at which servers of tools may be reached over https. */
  readonly toolHosts?: readonly string[];
  /** Hooks around calls of agents' tools. */
  readonly toolHooks?: readonly ToolHook[];
  /** Scripts that are run before agents work in a folder. */
  readonly setUps?: readonly SetUp[];
  /** Language servers beside TypeScript's. */
  readonly languageServers?: readonly LanguageServer[];
  /** Confinement of programs. Default: on, wherever the machine can; where it cannot, they are refused until a person says otherwise. */
  readonly confinement?: ConfinementOptions;
  /** How documents of the outside are reached. Default: by the names and certificates of this machine, in the public network. */
  readonly documents?: NodeDocumentsOptions;
  /** Servers that confined programs may reach, beside the registries that the settings of this user name. */
  readonly sandboxHosts?: readonly string[];
  /** Servers that the programs of one repository may reach, too. */
  readonly networks?: readonly RepositoryNetwork[];
  /** Gate between the candidate branch and the user. Default: by the workgroup's options. */
  readonly gate?: Gate;
  /** Runtime that works on goals by itself. Default: it only keeps the record. */
  readonly agents?: AgentsOptions | undefined;
  /** Model settings of this host: programs, recordings, scripts. */
  readonly models?: ModelOptions;
  /** Keys of models by their names; where nobody has named one, that of the vendor. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Words of an operator of rooms, for the page; the page has no rooms without them. */
  readonly rooms?: RoomsDoor;
  /** Opens what plays the demonstration beside this studio. Default: none is offered. */
  readonly demonstration?: (home: StudioHome) => Promise<Demonstration>;
  readonly log?: StudioLog;
  /** Where spans of requests go, best what the host has; nothing is traced without. */
  readonly tracing?: Tracing | undefined;
  /** Clock for the deadlines of questions. */
  readonly wall?: Clock;
  /** Clock for the end of leases. */
  readonly steady?: Clock;
}

/** Where a studio is, for what is opened beside it. */
export interface StudioHome {
  /** Folder of the studio's own. */
  readonly folder: string;
  /** Address of its page. */
  readonly url: string;
}

export interface RunningStudio {
  readonly url: string;
  readonly port: number;
  /** Address of the page with a one-time code: whoever opens it first, within ten minutes, may operate this studio. */
  link(): string;
  /** Names of keys that the usual models of this host need, and that it was not started with. */
  readonly missingKeys: readonly string[];
  /**
   * Mints a token with which an agent reaches the dispatched tools, until it is revoked or expires. One for a work unit ends with the
   * agent's lease of it.
   */
  mintAgentToken(agentId: string, wanted?: Omit<AgentTokenFor, 'isHeld'>): AgentToken;
  /** Graceful shutdown: ends requests in progress, then stops. Safe to call twice. */
  close(): Promise<void>;
}

export async function startStudio(options: StudioOptions): Promise<RunningStudio> {
  const opened = new Opened();
  try {
    return await start(options, opened);
  } catch (error) {
    const { log = logToStderr } = options;
    await opened.end().catch((undoing: unknown) => {
      log({ level: 'error', message: 'a start that failed has left something open', error: undoing });
    });
    throw error;
  }
}

async function start(options: StudioOptions, opened: Opened): Promise<RunningStudio> {
  const { host, listen = '127.0.0.1:7880', tokens, allowedHosts = [], log = logToStderr } = options;
  const { rateLimit = RATE_LIMIT, cloneProtocols = REMOTE_PROTOCOLS } = options;
  const address = parseListen(listen);
  const { wall = wallClock, steady = steadyClock } = options;
  const { folder, tracing } = options;
  const now = (): string => new Date(wall.now()).toISOString();
  const newId = (prefix: string): string => `${prefix}${randomBytes(16).toString('hex')}`;
  const records = createRecords();
  const webhooks = new WebhookSender(tokens.admin, { ...WEBHOOK_DEFAULTS, ...options.webhooks });
  const passing = folder === undefined ? await mkdtemp(join(tmpdir(), 'weft-branches-')) : undefined;
  if (passing !== undefined) opened.add(() => rm(passing, { recursive: true, force: true }));
  // Absolute, for it is told to programs that run elsewhere: sandboxes, git.
  const own = resolve(folder ?? passing ?? '', 'studio');
  // Each waits for the machine alone, for a program that is tried or for files of this user.
  const [confinement, registries, groups] = await Promise.all([
    findConfinement(own, options.confinement),
    registriesOf(homeOfUser(), process.env),
    groupParents(),
  ]);
  let onRefused = (_: RefusedProgram): void => undefined;
  const egress = await NodeEgress.open(join(own, 'egress'), {
    registries,
    hosts: options.sandboxHosts,
    upstream: upstreamOf(process.env),
    hostsOf: (repositoryId) => hostsOf(options.networks ?? [], records.repositories.get(repositoryId)?.path),
    onRefused: (refused) => onRefused(refused),
  });
  opened.add(() => egress.close());
  const programs = await nodePrograms(own, {
    ...(options.languageServers === undefined ? {} : { servers: options.languageServers }),
    ...(options.toolHosts === undefined ? {} : { toolHosts: options.toolHosts }),
    ...(options.toolHooks === undefined ? {} : { hooks: options.toolHooks }),
    ...(options.setUps === undefined ? {} : { setUps: options.setUps }),
    confinement,
    egress,
    groups,
  });
  const closePrograms = opened.add(() => programs.close());
  const { kind, text } = confinedBy(confinement, egress.servers, groups);
  log({ level: kind === 'missing' || kind === 'unconfined' ? 'warn' : 'info', message: text });
  const credentials = new Credentials(options.models?.keys, options.keys);
  const models = await Models.open(options.models ?? {}, {
    credentials,
    clock: steady,
    random: Math.random,
    folder: join(own, 'models'),
    confinement,
    egress,
    groups,
  });
  opened.add(() => models.close());
  const choose = options.agents && (options.agents.models ?? chooseFrom(models, options.agents));
  const keyNames = await usualModels(models, options.agents ?? {});
  const workgroup = await host.room(WORKGROUP_ROOM);
  const local = await host.room(LOCAL_ROOM);
  // The feed reads what any node said, one that lost to another host's too.
  for (const room of [workgroup, local]) await room.keepValues();
  const hostId = await hostIdOf(local);
  const code = codeOfBuild();
  const ledger = await Ledger.open({
    hostId,
    images: code === undefined ? undefined : imageFile(join(own, 'record.image'), code),
    workgroup,
    local,
    now,
    newId,
    log,
    tracing,
    collections: Object.values(records),
    followers: [webhooks, new EndWithUnit(records, programs)],
    sessionOf: (workUnitId, change) => sessionOf(change, records, workUnitId),
  });
  opened.add(() => ledger.close());
  const heads = await followHeads(join(own, 'heads.json'), { workgroup, local });
  opened.add(() => heads.close());
  await takeUpAgain(ledger, records);
  for (const { places, ...lost } of misplaced(records)) {
    const about = { ...lost, places: places.join(', ') };
    log({ level: 'error', message: 'a work unit is in no queue, or in two', about });
  }
  const times = keepTimes({ ledger, records, wall, steady, log });
  const closeTimes = opened.add(() => times.close());
  const mostBytes = options.workspaceBytes;
  const disk = await nodeDisk(own, {
    log,
    roots: rootsOf(options.roots ?? [homeOfUser() ?? [], process.cwd()].flat(), [own]),
    // Where programs are not run, none asks.
    privateGit: kind === 'missing' ? undefined : kind === 'bubblewrap' ? 'mounted' : 'in place',
    folderOf: (repositoryId) => records.repositories.get(repositoryId)?.path,
    isRegistered: (folder) => records.repositories.atPath(folder) !== undefined,
    ...(mostBytes === undefined ? {} : { mostBytes }),
    ...(options.remoteWaitsMs === undefined ? {} : { remoteWaitsMs: options.remoteWaitsMs }),
  });
  opened.add(() => {
    disk.remotes.stop();
    return disk.idle();
  });
  onRefused = (refused) =>
    void recordRefusedServer(
      { records, spaces: disk.spaces, log, change: (work) => ledger.change('studio', work) },
      refused,
    );
  const shared: OperationParts = {
    ledger,
    records,
    webhooks,
    log,
    tracing,
    now,
    newId,
    newSecret,
    graph: causalGraphOf(workgroup),
    git: nodeGit,
    documents: nodeDocuments(options.documents),
    lane: new KeyedLane(),
    credentials,
    models,
    requireModels: choose ? requireModels(choose, credentials) : () => Promise.resolve(),
    disk,
    programs,
    cloneProtocols,
    radar: new Radar(),
    transfers: new Transfers(),
    forges: () => desk,
    demonstration: () => demonstration,
    gate: options.gate ?? gateOf({ records, disk, programs }),
    trials: trialsOf({ programs, log }),
    atForge: {
      askChecks: (proposal) => desk.askChecks(proposal),
      merge: (proposal) => desk.merge(proposal),
    },
  };
  const desk = new ForgeDesk(
    { ...shared, wall, change: (work) => ledger.change('forge', work) },
    { ...DESK_DEFAULTS, ...options.forges },
  );
  const stopDesk = opened.add(() => desk.stop());
  const book = new TokenBook(tokens, records.tokens, now);
  const codes = new OneTimeCodes(steady);
  const speech = new Speech();
  const pages = new Pages(codes, shared);
  const front = createFront({
    pages,
    table: operationTable,
    agentTable,
    speech,
    shared,
    guard: createGuard(book, allowedHosts),
    limit: rateLimit,
    limits: options.streamLimits,
    toolSessionLimits: options.toolSessionLimits,
    rooms: options.rooms,
  });
  // Requests may come before it is opened, which takes the address that is listened on.
  let demonstration: Demonstration | undefined = undefined;
  const listener = await Listener.open(front, address, log);
  const closeListener = opened.add(() => listener.close());
  const resumed = resumeLandings({ ...shared, change: (work) => ledger.change('studio', work) }, hostId, log);
  opened.add(() => resumed);
  const { port } = listener;
  const origin = `http://${listen.slice(0, listen.lastIndexOf(':'))}:${port}`;
  demonstration = await options.demonstration?.({ folder: own, url: origin });
  opened.add(() => demonstration?.end());
  webhooks.start(shared);
  const stopWebhooks = opened.add(() => webhooks.stop());
  const mintAgentToken: RunningStudio['mintAgentToken'] = (agentId, wanted = {}) => {
    const { workUnitId } = wanted;
    if (workUnitId === undefined) return book.mintFor(agentId, wanted);
    const isHeld = (): boolean => {
      const item = records.scheduledItems.get(workUnitId);
      return item?.place === 'leased' && item.leasedBy === agentId;
    };
    return book.mintFor(agentId, { ...wanted, isHeld });
  };
  const homes = new ProgramHomes(join(own, 'program-homes'));
  await homes.sweep((id) => {
    const unit = records.workUnits.get(id);
    return unit !== undefined && !isOver(unit.status);
  });
  const door = { url: `http://${reachedAt(listen)}:${port}${AGENT_TOOLS}`, mint: mintAgentToken };
  const runtime =
    options.agents &&
    choose &&
    startRuntime(
      {
        ...shared,
        times,
        wall,
        steady,
        tools: createAgentDoor(operationTable, shared, { table: agentTable, shownInstead: SHOWN_INSTEAD }),
        choose,
        speech,
        programsAtWork: { homes, door },
      },
      options.agents,
    );
  const stopRuntime = opened.add(async () => runtime?.stop());
  let closing: Promise<unknown> | undefined;
  return {
    url: `${origin}/studio`,
    port,
    link: () => `${origin}/#code=${pages.newCode('operate')}`,
    missingKeys: keyNames.filter((name) => !credentials.has(name)),
    mintAgentToken,
    close: async () => {
      const called = models.stop();
      // Waiting callers are told at once; a build would outlast the grace period.
      programs.underWay.close();
      disk.remotes.stop();
      closing ??= Promise.all([closeListener(), stopRuntime(), stopDesk()])
        .finally(closeTimes)
        .then(() => Promise.all([resumed, disk.idle(), closePrograms(), called]))
        .finally(stopWebhooks)
        .finally(() => ledger.keepImage())
        .finally(() => opened.end());
      await closing;
    },
  };
}

/** Host name by which programs of this machine reach a listener. */
function reachedAt(listen: string): string {
  const name = listen.slice(0, listen.lastIndexOf(':'));
  return name === '0.0.0.0' ? '127.0.0.1' : name === '[::]' ? '[::1]' : name;
}

/** Host id, by which other hosts of the workgroup know this one: made at its first start, kept in the local room. */
export async function hostIdOf(local: Room): Promise<string> {
  const known = local.get(HOST_ID);
  if (typeof known === 'string') return known;
  const made = `host-${randomBytes(16).toString('hex')}`;
  await local.set(HOST_ID, made);
  return made;
}
