/** Calls of a test that are meant to succeed, and what a refusal looks like. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { type TestStudio, testTokens } from '../test-studio.js';

export async function post<Result>(studio: TestStudio, path: string, body?: object): Promise<Result> {
  const answer = await studio.call('POST', `/studio${path}`, { body });
  expect(answer.json, `POST ${path}`).not.toHaveProperty('code');
  expect(answer.status).toBe(200);
  return answer.json as Result;
}

export async function read<Result>(studio: TestStudio, path: string): Promise<Result> {
  const answer = await studio.call('GET', `/studio${path}`, { as: 'read' });
  expect(answer.json, `GET ${path}`).not.toHaveProperty('code');
  expect(answer.status).toBe(200);
  return answer.json as Result;
}

export async function expectRefusal(
  studio: TestStudio,
  [method, path, body]: readonly [method: string, path: string, body?: object],
  status: number,
  code: string,
): Promise<void> {
  const answer = await studio.call(method, `/studio${path}`, { body });
  expect([`${method} ${path}`, answer.status, (answer.json as { code: unknown }).code]).toEqual([
    `${method} ${path}`,
    status,
    `reject.${code}`,
  ]);
}

export interface Unit {
  readonly workUnitId: string;
  readonly branchId: string;
  readonly status: string;
  readonly goal: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export function makeUnit(studio: TestStudio, body: object = {}): Promise<Unit> {
  return post(studio, '/workunits', { goal: 'build it', ...body });
}

export async function statusOf(studio: TestStudio, { workUnitId }: Pick<Unit, 'workUnitId'>): Promise<string> {
  return (await read<Unit>(studio, `/workunits/${workUnitId}`)).status;
}

export async function queue(
  studio: TestStudio,
  { workUnitId }: Pick<Unit, 'workUnitId'>,
  more: object = {},
): Promise<void> {
  await post(studio, '/scheduler/enqueue', { workUnitId, profileId: 'worker', ...more });
}

interface Envelope {
  readonly data?: unknown;
  readonly code?: string;
}

/** Calls a tool as an outside client does; `svc_v1_` tools with the token of an admin, unless another is given. */
export async function tool(studio: TestStudio, name: string, input: object = {}, token?: string): Promise<Envelope> {
  const isInternal = name.startsWith('svc_');
  const client = new Client({ name: 'outside', version: '1.0.0' });
  const headers = { authorization: `Bearer ${token ?? testTokens[isInternal ? 'admin' : 'operate']}` };
  const url = new URL(studio.origin + (isInternal ? '/mcp/internal' : '/mcp'));
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  try {
    const { content } = await client.callTool({ name, arguments: { ...input } });
    const [first] = content;
    return JSON.parse(first?.type === 'text' ? first.text : '{}') as Envelope;
  } finally {
    await client.close();
  }
}

/** What a tool answers when it succeeds. */
export async function toolData<Result>(studio: TestStudio, name: string, input: object = {}): Promise<Result> {
  const envelope = await tool(studio, name, input);
  expect(envelope, name).toHaveProperty('data');
  return envelope.data as Result;
}
