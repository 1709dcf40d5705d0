/** What a studio tells and asks a client meanwhile, over `weft mcp`. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { BIN, WeftProcess } from '../support/programs/weft-process.js';

const soon = { timeout: 60_000 };

async function startStudio(store: string, listen: string) {
  const studio = new WeftProcess(['studio', '--listen', listen, '--store', store]);
  const [at = ''] = await studio.line(/^http:\S+$/);
  return { studio, at };
}

async function connect(where: readonly string[]) {
  const asked: string[] = [];
  const changed: string[] = [];
  const client = new Client({ name: 'outside', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void changed.push(params.uri));
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { response: '443' } };
  });
  onTestFinished(() => client.close());
  const args = [BIN, 'mcp', ...where];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }));
  const call = async (name: string, given: Record<string, unknown>) => {
    const { structuredContent } = await client.callTool({ name, arguments: given });
    return (structuredContent as { data: Record<string, string> }).data;
  };
  return { client, asked, changed, call };
}

it('a client over stdin and stdout is asked and told, also by a studio that was started again', async () => {
  const store = await tempFolder();
  const { studio, at } = await startStudio(store, '127.0.0.1:0');
  const where = ['--at', at, '--store', store];
  const inside = await connect([...where, '--profile', 'internal']);
  const outside = await connect(where);
  const { workUnitId } = await inside.call('svc_v1_workunit_create', { goal: 'fly' });
  const uri = `weft://workunits/${workUnitId}`;
  await outside.client.subscribeResource({ uri });
  const ask = (question: string) => inside.call('svc_v1_clarification_request', { workUnitId, question });
  // The stream over which it is told opens beside all this, and what happens before is not kept for it.
  await vi.waitFor(async () => {
    await ask('which?');
    expect(outside.changed).toContain(uri);
  }, soon);
  await outside.call('svcs_v1_goal_status', { goalId: workUnitId });
  expect(outside.asked).toEqual(['which?']);

  expect(await studio.kill('SIGTERM')).toMatchObject({ code: 0 });
  await startStudio(store, new URL(at).host);
  outside.changed.length = 0;
  await vi.waitFor(async () => {
    await ask('which now?');
    expect(outside.changed).toContain(uri);
  }, soon);
});

it('a client over stdin and stdout asks for tasks, which go by a header of their own', async () => {
  const store = await tempFolder();
  const { at } = await startStudio(store, '127.0.0.1:0');
  const bridge = spawn(process.execPath, [BIN, 'mcp', '--at', at, '--store', store], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void bridge.kill());
  const meta = 'io.modelcontextprotocol/';
  const _meta = {
    [`${meta}protocolVersion`]: '2026-07-28',
    [`${meta}clientInfo`]: { name: 'outside', version: '1.0.0' },
    [`${meta}clientCapabilities`]: { extensions: { [`${meta}tasks`]: {} } },
  };
  const request = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId: 'none', _meta } };
  bridge.stdin.write(`${JSON.stringify(request)}\n`);
  for await (const line of createInterface(bridge.stdout)) {
    expect(JSON.parse(line)).toMatchObject({ id: 1, error: { code: -32_602, message: 'no task is called none' } });
    return;
  }
  throw new Error('it was not answered');
});
