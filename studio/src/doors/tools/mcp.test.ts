import { join } from 'node:path';
import { Client as V2Client, StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Scope } from '../../operations/kernel/caller.js';
import { operationTable } from '../../operations/table.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { z } from 'zod';
import { toolOutputSchema } from '../entry/schemas.js';
import { startTestStudio, testTokens } from '../../testing/test-studio.js';
import type { TestStudio } from '../../testing/test-studio.js';
import { toolList } from './tools.js';

type Endpoint = '/mcp' | '/mcp/internal';

/** The little that the tests need of either client. */
interface AnyClient {
  listResources(): Promise<{ resources: { uri: string; title?: string | undefined }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(asked: { uri: string }): Promise<{ contents: unknown[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(asked: { name: string; arguments?: Record<string, string> }): Promise<{ messages: unknown[] }>;
  listTools(): Promise<{
    tools: { name: string; inputSchema: unknown; outputSchema?: unknown; annotations?: unknown }[];
  }>;
  complete(asked: {
    ref: { type: 'ref/prompt'; name: string };
    argument: { name: string; value: string };
  }): Promise<{ completion: { values: string[] } }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

const info = { name: 'outside', version: '1.0.0' };
const headersFor = (scope: Scope) => ({ requestInit: { headers: { authorization: `Bearer ${testTokens[scope]}` } } });

async function v1(studio: TestStudio, endpoint: Endpoint, scope: Scope): Promise<AnyClient> {
  const client = new V1Client(info);
  onTestFinished(() => client.close());
  await client.connect(new V1Transport(new URL(studio.origin + endpoint), headersFor(scope)));
  return client;
}

function v2(mode: 'legacy' | { pin: string }) {
  return async (studio: TestStudio, endpoint: Endpoint, scope: Scope): Promise<AnyClient> => {
    const client = new V2Client(info, { versionNegotiation: { mode } });
    onTestFinished(() => client.close());
    await client.connect(new V2Transport(new URL(studio.origin + endpoint), headersFor(scope)));
    return client;
  };
}

const clients = [
  ['the v1 client', v1],
  ['the v2 client with a handshake', v2('legacy')],
  ['the v2 client of 2026-07-28', v2({ pin: '2026-07-28' })],
] as const;

/** The envelope in a tool result, which its text and, on success, its structured content hold alike. */
function envelopeOf(result: unknown): Record<string, unknown> {
  const { content, structuredContent, isError } = result as {
    content: { type: string; text: string }[];
    structuredContent?: unknown;
    isError?: boolean;
  };
  expect(content).toHaveLength(1);
  const envelope: unknown = JSON.parse(content[0]?.text ?? '');
  if (isError === true) expect(structuredContent).toBeUndefined();
  else expect(structuredContent).toEqual(envelope);
  return envelope as Record<string, unknown>;
}

describe.each(clients)('%s', (_name, connect) => {
  it('lists the tools of each profile, with schemas and truthful hints', async () => {
    const studio = await startTestStudio();
    const internal = await (await connect(studio, '/mcp/internal', 'admin')).listTools();
    const namesOf = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);
    expect(namesOf(internal.tools)).toEqual(namesOf(toolList(operationTable, 'internal')));
    expect(namesOf(internal.tools)).toContain('svc_v1_repository_list_files');
    const external = await (await connect(studio, '/mcp', 'read')).listTools();
    expect(namesOf(external.tools)).toEqual(namesOf(toolList(operationTable, 'external')));
    const register = external.tools.find(({ name }) => name === 'svcs_v1_repo_register');
    for (const { inputSchema } of [...internal.tools, ...external.tools])
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    for (const { outputSchema } of internal.tools) expect(outputSchema).toBeUndefined();
    for (const { outputSchema } of external.tools)
      expect(outputSchema).toMatchObject({ type: 'object', required: ['contractVersion', 'data'] });
    expect(register?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
  });

  it('calls tools', async () => {
    const studio = await startTestStudio();
    const path = await tempFolder();
    await gitRepository(path, { 'a.ts': '', 'b.js': '' });
    const client = await connect(studio, '/mcp/internal', 'admin');
    // Clients check results against the schemas of the list only when they have asked for it.
    await client.listTools();
    const registered = envelopeOf(await client.callTool({ name: 'svc_v1_repository_register', arguments: { path } }));
    expect(registered).toEqual({ contractVersion: 'v1', data: { repositoryId: expect.any(String) as string, path } });
    const { repositoryId } = registered.data as { repositoryId: string };
    const files = { name: 'svc_v1_repository_list_files', arguments: { repositoryId, pattern: '*.ts' } };
    expect(envelopeOf(await client.callTool(files)).data).toEqual({ files: ['a.ts'] });
    expect(studio.log).toEqual([]);
  });

  it('gets refusals as results in the error envelope', async () => {
    const studio = await startTestStudio();
    const client = await connect(studio, '/mcp/internal', 'admin');
    await client.listTools();
    const name = 'svc_v1_repository_list_files';
    const missing = await client.callTool({ name, arguments: { repositoryId: 'repo-none' } });
    expect(missing).toMatchObject({ isError: true });
    expect(envelopeOf(missing)).toEqual({
      contractVersion: 'v1',
      tool: name,
      status: 'error',
      message: 'no repository repo-none is registered',
      code: 'reject.repository_not_found',
      retryable: false,
      recovery: [expect.any(String)],
      requestId: expect.stringMatching(/^req-/) as string,
    });
    const wrong = await client.callTool({ name, arguments: { repositoryId: 7, subpath: 'x' } });
    expect(envelopeOf(wrong)).toMatchObject({
      code: 'reject.invalid_input',
      details: [{ field: 'repositoryId' }, { field: 'subpath', message: 'no such field' }],
    });
  });

  it('is refused a tool beyond the scope of its token, and a tool that is not there', async () => {
    const studio = await startTestStudio();
    const client = await connect(studio, '/mcp', 'read');
    const refused = await client.callTool({ name: 'svcs_v1_repo_register', arguments: { path: '/x' } });
    expect(envelopeOf(refused)).toMatchObject({ code: 'reject.scope_missing', tool: 'svcs_v1_repo_register' });
    await expect(client.callTool({ name: 'svc_v1_repository_list', arguments: {} })).rejects.toThrow(
      'no tool is named',
    );
  });

  it('reads goals, work units and their timelines by address', async () => {
    const studio = await startTestStudio();
    const { json } = await studio.call('POST', '/studio/workunits', { body: { goal: 'build it' } });
    const { workUnitId } = json as { workUnitId: string };
    const client = await connect(studio, '/mcp', 'read');
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'weft://goals/{goalId}',
      'weft://goals/{goalId}/timeline',
      'weft://workunits/{workUnitId}',
      'weft://workunits/{workUnitId}/timeline',
    ]);
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([
      { uri: `weft://goals/${workUnitId}`, title: 'build it' },
      { uri: `weft://workunits/${workUnitId}`, title: 'build it' },
    ]);
    const read = async (uri: string): Promise<unknown> => {
      const { contents } = await client.readResource({ uri });
      expect(contents).toMatchObject([{ uri, mimeType: 'application/json' }]);
      return JSON.parse((contents[0] as { text: string }).text);
    };
    expect(await read(`weft://goals/${workUnitId}`)).toMatchObject({ goal: 'build it' });
    expect(await read(`weft://workunits/${workUnitId}`)).toEqual(
      (await studio.call('GET', `/studio/workunits/${workUnitId}`)).json,
    );
    const first = (await studio.call('GET', '/studio/events/ev-1')).json;
    for (const noun of ['goals', 'workunits'])
      expect(await read(`weft://${noun}/${workUnitId}/timeline`)).toContainEqual(first);
    for (const uri of [
      'weft://goals/none',
      'weft://goals/',
      'weft://goals/a/b',
      'weft://goals/%zz',
      'file:///etc/passwd',
    ])
      await expect(client.readResource({ uri }), uri).rejects.toThrow();
    expect(studio.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is helped to name what a prompt is about', async () => {
    const studio = await startTestStudio();
    const { json } = await studio.call('POST', '/studio/workunits', { body: { goal: 'build it' } });
    const { workUnitId } = json as { workUnitId: string };
    const client = await connect(studio, '/mcp', 'read');
    const complete = async (prompt: string, name: string, value: string) => {
      const asked = { ref: { type: 'ref/prompt' as const, name: prompt }, argument: { name, value } };
      return (await client.complete(asked)).completion.values;
    };
    expect(await complete('review_goal', 'goalId', workUnitId.slice(0, 8))).toEqual([workUnitId]);
    expect(await complete('explain_work_unit', 'workUnitId', '')).toEqual([workUnitId]);
    expect(await complete('review_goal', 'goalId', 'x')).toEqual([]);
    expect(await complete('plan_goal', 'goal', '')).toEqual([]);
  });

  it('offers prompts', async () => {
    const studio = await startTestStudio();
    const client = await connect(studio, '/mcp', 'read');
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['plan_goal', 'review_goal', 'explain_work_unit']);
    const asked = { name: 'plan_goal', arguments: { goal: 'fly', repositoryId: 'repo-1' } };
    expect(JSON.stringify((await client.getPrompt(asked)).messages)).toMatch(/fly.*repo-1/);
    await expect(client.getPrompt({ name: 'plan_goal' })).rejects.toThrow('plan_goal needs goal');
    await expect(client.getPrompt({ name: 'none' })).rejects.toThrow('no prompt is named none');
  });

  it('is not let in without the right token', async () => {
    const studio = await startTestStudio();
    await expect(connect(studio, '/mcp/internal', 'operate')).rejects.toThrow();
  });
});

describe('one declaration', () => {
  it('gives the same over REST and both kinds of tools', async () => {
    const studio = await startTestStudio();
    const base = await tempFolder();
    await gitRepository(join(base, 'one'), { a: '' });
    const inside = await v1(studio, '/mcp/internal', 'admin');
    const outside = await v1(studio, '/mcp', 'operate');
    const one = { path: join(base, 'one') };
    const rest = (await studio.call('POST', '/studio/repositories', { body: one })).json as object;
    const internal = envelopeOf(await inside.callTool({ name: 'svc_v1_repository_register', arguments: one })).data;
    const external = envelopeOf(await outside.callTool({ name: 'svcs_v1_repo_register', arguments: one })).data;
    expect(internal).toEqual(rest);
    expect(external).toEqual({ ...rest, label: null });

    const restList = (await studio.call('GET', '/studio/repositories')).json;
    const internalList = envelopeOf(await inside.callTool({ name: 'svc_v1_repository_list', arguments: {} })).data;
    const externalList = envelopeOf(await outside.callTool({ name: 'svcs_v1_repo_list', arguments: {} })).data;
    expect(internalList).toEqual(restList);
    expect(externalList).toEqual({ repositories: [external] });
  });

  it('refuses alike at every door', async () => {
    const studio = await startTestStudio();
    const bad = { path: 'relative' };
    const rest = (await studio.call('POST', '/studio/repositories', { body: bad })).json as Record<string, unknown>;
    const inside = await v1(studio, '/mcp/internal', 'admin');
    const tool = envelopeOf(await inside.callTool({ name: 'svc_v1_repository_register', arguments: bad }));
    const { error, requestId: _restId, ...restFacts } = rest;
    const { contractVersion: _version, tool: _tool, status: _status, message, requestId: _toolId, ...toolFacts } = tool;
    expect(toolFacts).toEqual(restFacts);
    expect(message).toBe(error);
  });
});

describe('the tool list', () => {
  it('describes inputs, and of results only the types, a field called "description" included', () => {
    const out = z.object({ description: z.object({ type: z.string().describe('T') }).describe('D') }).describe('O');
    expect(toolOutputSchema(out).properties).toMatchObject({
      data: { type: 'object', properties: { description: { properties: { type: { type: 'string' } } } } },
    });
    expect(JSON.stringify(toolOutputSchema(out))).not.toMatch(/"[TDO]"/);
  });

  // Clients put the whole list before the model, so what it costs is a promise. A hundred tokens tell what agents do now.
  it.each([
    ['external', 5350],
    ['dispatched', 18_000],
    ['internal', 30_000],
  ] as const)('of the %s profile costs at most %i tokens, at four bytes each', (profile, most) => {
    const bytes = Buffer.byteLength(JSON.stringify(toolList(operationTable, profile)));
    expect(bytes / 4).toBeLessThanOrEqual(most);
  });

  it('of agents is what is dispatched of the internal tools', () => {
    const dispatched = operationTable.filter(({ tool, dispatch }) => tool !== undefined && dispatch);
    const listed = toolList(operationTable, 'dispatched');
    const names = listed.map(({ name }) => name);
    for (const { outputSchema } of listed) expect(outputSchema).toBeUndefined();
    expect(names.sort()).toEqual(dispatched.map(({ tool }) => `svc_v1_${tool ?? ''}`).sort());
  });

  it('has schemas that every client can read: an object on top, no references, no alternatives there', () => {
    for (const profile of ['internal', 'external'] as const) {
      for (const { name, description, inputSchema, outputSchema } of toolList(operationTable, profile)) {
        expect(name).toMatch(/^[a-z][a-zA-Z0-9_]{1,39}$/);
        expect(description, name).toBeTruthy();
        for (const schema of profile === 'external' ? [inputSchema, outputSchema] : [inputSchema]) {
          expect(schema?.type, name).toBe('object');
          expect(Object.keys(schema ?? {}), name).not.toEqual(expect.arrayContaining([expect.stringMatching(/Of$/)]));
          expect(JSON.stringify(schema), name).not.toContain('$ref');
        }
      }
    }
  });
});
