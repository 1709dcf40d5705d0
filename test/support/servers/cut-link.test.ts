import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { CutLink } from './cut-link.js';

it('what was held is delivered to a server that answers nothing, and whose client has gone, without waiting for an answer', async () => {
  const heard: string[] = [];
  const server = createServer((socket) => socket.on('data', (bytes) => heard.push(String(bytes))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const link = await CutLink.before((server.address() as AddressInfo).port);
  onTestFinished(() => link.close());
  const asked = new Promise<void>((resolve) => (link.onRequest = () => resolve()));
  link.become('hold');
  const client = connect(link.port, '127.0.0.1', () => client.write('late'));
  client.on('error', () => undefined);
  await asked;
  link.cut();
  await once(client, 'close');
  await link.deliver();
  await expect.poll(() => heard).toEqual(['late']);
});
