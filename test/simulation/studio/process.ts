/**
 * One process of a simulated studio: ledger, doors and agents over a host's rooms, put together as `startStudio` does, with the
 * listener left out. Repositories and workspaces are in memory; what would reach this machine's programs and network is a port that
 * fails.
 */
import { type Crypto, type Host, type Notice, type Store, StoreError, createHost } from '@weft/core';
import type { Clock } from '../../../studio/src/clock.js';
import { createGuard } from '../../../studio/src/doors/entry/guard.js';
import { TokenBook } from '../../../studio/src/doors/entry/token-book.js';
import { type Front, createFront } from '../../../studio/src/doors/front.js';
import { createAgentDoor } from '../../../studio/src/doors/tools/agent.js';
import { WEBHOOK_DEFAULTS, WebhookSender } from '../../../studio/src/doors/webhooks/webhook-sender.js';
import { keepTimes } from '../../../studio/src/drivers/keep-times.js';
import type { Budgets } from '../../../studio/src/models/budgets.js';
import type { ChooseModel } from '../../../studio/src/models/chosen-model.js';
import { Credentials } from '../../../studio/src/models/credentials.js';
import { SHOWN_INSTEAD, agentTable } from '../../../studio/src/operations/agent-tools/table.js';
import type { OperationParts } from '../../../studio/src/operations/kernel/context.js';
import { KeyedLane } from '../../../studio/src/operations/kernel/keyed-lane.js';
import { operationTable } from '../../../studio/src/operations/table.js';
import { causalGraphOf } from '../../../studio/src/record/ledger/causal-graph.js';
import { Ledger, type LedgerParts } from '../../../studio/src/record/ledger/ledger.js';
import { type Records, createRecords } from '../../../studio/src/record/views/records.js';
import { Radar } from '../../../studio/src/rules/branches/radar.js';
import { Transfers } from '../../../studio/src/rules/branches/transfers.js';
import { sessionOf } from '../../../studio/src/rules/goals/session-of.js';
import { takeUpAgain } from '../../../studio/src/rules/queue/restart.js';
import { startRuntime } from '../../../studio/src/runtime.js';
import { LOCAL_ROOM, WORKGROUP_ROOM, hostIdOf } from '../../../studio/src/studio.js';
import type { MemoryDisk } from '../../../studio/src/testing/memory-git/memory-disk.js';
import { recordDigest } from '../../../studio/src/testing/record/record-digest.js';
import type { StudioTokens } from '../../../studio/src/tokens.js';

/** Tokens of the three scopes. */
export const TOKENS: StudioTokens = { admin: 'a'.repeat(64), operate: 'b'.repeat(64), read: 'c'.repeat(64) };
/** What ports that are not there say. */
export const NOT_THERE = 'a simulated studio has no programs or network';

export interface ProcessParts {
  readonly name: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly models: ChooseModel;
  readonly budgets: Budgets;
  /** Ends in `digits` that follow from the seed. */
  readonly digits: (length: number) => string;
  readonly images: NonNullable<LedgerParts['images']>;
  readonly log: (entry: Notice) => void;
  readonly disk: Pick<MemoryDisk, 'spaces' | 'user' | 'git' | 'stores'>;
  /** Why builds and tests of a commit or of a landing fail, if they do. */
  readonly trial: (of: string) => string | undefined;
}

export interface StudioProcess {
  readonly host: Host;
  readonly ledger: Ledger;
  readonly records: Records;
  readonly front: Front;
  /** Digest of the record as the log has made it, before anything was done. */
  readonly opened: string;
  stop(): Promise<void>;
}

export async function startProcess(parts: ProcessParts): Promise<StudioProcess> {
  const { name, store, clock, crypto, models: choose, budgets, digits, images, log, disk, trial } = parts;
  const onFault = (error: unknown): void => log({ level: 'error', message: 'a room has failed', error });
  const host = createHost({ store, clock, crypto, onFault });
  const records = createRecords();
  const [workgroup, local] = [await host.room(WORKGROUP_ROOM), await host.room(LOCAL_ROOM)];
  const now = (): string => new Date(clock.now()).toISOString();
  let ids = 0;
  const newId = (prefix: string): string => `${prefix}${name}-${++ids}`;
  const ledger = await Ledger.open({
    hostId: await hostIdOf(local),
    workgroup,
    local,
    images,
    now,
    newId,
    log,
    collections: Object.values(records),
    sessionOf: (workUnitId, change) => sessionOf(change, records, workUnitId),
  });
  const opened = recordDigest(records);
  await takeUpAgain(ledger, records);
  const times = keepTimes({ ledger, records, wall: clock, steady: clock, log });
  const shared: OperationParts = {
    ledger,
    records,
    log,
    now,
    newId,
    newSecret: () => ({ secret: digits(64), digest: digits(64) }),
    graph: causalGraphOf(workgroup),
    git: notThere({ ...disk.git }),
    documents: notThere(),
    disk: {
      ...notThere<OperationParts['disk']>(),
      ...disk,
      folder: '/nowhere',
      roots: notThere(),
      remotes: notThere(),
    },
    programs: notThere({
      confined: { kind: 'missing', text: NOT_THERE },
      setUps: { all: [] },
      hooks: { all: [] },
    }),
    atForge: { askChecks: () => Promise.resolve(), merge: () => Promise.resolve(false) },
    models: notThere(),
    trials: {
      ofOffer: (_context, { commit }) => Promise.resolve({ unfit: trial(commit), attach: () => undefined }),
      ofLanding: (_context, { proposalId }) => {
        const reason = trial(proposalId);
        return Promise.resolve(reason === undefined ? undefined : { reason, resultId: 'none' });
      },
      watchLanding: () => undefined,
    },
    demonstration: () => undefined,
    forges: notThere(),
    lane: new KeyedLane(),
    credentials: new Credentials(),
    requireModels: () => Promise.resolve(),
    cloneProtocols: [],
    radar: new Radar(),
    transfers: new Transfers(),
    gate: () => Promise.resolve(true),
    webhooks: new WebhookSender('', WEBHOOK_DEFAULTS),
  };
  const book = new TokenBook(TOKENS, records.tokens, now);
  const front = createFront({
    table: operationTable,
    shared,
    guard: createGuard(book, []),
    limit: { perSecond: 1e9, burst: 1e9 },
  });
  const tools = createAgentDoor(operationTable, shared, { table: agentTable, shownInstead: SHOWN_INSTEAD });
  const runtime = startRuntime({ ...shared, times, wall: clock, steady: clock, tools, choose }, { budgets });
  return {
    host,
    ledger,
    records,
    front,
    opened,
    stop: async () => {
      front.drain();
      await runtime.stop();
      times.close();
      await ledger.keepImage();
      ledger.close();
      await host.close();
    },
  };
}

/** A port whose every function fails; `known` is what it says all the same. */
function notThere<Port>(known: Readonly<Record<string, unknown>> = {}): Port {
  const fail = (): never => {
    throw new StoreError('failed', NOT_THERE);
  };
  const port: unknown = new Proxy(fail, {
    get: (_, name) => {
      if (name === 'then' || typeof name === 'symbol') return undefined;
      return name in known ? known[name] : port;
    },
  });
  return port as Port;
}
