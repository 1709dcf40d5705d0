/** Way of an agent program: servers of its model, the studio's tools, and nothing else that the studio or the machine serves. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { DOOR_PORT, PROXY_PORT } from './bridge.js';
import { NodeEgress } from './node-egress.js';

async function served(): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (bytes: Buffer) => (body += bytes.toString()));
    incoming.on('end', () => {
      asked.push(
        `${incoming.method} ${incoming.headers.host} ${incoming.url} ${incoming.headers.authorization} ${body}`,
      );
      response.writeHead(200, { 'x-own': '1' });
      response.write('first\n');
      setImmediate(() => response.end('last\n'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

async function wayOf(isAll: boolean) {
  const [studio, model, registry] = [await served(), await served(), await served()];
  const folder = join(await tempFolder(), 'egress');
  const egress = await NodeEgress.open(folder, { hosts: [`http://127.0.0.1:${registry.port}`], isApart: true });
  onTestFinished(() => egress.close());
  const door = `http://127.0.0.1:${studio.port}/mcp/agent`;
  const own = { hosts: [`http://127.0.0.1:${model.port}`], door, isAll };
  const { ways, close } = await egress.wayOut({ mark: 'm', folder: '/work', own });
  const ask = (port: number, path: string, { method = 'GET', body = '' } = {}): Promise<string> =>
    new Promise((resolve, reject) => {
      const socketPath = ways.find((way) => way.port === port)!.socket;
      const headers = { authorization: 'Bearer x' };
      const asked = request({ socketPath, method, path, headers, agent: false }, (answer) => {
        let text = `${answer.statusCode} `;
        answer.on('data', (bytes: Buffer) => (text += bytes.toString()));
        answer.on('end', () => resolve(text));
      });
      asked.on('error', reject);
      asked.end(body);
    });
  return { studio, model, registry, ask, close, ports: ways.map(({ port }) => port) };
}

it('leads to the tools of the studio, as they are asked and answered, and to nothing else there', async () => {
  const { studio, ask } = await wayOf(false);
  const answer = await ask(DOOR_PORT, '/mcp/agent?a=b', { method: 'POST', body: '{"id":1}' });
  expect(answer).toBe('200 first\nlast\n');
  expect(studio.asked).toEqual([`POST 127.0.0.1:${studio.port} /mcp/agent?a=b Bearer x {"id":1}`]);
  for (const path of [
    '/',
    '/mcp',
    '/mcp/agent/',
    '/mcp/agents',
    '/mcp/agent/../../studio/health',
    '//mcp/agent',
    'http://x/mcp/agent',
  ])
    expect(await ask(DOOR_PORT, path), path).toMatch(/^404 weft: programs of agents reach/);
  expect(studio.asked).toHaveLength(1);
});

it('is told when the studio has gone', async () => {
  const { ask, studio, close } = await wayOf(false);
  expect(await ask(DOOR_PORT, '/mcp/agent')).toMatch(/^200/);
  close();
  await expect(ask(DOOR_PORT, '/mcp/agent')).rejects.toThrow(/ECONNREFUSED|ENOENT/);
  expect(studio.asked).toHaveLength(1);
});

it('leads to registries as well, but where programs are offline to the model alone', async () => {
  const listed = await wayOf(false);
  const at = (port: number): string => `http://127.0.0.1:${port}/v1`;
  expect(await listed.ask(PROXY_PORT, at(listed.model.port))).toMatch(/^200/);
  expect(await listed.ask(PROXY_PORT, at(listed.registry.port))).toMatch(/^200/);
  const alone = await wayOf(true);
  expect(await alone.ask(PROXY_PORT, at(alone.model.port))).toMatch(/^200/);
  expect(await alone.ask(PROXY_PORT, at(alone.registry.port))).toMatch(/^403/);
  expect(alone.ports).not.toContain(alone.registry.port);
  expect(alone.registry.asked).toEqual([]);
});
