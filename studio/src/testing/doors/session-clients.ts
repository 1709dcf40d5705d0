/** Clients of the tools that can be told and asked something meanwhile: the official ones, for each revision of the protocol. */
import { Client as V2Client, StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import { type TestStudio, testTokens } from '../test-studio.js';

export interface Said {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string>;
}

export interface ClientParts {
  readonly token?: string;
  readonly endpoint?: '/mcp' | '/mcp/internal';
  /** What its person says. Without it the client cannot ask anybody. */
  readonly says?: (asked: { message: string; requestedSchema?: unknown }) => Said | Promise<Said>;
}

export interface SessionClient {
  /** Addresses of which it was told that they have changed. */
  readonly changed: string[];
  /** What it was told beside answers. */
  readonly told: { level: string; data: unknown }[];
  /** What its person was asked. */
  readonly asked: string[];
  /** Wants to be told when they change. */
  listen(...uris: string[]): Promise<unknown>;
  /** Wants to be told of no less than this. */
  wantLevel(level: 'info' | 'warning' | 'error'): Promise<unknown>;
  /** The envelope that a tool answers; `commandId` names the call, so that it can be repeated. */
  call(name: string, input: object, commandId?: string): Promise<Record<string, unknown>>;
  /** The id of its session, where there are sessions. */
  session(): string | undefined;
  /** Ends its session. */
  end(): Promise<void>;
}

export type Connect = (studio: TestStudio, parts?: ClientParts) => Promise<SessionClient>;

const info = { name: 'outside', version: '1.0.0' };

function transportParts(studio: TestStudio, { token = testTokens.operate, endpoint = '/mcp' }: ClientParts) {
  return [
    new URL(studio.origin + endpoint),
    { requestInit: { headers: { authorization: `Bearer ${token}` } } },
  ] as const;
}

function envelopeOf(result: unknown): Record<string, unknown> {
  const { content } = result as { content: { text: string }[] };
  return JSON.parse(content[0]?.text ?? '{}') as Record<string, unknown>;
}

const v1: Connect = async (studio, parts = {}) => {
  const { says } = parts;
  const client = new V1Client(info, { capabilities: says ? { elicitation: {} } : {} });
  const transport = new V1Transport(...transportParts(studio, parts));
  const heard = { changed: [] as string[], told: [] as SessionClient['told'], asked: [] as string[] };
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.changed.push(params.uri));
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params: { level, data } }) => void heard.told.push({ level, data }),
  );
  if (says)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      heard.asked.push(params.message);
      return { ...(await says(params)) };
    });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return {
    ...heard,
    listen: (...uris) => Promise.all(uris.map((uri) => client.subscribeResource({ uri }))),
    wantLevel: (level) => client.setLoggingLevel(level),
    call: async (name, input, commandId) => {
      const meta = commandId === undefined ? {} : { _meta: { 'weft/commandId': commandId } };
      return envelopeOf(await client.callTool({ name, arguments: { ...input }, ...meta }));
    },
    session: () => transport.sessionId,
    end: () => transport.terminateSession(),
  };
};

function v2(mode: 'legacy' | { pin: string }): Connect {
  return async (studio, parts = {}) => {
    const { says } = parts;
    const capabilities = says ? { elicitation: { form: {} } } : {};
    const client = new V2Client(info, { capabilities, versionNegotiation: { mode } });
    const transport = new V2Transport(...transportParts(studio, parts));
    const heard = { changed: [] as string[], told: [] as SessionClient['told'], asked: [] as string[] };
    let level: string | undefined;
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void heard.changed.push(params.uri),
    );
    client.setNotificationHandler(
      'notifications/message',
      ({ params: { level, data } }) => void heard.told.push({ level, data }),
    );
    if (says)
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        heard.asked.push(params.message);
        return { ...(await says(params)) };
      });
    onTestFinished(() => client.close());
    await client.connect(transport);
    const isModern = mode !== 'legacy';
    return {
      ...heard,
      listen: (...uris) =>
        isModern
          ? client.listen({ resourceSubscriptions: uris })
          : Promise.all(uris.map((uri) => client.subscribeResource({ uri }))),
      // In the later revision each request says it.
      wantLevel: (wanted) => {
        if (!isModern) return client.setLoggingLevel(wanted);
        level = wanted;
        return Promise.resolve();
      },
      call: async (name, input, commandId) => {
        const _meta = {
          ...(level === undefined ? {} : { 'io.modelcontextprotocol/logLevel': level }),
          ...(commandId === undefined ? {} : { 'weft/commandId': commandId }),
        };
        return envelopeOf(await client.callTool({ name, arguments: { ...input }, _meta }));
      },
      session: () => transport.sessionId,
      end: () => transport.terminateSession(),
    };
  };
}

export const sessionClients: readonly (readonly [string, Connect])[] = [
  ['the v1 client', v1],
  ['the v2 client with a handshake', v2('legacy')],
];

export const everyClient: typeof sessionClients = [
  ...sessionClients,
  ['the v2 client of 2026-07-28', v2({ pin: '2026-07-28' })],
];
