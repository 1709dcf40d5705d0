/**
 * MCP sessions of the protocol's older revisions: a client that shook hands can be asked and notified between calls.
 *
 * A session belongs to the token that opened it. To every other token it is unknown, and it ends with its token; what a request
 * in it may do is decided by the request, never by the opening. It holds no work: a client that loses one opens another, and
 * has lost only its subscriptions.
 */
import { randomUUID } from 'node:crypto';
import { type AuthInfo, type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { refusal } from '../../reasons.js';
import { TOOL_BODY } from '../entry/body.js';
import type { Visitor } from './offer.js';
import { OpenStreams, type StreamBounds } from './open-streams.js';
import type { ResourceChanges } from './resource-changes.js';
import { type Subscribed, refuse } from './tool-server.js';

/** Session limits of one endpoint of tools. The stream limits count for each session. */
export interface ToolSessionLimits extends StreamBounds {
  readonly most: number;
  readonly mostOfToken: number;
  /** Idle timeout, without a request or an open stream. */
  readonly idleMs: number;
  /** Subscriptions of one session. */
  readonly mostSubscribed: number;
}

export const TOOL_SESSION_LIMITS: ToolSessionLimits = {
  most: 1000,
  mostOfToken: 100,
  idleMs: 30 * 60_000,
  mostStreams: 32,
  mostWaiting: 1024 * 1024,
  mostSubscribed: 100,
};

/** Sweeps within one idle timeout. */
const LOOKS = 4;

interface ToolSession {
  readonly id: string;
  readonly token: string;
  readonly isHeld: () => boolean;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  readonly subscribed: Set<string>;
  /** Milliseconds of a monotonic clock. */
  usedAt: number;
}

/** Session request, as the protocol library is handed it. */
export interface ToolSessionRequest {
  readonly request: Request;
  readonly visitor: Visitor;
  readonly authInfo: AuthInfo;
  /** Body, where it was parsed already. */
  readonly parsedBody: unknown;
}

export interface ToolSessionsParts {
  readonly limits: ToolSessionLimits;
  readonly changes: ResourceChanges;
  serve(subscribed: Subscribed): Server;
}

export class ToolSessions {
  readonly #parts: ToolSessionsParts;
  readonly #streams: OpenStreams;
  readonly #sessions = new Map<string, ToolSession>();
  #looking: NodeJS.Timeout | undefined;
  #stopListening: (() => void) | undefined;

  constructor(parts: ToolSessionsParts) {
    this.#parts = parts;
    this.#streams = new OpenStreams(parts.limits);
  }

  async open(asked: ToolSessionRequest): Promise<Response> {
    const { token, watch } = asked.visitor;
    this.#makeRoom(token);
    const id = randomUUID();
    const subscribed = new Set<string>();
    const server = this.#parts.serve({
      add: (uri) => this.#subscribe(subscribed, uri),
      delete: (uri) => subscribed.delete(uri),
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: TOOL_BODY.bytes,
    });
    const session = { id, token, isHeld: watch(), transport, server, subscribed, usedAt: performance.now() };
    this.#sessions.set(id, session);
    this.#looking ??= setInterval(() => this.#look(), this.#parts.limits.idleMs / LOOKS).unref();
    server.onclose = () => this.#forget(id);
    await server.connect(transport);
    const response = await this.#pass(session, asked);
    // The request was no handshake.
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  async serve(id: string, asked: ToolSessionRequest): Promise<Response> {
    const session = this.#sessions.get(id);
    if (session?.token !== asked.visitor.token) return unknownSession();
    if (wantsStream(asked)) this.#streams.refuseMore(id);
    return this.#pass(session, asked);
  }

  /** Ends streams that carry no answer. */
  quiet(): void {
    for (const { transport } of this.#sessions.values()) transport.closeStandaloneSSEStream();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
  }

  async #pass(session: ToolSession, { request, authInfo, parsedBody }: ToolSessionRequest): Promise<Response> {
    const { id, transport, isHeld } = session;
    session.usedAt = performance.now();
    const response = await transport.handleRequest(request, {
      authInfo,
      ...(parsedBody === undefined ? {} : { parsedBody }),
    });
    return this.#streams.pass(response, {
      countedAs: id,
      // An answer is delivered even when the call ended the token.
      isAllowed: request.method === 'GET' ? isHeld : () => true,
      whenEnded: () => (session.usedAt = performance.now()),
    });
  }

  /** LRU eviction: with too many sessions the one that was idle longest ends. */
  #makeRoom(token: string): void {
    const { most, mostOfToken } = this.#parts.limits;
    const all = [...this.#sessions.values()];
    const own = all.filter((session) => session.token === token);
    if (own.length >= mostOfToken) this.#endIdlest(own);
    else if (all.length >= most) this.#endIdlest(all);
  }

  #endIdlest(sessions: readonly ToolSession[]): void {
    const idle = sessions.filter(({ id }) => this.#streams.count(id) === 0);
    const [idlest] = idle.sort((a, b) => a.usedAt - b.usedAt);
    if (!idlest)
      throw refusal('reject.too_many_sessions', `${sessions.length} sessions are open, and all of them are in use`);
    this.#end(idlest);
  }

  #look(): void {
    const idleSince = performance.now() - this.#parts.limits.idleMs;
    for (const session of this.#sessions.values()) {
      const isIdle = session.usedAt <= idleSince && this.#streams.count(session.id) === 0;
      if (isIdle || !session.isHeld()) this.#end(session);
    }
  }

  #end({ id, server }: ToolSession): void {
    this.#forget(id);
    server.close().catch(() => undefined);
  }

  #forget(id: string): void {
    this.#sessions.delete(id);
    if (this.#sessions.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #subscribe(subscribed: Set<string>, uri: string): void {
    const { mostSubscribed } = this.#parts.limits;
    if (subscribed.size >= mostSubscribed && !subscribed.has(uri))
      refuse(`a session is told of the changes of at most ${mostSubscribed} resources`);
    subscribed.add(uri);
    this.#stopListening ??= this.#parts.changes.listen((changed) => this.#tell(changed));
  }

  #tell(changed: ReadonlySet<string>): void {
    for (const session of this.#sessions.values()) {
      const { subscribed, isHeld, server } = session;
      const told = [...subscribed].filter((uri) => changed.has(uri));
      if (told.length > 0 && !isHeld()) this.#end(session);
      // Notices are not kept for a client without an open stream.
      else for (const uri of told) server.sendResourceUpdated({ uri }).catch(() => undefined);
    }
  }
}

/** Whether a request counts as a stream. The client's answers and notices always get through: they end what is under way. */
function wantsStream({ request, parsedBody }: ToolSessionRequest): boolean {
  if (request.method === 'GET') return true;
  const messages: readonly unknown[] = Array.isArray(parsedBody) ? parsedBody : [parsedBody];
  return messages.some((one) => typeof one === 'object' && one !== null && 'method' in one && 'id' in one);
}

function unknownSession(): Response {
  const error = { code: -32_001, message: 'Session not found' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}
