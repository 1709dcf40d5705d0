import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { testTokens } from '../test-studio.js';
import type { TestStudio } from '../test-studio.js';

/** Calls a tool as a client of the protocol does; answers its envelope. */
export async function callTool(
  studio: TestStudio,
  name: string,
  input: Record<string, unknown> = {},
): Promise<unknown> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  onTestFinished(() => client.close());
  const headers = { authorization: `Bearer ${testTokens.admin}` };
  const place = new URL(`${studio.origin}/mcp/${name.startsWith('svc_') ? 'internal' : ''}`.replace(/\/$/, ''));
  await client.connect(new StreamableHTTPClientTransport(place, { requestInit: { headers } }));
  const { content } = await client.callTool({ name, arguments: input });
  const [first] = content as { text: string }[];
  return JSON.parse(first?.text ?? 'null');
}
