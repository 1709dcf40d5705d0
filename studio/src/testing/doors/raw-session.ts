/** A session of the tools spoken by hand, where a test asks what no well-behaved client would. */
import { type TestStudio, testTokens } from '../test-studio.js';

export interface RawRequest {
  readonly method?: 'POST' | 'GET' | 'DELETE';
  readonly token?: string;
  readonly session?: string;
  readonly endpoint?: '/mcp' | '/mcp/internal';
  readonly body?: object;
  readonly signal?: AbortSignal;
}

export function rawRequest(
  { origin }: Pick<TestStudio, 'origin'>,
  { method = 'POST', token = testTokens.operate, session, endpoint = '/mcp', body, signal }: RawRequest,
): Promise<Response> {
  return fetch(origin + endpoint, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify({ jsonrpc: '2.0', ...body }) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1.0.0' } };
export const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params };

/** Shakes hands. */
export async function openRaw(studio: Pick<TestStudio, 'origin'>, given: RawRequest = {}): Promise<Response> {
  return rawRequest(studio, { ...given, body: initialize });
}

/** The id of a session that is open from now on. */
export async function sessionOf(studio: Pick<TestStudio, 'origin'>, given: RawRequest = {}): Promise<string> {
  const response = await openRaw(studio, given);
  const text = await response.text();
  const session = response.headers.get('mcp-session-id');
  if (session === null) throw new Error(`no session was opened: ${response.status} ${text}`);
  return session;
}

/** Whether a session is there, for a token; to ask is to use it. */
export async function isOpen(
  studio: Pick<TestStudio, 'origin'>,
  session: string,
  given: RawRequest = {},
): Promise<boolean> {
  const response = await rawRequest(studio, { ...given, session, body: { id: 2, method: 'ping' } });
  await response.text();
  return response.status === 200;
}
