/** Somebody who typed for long without a server, and connects. */
import { connectRoom, generateKeys } from '@weft/core';
import { expect, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { serveProcess } from './serving.js';

export async function offlinePush(nodes: number): Promise<void> {
  const { url } = await serveProcess('--store', 'memory');
  const connect = async () => {
    const client = await connectRoom({ socket: new WebSocket(url.replace('<room>', 'room')), keys: generateKeys() });
    onTestFinished(() => client.close());
    return client;
  };
  const writer = await connect();
  const text = writer.replica.text('t');
  for (let i = 0; i < nodes; i++) {
    if (i % 20 === 19) text.delete(i % text.length, 1);
    else text.insert(i % 7 === 0 ? (i * 31) % (text.length + 1) : text.length, 'abcdefgh'.charAt(i % 8));
  }
  await writer.push();
  const reader = await connect();
  expect(reader.replica.stateHash).toBe(writer.replica.stateHash);
  expect(reader.replica.text('t').toString()).toBe(text.toString());
  reader.replica.set('after', 1);
  await reader.push();
}
