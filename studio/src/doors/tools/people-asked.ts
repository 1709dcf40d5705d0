/**
 * Elicitation: questions that the answer to a call mentions are put to the person at the calling client.
 *
 * A question is put to a caller until the person has said something: goals are polled, and whoever has declined can still
 * answer by the tool for it. The person's answer takes the usual way, with the rights of the caller; agents are asked nothing.
 */
import {
  type CallToolResult,
  type ClientCapabilities,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { OperationParts } from '../../operations/kernel/context.js';
import { type Caller, reaches } from '../../operations/kernel/caller.js';
import type { Asks, NamedOperation, Question } from '../../operations/kernel/define.js';
import { call } from '../entry/call.js';
import { failureOf } from '../entry/errors.js';
import { type Tell, tellOver } from './notices.js';
import type { During, ToolCaller } from './offer.js';

const PATIENCE_MS = 10 * 60_000;
/** Bound on remembered questions. */
const MOST_REMEMBERED = 10_000;

const envelope = z.object({ data: z.unknown() });
const accepted = z.object({
  action: z.literal('accept'),
  content: z.object({ response: z.string(), note: z.string().optional() }),
});

const answered = z.union([accepted, z.object({ action: z.enum(['decline', 'cancel']) })]);

export class PeopleAsked {
  readonly #shared: OperationParts;
  readonly #byId: ReadonlyMap<string, NamedOperation>;
  readonly #put = new Set<string>();

  constructor(table: readonly NamedOperation[], shared: OperationParts) {
    this.#shared = shared;
    this.#byId = new Map(table.map((operation) => [operation.id, operation]));
  }

  /** Answer to a call, after the person was asked the questions that it mentions. */
  async after(
    asks: Asks,
    answer: () => Promise<CallToolResult>,
    { caller, requestId }: ToolCaller,
    during: During,
  ): Promise<CallToolResult | InputRequiredResult> {
    const result = await answer();
    const takes = this.#byId.get(asks.answeredBy);
    if (!takes || result.isError === true || !mayAnswer(caller, takes)) return result;
    const questions = asks.questions(envelope.parse(result.structuredContent).data);
    const tell = tellOver(during);
    const take = async (question: Question, said: unknown): Promise<CallToolResult> => {
      await this.#take(takes, question, said, { caller, requestId }, tell);
      return answer();
    };
    const { inputResponses = {}, envelope: withoutHandshake } = during.mcpReq;
    const [answered] = Object.keys(inputResponses);
    if (answered !== undefined) {
      const question = questions.find(({ id }) => id === answered);
      if (question) return take(question, inputResponses[answered]);
      await tell('warning', { question: answered, message: 'it waits for no answer any more' });
      return result;
    }
    const keyOf = ({ id }: Question): string => `${caller.name} ${id}`;
    const next = questions.find((question) => !this.#put.has(keyOf(question)));
    if (!next || !showsForms(during)) return result;
    this.#remember(keyOf(next));
    // Without a handshake the answer itself asks, and the client calls again with what the person said.
    if (withoutHandshake) return inputRequired({ inputRequests: { [next.id]: inputRequired.elicit(formOf(next)) } });
    const said = await pushed(next, during);
    // Not answered: the next call may ask again.
    if (said === undefined) this.#put.delete(keyOf(next));
    return take(next, said);
  }

  /** What the person of a task may be asked now: all that is open, however often it was read. */
  open(
    asks: Asks,
    read: unknown,
    { caller, capabilities }: ToolCaller & { readonly capabilities: ClientCapabilities | undefined },
  ): InputRequests {
    const takes = this.#byId.get(asks.answeredBy);
    if (!takes || !mayAnswer(caller, takes) || !showsForms({ capabilities })) return {};
    return Object.fromEntries(
      asks.questions(read).map((question) => [question.id, inputRequired.elicit(formOf(question))]),
    );
  }

  /** Answers to questions of a task. What a person has declined stays open, and what is not asked any more is passed over. */
  async answer(
    asks: Asks,
    read: unknown,
    said: Readonly<Record<string, unknown>>,
    { caller }: ToolCaller,
  ): Promise<void> {
    const takes = this.#byId.get(asks.answeredBy);
    if (!takes) return;
    for (const { id, input } of asks.questions(read)) {
      if (!(id in said)) continue;
      const { data } = answered.safeParse(said[id]);
      if (!data)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `the answer to ${id} must have an action, and a response where that is accept`,
        );
      if (data.action !== 'accept') continue;
      const answer = answerOf(input, data.content);
      await call(this.#shared, takes, { caller, about: answer, bind: () => answer });
    }
  }

  async #take(
    takes: NamedOperation,
    { id: question, input }: Question,
    said: unknown,
    { caller, requestId }: ToolCaller,
    tell: Tell,
  ): Promise<void> {
    const { data } = accepted.safeParse(said);
    if (!data) return tell('notice', { question, message: 'it was not answered, and stays open' });
    try {
      const answer = answerOf(input, data.content);
      await call(this.#shared, takes, { caller, about: answer, bind: () => answer });
    } catch (error) {
      const { message, code } = failureOf(error, requestId, this.#shared.log);
      await tell('warning', { question, code, message });
    }
  }

  #remember(put: string): void {
    this.#put.add(put);
    for (const oldest of this.#put) {
      if (this.#put.size <= MOST_REMEMBERED) return;
      this.#put.delete(oldest);
    }
  }
}

function mayAnswer({ kind, scope }: Caller, { scope: needed }: NamedOperation): boolean {
  return kind === 'person' && reaches(scope, needed);
}

/** Capability check. Older clients say only that they can ask, which means forms. */
function showsForms({ capabilities }: Pick<During, 'capabilities'>): boolean {
  const { form, url } = capabilities?.elicitation ?? { url: {} };
  return form !== undefined || url === undefined;
}

function answerOf(input: object, { response, note = '' }: z.infer<typeof accepted>['content']) {
  return { ...input, response, ...(note === '' ? {} : { note }) };
}

async function pushed(question: Question, { mcpReq, ending }: During): Promise<unknown> {
  try {
    return await mcpReq.send(
      { method: 'elicitation/create', params: { mode: 'form', ...formOf(question) } },
      { timeout: PATIENCE_MS, signal: AbortSignal.any([mcpReq.signal, ending]) },
    );
  } catch {
    // The client cannot ask after all, is gone, or nobody was there.
    return undefined;
  }
}

function formOf({ text, options }: Question) {
  const choices = options.length === 0 ? {} : { enum: [...new Set(options)] };
  return {
    message: text,
    requestedSchema: {
      type: 'object' as const,
      properties: {
        response: { type: 'string' as const, title: 'Answer', ...choices },
        note: { type: 'string' as const, title: 'Note', description: 'More about it.' },
      },
      required: ['response'],
    },
  };
}
