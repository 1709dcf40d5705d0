/**
 * Connection to one server of tools, by the official client. It declares no abilities of its own, so a server can ask nothing of it.
 * Whatever goes wrong is one of four refusals: not reached, too slow, not usable, changed.
 */
import { createHash } from 'node:crypto';
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { Rejection } from '@weft/core';
import { refusal } from '../../reasons.js';
import { STUDIO_VERSION } from '../../version.js';
import type { NodeProcesses } from '../programs/node-processes.js';
import { boundedFetch, isTooMuchAnswered } from './bounded-fetch.js';
import { ProgramTransport } from './program-transport.js';
import { answerText } from './answer-text.js';
import type { Reach, ServedTool, ServerAnswer, ServerAsked } from './tool-servers.js';

const MOST_TOOLS = 200;
const MOST_SAID = 20_000;
const MOST_COMPLAINT = 500;
/** Pages of a list that are asked for. */
const MOST_PAGES = 20;

export class Connection {
  readonly #client: Client;
  readonly #program: ProgramTransport | undefined;
  readonly #closed: () => Promise<void>;
  #tools: Promise<readonly ServedTool[]> | undefined;
  #isOpen = true;

  private constructor(client: Client, program: ProgramTransport | undefined, closed: () => Promise<void>) {
    this.#client = client;
    this.#program = program;
    this.#closed = closed;
    client.onclose = () => void (this.#isOpen = false);
    // What it tells is no answer, and a list that has changed is read again.
    client.setNotificationHandler('notifications/tools/list_changed', () => void (this.#tools = undefined));
  }

  /** Begins a server, or reaches it. `folder` is an empty one for a program that has no other; `closed` is called at the end. */
  static async open(
    reach: Reach,
    {
      processes,
      folder,
      closed,
    }: { readonly processes: NodeProcesses; readonly folder: string; readonly closed: () => Promise<void> },
    timeoutMs: number,
  ): Promise<Connection> {
    const client = new Client({ name: 'weft-studio', version: STUDIO_VERSION }, { listMaxPages: MOST_PAGES });
    const program = 'command' in reach ? programOf(reach, processes, folder) : undefined;
    const connection = new Connection(client, program, closed);
    try {
      await client.connect(program ?? serviceOf(reach), { timeout: timeoutMs, maxTotalTimeout: timeoutMs });
      return connection;
    } catch (error) {
      const fault = connection.#fault(error, timeoutMs);
      await connection.close();
      throw fault;
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async tools(timeoutMs: number): Promise<readonly ServedTool[]> {
    this.#program?.asked();
    this.#tools ??= this.#list(timeoutMs);
    try {
      return await this.#tools;
    } catch (error) {
      this.#tools = undefined;
      throw error;
    }
  }

  async call({ server, tool, digest, input, timeoutMs, signal }: Omit<ServerAsked, 'reach'>): Promise<ServerAnswer> {
    const known = (await this.tools(timeoutMs)).find(({ name }) => name === tool);
    if (known?.digest !== digest) {
      const what = known ? 'says something else of it now than when it was allowed' : 'has it no more';
      throw refusal('reject.tool_server_changed', `${tool} is not called: ${server} ${what}`, { server, tool });
    }
    this.#program?.asked();
    try {
      const asked = { name: tool, arguments: input };
      const limits = { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal };
      const { content, structuredContent, isError = false } = await this.#client.callTool(asked, limits);
      return { text: answerText(content, structuredContent), isError };
    } catch (error) {
      signal.throwIfAborted();
      // The server itself refuses, in words.
      if (error instanceof ProtocolError && !isOfSchema(error)) return { text: error.message, isError: true };
      throw this.#fault(error, timeoutMs);
    }
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#client.close().catch(() => undefined);
    await this.#program?.close();
    await this.#closed();
  }

  async #list(timeoutMs: number): Promise<readonly ServedTool[]> {
    try {
      const { tools } = await this.#client.listTools(undefined, {
        timeout: timeoutMs,
        maxTotalTimeout: timeoutMs,
        cacheMode: 'refresh',
      });
      if (tools.length > MOST_TOOLS) throw unusable(`it lists ${tools.length} tools; ${MOST_TOOLS} are read`);
      return tools.map((tool) => {
        const said = JSON.stringify(tool);
        if (said.length > MOST_SAID)
          throw unusable(`it says ${said.length} characters of ${tool.name.slice(0, 100)}; ${MOST_SAID} are read`);
        const { name, description = '', inputSchema } = tool;
        return { name, description, inputSchema, digest: createHash('sha256').update(said).digest('hex') };
      });
    } catch (error) {
      throw this.#fault(error, timeoutMs);
    }
  }

  /** Refusal that an error of the client comes to. */
  #fault(error: unknown, timeoutMs: number): unknown {
    if (error instanceof Rejection) return error;
    // In the words of others, for people alone.
    const why = error instanceof Error ? error.message.slice(0, MOST_COMPLAINT) : '';
    const said = [why, this.#program?.complaints ?? ''].filter((part) => part !== '').join('\n');
    if (this.#program?.isTooMuch || isTooMuchAnswered(error))
      return refusal('reject.tool_server_answer', 'it was stopped, because it answered without an end', { said });
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
      return refusal('reject.tool_server_slow', `it did not answer within ${timeoutMs / 1000} s`, { said });
    const isUnusable = isOfSchema(error) || (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult);
    return isUnusable
      ? refusal('reject.tool_server_answer', 'its answer is not what it declares', { said })
      : refusal('reject.tool_server_unreachable', 'it cannot be started or reached', { said });
  }
}

function programOf(
  { command: [program = '', ...args], folder: given, network, environment }: Extract<Reach, { command: unknown }>,
  processes: NodeProcesses,
  own: string,
): ProgramTransport {
  return new ProgramTransport(processes, { folder: given ?? own, program, args, network, environment });
}

function serviceOf(reach: Reach): Transport {
  if (!('url' in reach)) throw new Error('a program is no service');
  const headers = reach.token === undefined ? undefined : { authorization: `Bearer ${reach.token}` };
  return new StreamableHTTPClientTransport(new URL(reach.url), {
    fetch: boundedFetch,
    ...(headers && { requestInit: { headers } }),
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 1,
    },
  });
}

/** Whether the client found that an answer breaks the schema that the server itself has declared. */
function isOfSchema(error: unknown): boolean {
  return error instanceof ProtocolError && /\boutput schema\b/.test(error.message);
}

function unusable(why: string): Rejection {
  return refusal('reject.tool_server_answer', why);
}
