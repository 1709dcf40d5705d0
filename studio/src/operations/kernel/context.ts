/** What a handler works with: who calls, what is recorded, and how to change it. It knows no transport. */
import { command, localCommand } from '../../record/aggregates/command/command.js';
import type { CausalGraph } from '../../record/ledger/causal-graph.js';
import type { Change } from '../../record/ledger/change.js';
import type { Feed } from '../../record/ledger/feed.js';
import type { AskModels } from '../../models/models.js';
import type { BranchContext } from '../../rules/branches/branch-context.js';
import type { Radar } from '../../rules/branches/radar.js';
import type { StudioLog } from '../../log.js';
import { refusal } from '../../reasons.js';
import type { RecordParts } from '../../record/views/record-parts.js';
import type { Records } from '../../record/views/records.js';
import type { Credentials } from '../../models/credentials.js';
import type { DocumentSource } from '../../workspace/files/documents.js';
import type { Programs } from '../../workspace/programs/programs.js';
import type { Caller } from './caller.js';
import type { Webhooks } from '../host/deliveries.js';

/** What all calls share. */
export interface Shared extends RecordParts, Omit<BranchContext, 'change'> {
  /** Of the workgroup's room. */
  readonly graph: CausalGraph;
  readonly credentials: Credentials;
  readonly documents: DocumentSource;
  readonly models: AskModels;
  readonly programs: Programs;
  readonly radar: Radar;
  /** Protocols, besides files of this machine, over which repositories may be cloned. */
  readonly cloneProtocols: readonly string[];
  readonly webhooks: Webhooks;
  readonly log: StudioLog;
  /** A secret that nobody can guess, and what it is recognized by. */
  readonly newSecret: () => { readonly secret: string; readonly digest: string };
}

/** A request that names itself, so that it can be repeated without harm. */
export interface NamedRequest {
  readonly id: string;
  readonly operation: string;
  /** SHA-256 of the input. */
  readonly input: string;
}

export interface Call {
  readonly caller: Caller;
  readonly request?: NamedRequest | undefined;
  /** The answer as callers see it; no more of it is stored. */
  readonly shown: (answer: unknown) => unknown;
  /** Asked where the first change begins: throws when what is to be changed is not what the caller knows. */
  readonly checkMatch?: (() => void) | undefined;
  /** Told when the answer is decided, while the records show it and nothing behind it. */
  readonly onAnswered?: () => void;
}

export interface Context extends Omit<Shared, 'ledger'> {
  readonly caller: Caller;
  readonly feed: Feed;
  /** What stands, read as a change reads it. */
  readonly look: Pick<Change, 'state'>;
  change<T>(work: (change: Change) => T): Promise<T>;
  /** The change whose result is the operation's answer: it is stored with it, for who repeats the request. */
  answer<T>(work: (change: Change) => T): Promise<T>;
}

export function contextOf({ ledger, ...shared }: Shared, call: Call): Context {
  const { caller, request, shown, checkMatch, onAnswered } = call;
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
    feed: ledger.feed,
    look: ledger.look,
    change: (work) => change(work),
    answer: (work) => {
      const answered = (open: Change): ReturnType<typeof work> => {
        if (request) refuseRepeated(shared.records, request);
        const answer = work(open);
        if (request) remember(open, request, shown(answer));
        return answer;
      };
      return change(answered, onAnswered);
    },
    ...shared,
  };
}

/** Keeps the answer of a request that had nothing to change, so that its name means nothing else later. */
export async function rememberAnswer(
  { ledger, records }: Shared,
  { caller, request }: Pick<Call, 'caller' | 'request'>,
  answer: unknown,
): Promise<void> {
  if (!request || answeredBefore(records, request)) return;
  await ledger.change(caller.name, (open) => {
    if (!answeredBefore(records, request)) open.run(localCommand, request.id, 'answer', storedAnswer(request, answer));
  });
}

function remember(open: Change, request: NamedRequest, answer: unknown): void {
  const stored = storedAnswer(request, answer);
  // Stored with what it answers, so that there is never one without the other. An answer without a change can tell of what is
  // local, and only this host can be asked again.
  if (open.room === 'workgroup') open.run(command, request.id, 'answer', stored);
  else open.run(localCommand, request.id, 'answer', stored);
}

function storedAnswer({ operation, input }: NamedRequest, answer: unknown) {
  return { operation, input, answer: asJson(answer) };
}

/** The answer that a request was given before; a refusal when the same name was used for something else. */
export function answeredBefore(
  records: Records,
  { id, operation, input }: NamedRequest,
): { answer: unknown } | undefined {
  const known = records.commands.get(id) ?? records.localCommands.get(id);
  if (!known) return undefined;
  if (known.operation === operation && known.input === input) return { answer: known.answer };
  throw refusal('reject.idempotency_key_reused', 'this idempotency key was used for another request');
}

/** Two of the same at once: the second is answered when the first is, by being repeated. */
function refuseRepeated(records: Records, request: NamedRequest): void {
  if (answeredBefore(records, request))
    throw refusal('reject.busy', 'the same request has just been answered; repeat it');
}

function asJson(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? null : JSON.parse(text);
}
