/** A client of the tools, as programs outside have one. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { type TestStudio, testTokens } from '../test-studio.js';

export interface ToolClient {
  names(): Promise<string[]>;
  /** What the tool answers; throws with the envelope when it refuses. */
  ask<Result>(name: string, input?: object): Promise<Result>;
  /** The code with which it refuses. */
  refused(name: string, input?: object): Promise<string>;
}

export async function toolClient(
  studio: TestStudio,
  endpoint: '/mcp' | '/mcp/internal' = '/mcp',
  token = testTokens[endpoint === '/mcp' ? 'operate' : 'admin'],
): Promise<ToolClient> {
  const client = new Client({ name: 'outside', version: '1.0.0' });
  const headers = { authorization: `Bearer ${token}` };
  const url = new URL(studio.origin + endpoint);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  onTestFinished(() => client.close());
  const call = async (name: string, input: object): Promise<{ data?: unknown; code?: string }> => {
    const { content } = await client.callTool({ name, arguments: { ...input } });
    const [first] = content;
    return JSON.parse(first?.type === 'text' ? first.text : '{}') as { data?: unknown; code?: string };
  };
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    ask: async <Result>(name: string, input: object = {}) => {
      const envelope = await call(name, input);
      if (!('data' in envelope)) throw new Error(`${name}: ${JSON.stringify(envelope)}`);
      return envelope.data as Result;
    },
    refused: async (name, input = {}) => (await call(name, input)).code ?? 'it was not refused',
  };
}
