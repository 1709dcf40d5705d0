/** What a handler works with: who calls, what is recorded, and how to change it. It knows no transport. */
import type { Tracing } from '@weft/core';
import type { CausalGraph } from '../../record/ledger/causal-graph.js';
import type { Change } from '../../record/ledger/change.js';
import type { Feed } from '../../record/ledger/feed.js';
import type { AskModels } from '../../models/models.js';
import type { RequireModels } from '../../models/ready-models.js';
import type { BranchContext } from '../../rules/branches/branch-context.js';
import type { Radar } from '../../rules/branches/radar.js';
import type { Transfers } from '../../rules/branches/transfers.js';
import type { StudioLog } from '../../log.js';
import type { RecordParts } from '../../record/views/record-parts.js';
import type { Credentials } from '../../models/credentials.js';
import type { DocumentSource } from '../../workspace/files/documents.js';
import type { Programs } from '../../workspace/programs/programs.js';
import type { Caller } from './caller.js';
import type { Demonstration } from './demonstration.js';
import type { ForgeDesk } from './forge-desk.js';
import type { Webhooks } from './webhook-sending.js';
import type { RepeatableRequest } from './repeatable-request.js';

/** What all calls share. */
export interface OperationParts extends RecordParts, Omit<BranchContext, 'change'> {
  /** Causal graph of the workgroup's room. */
  readonly graph: CausalGraph;
  readonly credentials: Credentials;
  readonly documents: DocumentSource;
  readonly models: AskModels;
  /** Readiness of the models that agents of this host ask. Where none works, nothing is required. */
  readonly requireModels: RequireModels;
  readonly programs: Programs;
  readonly radar: Radar;
  readonly transfers: Transfers;
  /** Desk of the forges, which is there once the studio has started. */
  readonly forges: () => ForgeDesk;
  /** Demonstration beside this studio, once it listens; undefined where none is played. */
  readonly demonstration: () => Demonstration | undefined;
  /** Protocols, besides files of this machine, over which other repositories are reached. */
  readonly cloneProtocols: readonly string[];
  readonly webhooks: Webhooks;
  readonly log: StudioLog;
  /** Where spans go; nothing is traced without. */
  readonly tracing?: Tracing | undefined;
  /** A secret that nobody can guess, and what it is recognized by. */
  readonly newSecret: () => { readonly secret: string; readonly digest: string };
}

export interface Call {
  readonly caller: Caller;
  readonly repeatable?: RepeatableRequest | undefined;
  /** Output schema of the operation: what callers see of an answer. */
  readonly show: (answer: unknown) => unknown;
  /** Asked where the first change begins: throws when what is to be changed is not what the caller knows. */
  readonly checkMatch?: (() => void) | undefined;
  /** Told when the answer is decided, while the records show it and nothing behind it. */
  readonly onAnswered?: () => void;
}

export interface Context extends Omit<OperationParts, 'ledger'> {
  readonly caller: Caller;
  readonly repeatable: RepeatableRequest | undefined;
  readonly feed: Feed;
  /** What stands, read as a change reads it. */
  readonly look: Pick<Change, 'state'>;
  change<T>(work: (change: Change) => T): Promise<T>;
  /** The change whose result is the operation's answer: it is stored with it, for who repeats the request. */
  answer<T>(work: (change: Change) => T): Promise<T>;
}

export function contextOf({ ledger, ...shared }: OperationParts, call: Call): Context {
  const { caller, repeatable, show, checkMatch, onAnswered } = call;
  let hasChanged = false;
  const change = async <T>(work: (change: Change) => T, whenDecided?: () => void): Promise<T> => {
    const checked = (open: Change): T => {
      // What it has changed itself is no surprise to it.
      if (!hasChanged) checkMatch?.();
      return work(open);
    };
    const result = await ledger.change(caller.name, checked, whenDecided);
    hasChanged = true;
    return result;
  };
  return {
    caller,
    repeatable,
    feed: ledger.feed,
    look: ledger.look,
    change: (work) => change(work),
    answer: (work) => {
      const decided = (open: Change): ReturnType<typeof work> =>
        repeatable ? repeatable.decide(open, work, show) : work(open);
      return change(decided, onAnswered);
    },
    ...shared,
  };
}
