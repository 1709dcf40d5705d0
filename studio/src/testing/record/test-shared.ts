import { join } from 'node:path';
import type { Notice, Room } from '@weft/core';
import { Models } from '../../models/models.js';
import { Radar } from '../../rules/branches/radar.js';
import { Transfers } from '../../rules/branches/transfers.js';
import { trialsOf } from '../../rules/runs/trials.js';
import { newSecret } from '../../doors/entry/token-book.js';
import { WEBHOOK_DEFAULTS, WebhookSender } from '../../doors/webhooks/webhook-sender.js';
import { causalGraphOf } from '../../record/ledger/causal-graph.js';
import type { Ledger } from '../../record/ledger/ledger.js';
import type { OperationParts } from '../../operations/kernel/context.js';
import { KeyedLane } from '../../operations/kernel/keyed-lane.js';
import type { Records } from '../../record/views/records.js';
import { steadyClock } from '../../clock.js';
import { Credentials } from '../../models/credentials.js';
import { nodeDisk } from '../../workspace/git/node-disk.js';
import { nodeDocuments } from '../../workspace/files/node-documents.js';
import { nodeGit } from '../../workspace/git/user/node-git.js';
import { nodePrograms } from '../../workspace/programs/node-programs.js';
import { tempFolder } from '../temp-folder.js';
import { NO_FORGE } from '../git/test-branches.js';

interface Opened {
  readonly ledger: Ledger;
  readonly records: Records;
  readonly workgroup: Room;
  readonly log: Notice[];
  /** For branches. Default: one that goes with the test. */
  readonly folder?: string;
}

/** What all calls share, over a ledger of a test; ids count. */
export async function testShared(
  { ledger, records, workgroup, log, folder }: Opened,
  others: Partial<OperationParts> = {},
): Promise<OperationParts> {
  let ids = 0;
  const credentials = new Credentials();
  const { disk, models } = others;
  const own = folder ?? (disk && others.programs && models ? '' : await tempFolder());
  const programs = others.programs ?? (await nodePrograms(own));
  return {
    ledger,
    records,
    git: nodeGit,
    graph: causalGraphOf(workgroup),
    documents: nodeDocuments(),
    credentials,
    requireModels: () => Promise.resolve(),
    lane: new KeyedLane(),
    newSecret,
    models:
      models ??
      (await Models.open({}, { credentials, folder: join(own, 'models'), clock: steadyClock, random: Math.random })),
    disk: disk ?? (await nodeDisk(own)),
    programs,
    cloneProtocols: [],
    gate: () => Promise.resolve(true),
    trials: trialsOf({ programs, log: (entry) => log.push(entry) }),
    atForge: NO_FORGE,
    radar: new Radar(),
    transfers: new Transfers(),
    demonstration: () => undefined,
    forges: () => {
      throw new Error('there are no forges here');
    },
    webhooks: new WebhookSender('', WEBHOOK_DEFAULTS),
    log: (entry) => log.push(entry),
    now: () => new Date().toISOString(),
    newId: (prefix) => `${prefix}other-${++ids}`,
    ...others,
  };
}
