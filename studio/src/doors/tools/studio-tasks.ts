/**
 * Tasks of the studio: goals that calls have begun. A task is a view of the record under the id of the goal, so it outlives its
 * client, its token and this process; whoever may read the goal may read the task.
 */
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Rejection } from '@weft/core';
import { z } from 'zod';
import type { OperationParts } from '../../operations/kernel/context.js';
import type { Follows, NamedOperation, WorkStanding } from '../../operations/kernel/define.js';
import { CONTRACT_VERSION } from '../../version.js';
import { call } from '../entry/call.js';
import { failureOf } from '../entry/errors.js';
import type { During, ToolCaller } from './offer.js';
import type { PeopleAsked } from './people-asked.js';
import { type OfferedTask, type Task, type TaskCreated, type TaskStanding, created, takesTasks } from './tasks.js';

const envelope = z.object({ data: z.looseObject({}) });

interface Read {
  readonly stands: WorkStanding;
  /** What the operation that follows the work answers. */
  readonly data: unknown;
}

export class StudioTasks {
  readonly #shared: OperationParts;
  readonly #byId: ReadonlyMap<string, NamedOperation>;
  readonly #people: PeopleAsked;

  constructor(table: readonly NamedOperation[], shared: OperationParts, people: PeopleAsked) {
    this.#shared = shared;
    this.#byId = new Map(table.map((operation) => [operation.id, operation]));
    this.#people = people;
  }

  /** The task in place of the answer, for a client that takes tasks where the operation has begun work that goes on. */
  async inPlaceOf(
    answer: CallToolResult,
    operation: NamedOperation,
    caller: ToolCaller,
    { capabilities, mcpReq }: During,
  ): Promise<CallToolResult | TaskCreated> {
    // The revisions with a handshake have no such tasks.
    if (answer.isError === true || mcpReq.envelope === undefined || !takesTasks(capabilities)) return answer;
    const follower = this.#followers().find(({ follows }) => follows.begunBy === operation.id);
    if (!follower) return answer;
    const id = z.string().parse(envelope.parse(answer.structuredContent).data[follower.follows.namedBy]);
    const read = await this.#read(follower, id, caller);
    return read ? created(standingOf(id, read.stands)) : answer;
  }

  async find(id: string, caller: ToolCaller): Promise<OfferedTask | undefined> {
    for (const follower of this.#followers()) {
      const found = await this.#spoken(caller, () => this.#read(follower, id, caller));
      if (found) return this.#offered(follower, id, caller);
    }
    return undefined;
  }

  #offered(follower: Follower, id: string, caller: ToolCaller): OfferedTask {
    const { operation, follows } = follower;
    const now = async (): Promise<Read> => {
      const read = await this.#read(follower, id, caller);
      if (!read) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no task is called ${id}`);
      return read;
    };
    return {
      get: (capabilities) =>
        this.#spoken(caller, async (): Promise<Task> => {
          const { stands, data } = await now();
          const standing = standingOf(id, stands);
          if (stands.is === 'done') return { ...standing, status: 'completed', result: resultOf(stands) };
          if (stands.is === 'ended') return { ...standing, status: 'cancelled' };
          const inputRequests = operation.asks
            ? this.#people.open(operation.asks, data, { ...caller, capabilities })
            : {};
          if (Object.keys(inputRequests).length === 0) return { ...standing, status: 'working' };
          return { ...standing, status: 'input_required', inputRequests };
        }),
      update: (inputResponses) =>
        this.#spoken(caller, async () => {
          const { data } = await now();
          if (operation.asks) await this.#people.answer(operation.asks, data, inputResponses, caller);
        }),
      cancel: () =>
        this.#spoken(caller, async () => {
          const { stands } = await now();
          if (stands.is === 'working') await this.#call(follows.endedBy, { [follows.namedBy]: id }, caller);
        }),
    };
  }

  #followers(): Follower[] {
    return [...this.#byId.values()].flatMap((operation) =>
      operation.follows ? [{ operation, follows: operation.follows }] : [],
    );
  }

  async #read({ operation, follows }: Follower, id: string, caller: ToolCaller): Promise<Read | undefined> {
    try {
      const data = await this.#call(operation.id, { [follows.namedBy]: id }, caller);
      const stands = follows.stands(data);
      return stands && { stands, data };
    } catch (error) {
      const isUnknown = error instanceof Rejection && operation.refuses.some((reason) => reason === error.reason);
      if (isUnknown) return undefined;
      throw error;
    }
  }

  async #call(id: string, input: Readonly<Record<string, unknown>>, { caller }: ToolCaller): Promise<unknown> {
    const { data } = await call(this.#shared, this.#byId.get(id)!, { caller, about: input, bind: () => input });
    return data;
  }

  /** Refusals in the protocol's words: these methods have no results that could say that they are errors. */
  async #spoken<T>({ requestId }: ToolCaller, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const { status, message, code } = failureOf(error, requestId, this.#shared.log);
      const kind = status === 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
      throw new ProtocolError(kind, message, { code, requestId });
    }
  }
}

interface Follower {
  readonly operation: NamedOperation;
  readonly follows: Follows;
}

function standingOf(taskId: string, { since, changedAt, says }: WorkStanding): TaskStanding {
  return { taskId, createdAt: since, lastUpdatedAt: changedAt, statusMessage: says };
}

/** What the call would be answered now, and in words how it ended. */
function resultOf({ result, says }: WorkStanding): CallToolResult {
  const answer = { contractVersion: CONTRACT_VERSION, data: result };
  return {
    content: [
      { type: 'text', text: JSON.stringify(answer) },
      { type: 'text', text: says },
    ],
    structuredContent: answer,
  };
}
