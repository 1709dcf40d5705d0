/** Client of a running studio: calls its operations by their ids, by REST or as tools, and follows its events. */
import { systemClock } from '@weft/core/clock';
import type { CommandCall, Scope } from '@weft/studio';
import { patiently } from '@weft/server/patience';
import { type StudioClient as PublicClient, createStudioClient } from '@weft/studio-client';
import type { Terminal } from '../syntax/define.js';
import { CALLS } from './calls.js';
import { eventsIn } from './event-lines.js';
import { type GivenConnection, patienceWith, studioConnection } from './studio-connection.js';
import { requestOf } from './request.js';
import { type Refused, StudioRefusal } from './studio-refusal.js';
import { toolResult } from './tool-result.js';

export interface Answered {
  readonly data: unknown;
  /** Cursor of the next page. */
  readonly next?: string | undefined;
}

/** What happened, as the studio tells it. */
export interface StudioEvent {
  readonly eventId: string;
  readonly kind: string;
  readonly payloadJson: string;
  readonly workUnitId?: string;
  readonly occurredAt: string;
  readonly by: string;
}

export class StudioClient {
  readonly #given: GivenConnection;
  readonly #terminal: Terminal;

  constructor(given: GivenConnection, terminal: Terminal) {
    this.#given = given;
    this.#terminal = terminal;
  }

  /** Calls an operation by its id, such as `goal.list`. The answer is that of this release, which is not parsed again. */
  async call<T>(id: string, input: Readonly<Record<string, unknown>> = {}): Promise<T> {
    return (await this.ask(id, input)).data as T;
  }

  ask(id: string, input: Readonly<Record<string, unknown>>): Promise<Answered> {
    return this.#request(id, input, async (answer, isTool) => {
      if (isTool) return toolResult(answer);
      return { data: await answer.json(), next: answer.headers.get('x-next-cursor') ?? undefined };
    });
  }

  /** Hands each event to `take`, until the studio ends the stream or the user stops. */
  async follow(
    id: string,
    input: Readonly<Record<string, unknown>>,
    take: (event: StudioEvent) => Promise<void> | void,
    signal?: AbortSignal,
  ): Promise<void> {
    try {
      await this.#request(
        id,
        input,
        async ({ body }) => {
          if (body) for await (const { data } of eventsIn(body)) await take(JSON.parse(data) as StudioEvent);
        },
        signal,
      );
    } catch (error) {
      if (!this.#terminal.stop.aborted && signal?.aborted !== true) throw error;
    }
  }

  /** Address of the studio's page, with a code that opens it once. */
  async pageLink(scope: Scope): Promise<string> {
    const { origin, token, tokenFrom } = await studioConnection(this.#given, scope, this.#terminal);
    const headers = { authorization: `Bearer ${token}` };
    const answer = await reach(`${origin}/studio/codes?scope=${scope}`, { method: 'POST', headers });
    if (answer.status === 401) throw unknownToken(origin, tokenFrom);
    if (!answer.ok) throw refusalIn(await answer.text(), answer.status, origin);
    const made: unknown = await answer.json();
    if (typeof made !== 'object' || made === null || !('code' in made)) throw noStudio(origin, answer.status);
    return `${origin}/#code=${String(made.code)}`;
  }

  /** Connection of another client, such as one that follows the events and takes up where a connection broke. */
  async connection(scope: Scope): Promise<PublicClient> {
    const { origin, token } = await studioConnection(this.#given, scope, this.#terminal);
    return createStudioClient({ origin, token });
  }

  /** Where it is reached. */
  async origin(): Promise<string> {
    return (await studioConnection(this.#given, 'read', this.#terminal)).origin;
  }

  async #request<T>(
    id: string,
    input: Readonly<Record<string, unknown>>,
    use: (answer: Response, isTool: boolean) => Promise<T>,
    until?: AbortSignal,
  ): Promise<T> {
    const call = callOf(id);
    const { method, path, body = null, isTool } = requestOf(call, input);
    const { origin, token, tokenFrom } = await studioConnection(this.#given, call.scope, this.#terminal);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...(isTool ? { accept: 'application/json, text/event-stream' } : {}),
    };
    const patience = {
      ...patienceWith(origin),
      waiting: (message: string) => this.#terminal.err(`weft: ${message}`),
      signal: until ? AbortSignal.any([this.#terminal.stop, until]) : this.#terminal.stop,
      clock: this.#terminal.clock ?? systemClock,
    };
    return patiently(patience, async (signal) => {
      const answer = await reach(`${origin}${path}`, { method, headers, body, signal });
      if (answer.status === 401) throw unknownToken(origin, tokenFrom);
      if (!answer.ok) throw refusalIn(await answer.text(), answer.status, origin);
      if (!/json|event-stream/.test(answer.headers.get('content-type') ?? '')) throw noStudio(origin, answer.status);
      return use(answer, isTool);
    });
  }
}

function callOf(id: string): CommandCall {
  const found = Object.hasOwn(CALLS, id) ? CALLS[id] : undefined;
  if (!found) throw new Error(`no operation is called ${id}`);
  return found;
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause;
    throw new Error(`no studio answers at ${new URL(url).origin}: start one with weft up, or name another with --at`, {
      cause,
    });
  }
}

function unknownToken(origin: string, tokenFrom: string): Error {
  return new Error(
    `the studio at ${origin} does not know the token of ${tokenFrom}: name the data folder of that studio with --store, or set WEFT_TOKEN`,
  );
}

function refusalIn(text: string, status: number, origin: string): Error {
  let said: (Omit<Refused, 'message'> & { readonly error: string }) | undefined;
  try {
    said = JSON.parse(text) as typeof said;
  } catch {
    said = undefined;
  }
  if (typeof said?.code !== 'string') return noStudio(origin, status);
  const { error: message, ...more } = said;
  return new StudioRefusal({ message, ...more });
}

function noStudio(origin: string, status: number): Error {
  return new Error(
    `what answers at ${origin} is no studio (${status}): name the address that the studio printed with --at`,
  );
}
