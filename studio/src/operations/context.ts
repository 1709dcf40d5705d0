/** What a handler works with: who calls, what is recorded, and how to change it. It knows no transport. */
import { command, localCommand } from '../aggregates/command/command.js';
import type { Change } from '../ledger/change.js';
import type { Feed } from '../ledger/feed.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Gate } from '../branches/promote.js';
import type { Radar } from '../branches/radar.js';
import type { StudioLog } from '../log.js';
import { refusal } from '../reasons.js';
import type { Records } from '../views/records.js';
import type { Disk } from '../workspace/disk.js';
import type { Git } from '../workspace/git.js';
import type { Caller } from './caller.js';
import type { KeyedLane } from './keyed-lane.js';

/** What all calls share. */
export interface Shared {
  readonly ledger: Ledger;
  readonly records: Records;
  readonly git: Git;
  /** The studio's own part of the disk: branches, their folders, and the way to the user's. */
  readonly disk: Disk;
  readonly radar: Radar;
  /** What the candidate branch must pass before it reaches the user. */
  readonly gate: Gate;
  /** Protocols, besides files of this machine, over which repositories may be cloned. */
  readonly cloneProtocols: readonly string[];
  /** Keeps work on one thing in order while it looks at the disk, where no change can hold it. */
  readonly lane: KeyedLane;
  readonly log: StudioLog;
  readonly now: () => string;
  readonly newId: (prefix: string) => string;
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
  /** Asked again before each change: throws when what is to be changed is not what the caller knows. */
  readonly checkMatch?: (() => void) | undefined;
}

export interface Context extends Omit<Shared, 'ledger'> {
  readonly caller: Caller;
  readonly feed: Feed;
  change<T>(work: (change: Change) => T): Promise<T>;
  /** The change whose result is the operation's answer: it is stored with it, for who repeats the request. */
  answer<T>(work: (change: Change) => T): Promise<T>;
}

export function contextOf({ ledger, ...shared }: Shared, { caller, request, checkMatch }: Call): Context {
  const change = <T>(work: (change: Change) => T): Promise<T> =>
    ledger.change(caller.name, (open) => {
      checkMatch?.();
      return work(open);
    });
  return {
    ...shared,
    caller,
    feed: ledger.feed,
    change,
    answer: (work) =>
      change((open) => {
        if (request) refuseRepeated(shared.records, request);
        const answer = work(open);
        if (request) {
          const { id, ...about } = request;
          const stored = { ...about, answer: asJson(answer) };
          if (open.place === 'local') open.run(localCommand, id, 'answer', stored);
          else open.run(command, id, 'answer', stored);
        }
        return answer;
      }),
  };
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
