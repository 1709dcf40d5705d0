/** The bridge as a process of its own, between a client on its pipes and a server that answers in every way that is allowed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../../../testing/temp-folder.js';
import { toolsOverStdio } from './tools-over-stdio.js';

type Message = Record<string, unknown>;
type Asked = Message & { readonly method: string; readonly headers: IncomingMessage['headers'] };

interface Bridge {
  readonly child: ChildProcess;
  readonly asked: Asked[];
  tell(message: object): void;
  /** Messages that it has said, once there are so many. */
  said(count: number): Promise<Message[]>;
}

async function bridge(answer: (asked: Asked, response: ServerResponse) => void): Promise<Bridge> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const one = { ...(JSON.parse(text) as Message & { method: string }), headers: request.headers };
      asked.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp/agent`;
  const { command, args, env } = await toolsOverStdio({ url, token: 't-1', tools: [] }, await tempFolder());
  const child = spawn(command, args, {
    env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill());
  const said: Message[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => said.push(JSON.parse(line) as Message));
  return {
    child,
    asked,
    tell: (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    said: async (count) => {
      await expect.poll(() => said.length).toBe(count);
      return said;
    },
  };
}

const result = (id: unknown, value: object) => ({ jsonrpc: '2.0', id, result: value });
const json = (response: ServerResponse, value: object, headers: Record<string, string> = {}) =>
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

it('passes messages on with the token, in the session and version that the first answer named', async () => {
  const { tell, said, asked } = await bridge(({ id, method }, response) => {
    if (method === 'initialize')
      json(response, result(id, { protocolVersion: '2025-06-18' }), { 'mcp-session-id': 's-1' });
    else if (id === undefined) response.writeHead(202).end();
    else {
      const more = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'half' } };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end([more, result(id, { tools: [] })].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''));
    }
  });
  tell({ id: 1, method: 'initialize' });
  tell({ method: 'notifications/initialized' });
  tell({ id: 'two', method: 'tools/list' });
  const all = await said(3);
  expect(all[0]).toEqual(result(1, { protocolVersion: '2025-06-18' }));
  expect(all[1]?.['method']).toBe('notifications/message');
  expect(all[2]).toEqual(result('two', { tools: [] }));
  expect(asked.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer t-1'));
  expect(asked[0]?.headers['mcp-session-id']).toBeUndefined();
  expect(asked[2]?.headers).toMatchObject({ 'mcp-session-id': 's-1', 'mcp-protocol-version': '2025-06-18' });
});

it('answers calls side by side, and each that the studio cannot answer by an error of its own', async () => {
  let slow: (() => void) | undefined;
  const { tell, said } = await bridge(({ id, method }, response) => {
    if (method === 'initialize') json(response, result(id, {}));
    else if (method === 'slow') slow = () => json(response, result(id, { slow: true }));
    else if (method === 'refused')
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"no such token"}');
    else response.destroy();
  });
  for (const [id, method] of ['initialize', 'slow', 'refused', 'broken'].entries()) tell({ id, method });
  const byId = new Map((await said(3)).map((one) => [one['id'], one]));
  expect(byId.get(2)).toMatchObject({ error: { code: -32603, message: expect.stringContaining('401') as string } });
  expect(byId.get(3)).toMatchObject({ error: { message: expect.stringContaining('cannot be asked') as string } });
  slow?.();
  expect((await said(4)).at(-1)).toEqual(result(1, { slow: true }));
});

it('ends with its input', async () => {
  const { child, tell, said } = await bridge(({ id }, response) => void json(response, result(id, {})));
  tell({ id: 1, method: 'initialize' });
  await said(1);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  expect(await ended).toBe(0);
});
