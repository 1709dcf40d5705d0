/** A reader on a thread of its own: it reads in the middle of what the sender does, as readers elsewhere do. */
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PeerSocket } from '@weft/core';
import { transportsHere } from '../testing/transports-here.js';

const FRAME = Buffer.alloc(1_400_000);
const FRAMES = 60;

/** Looks away after each frame, and reports how many it has read when that is all of them. */
const READER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { WebSocket } = require('ws');
  const client = new WebSocket(workerData.url);
  let read = 0;
  client.on('message', () => {
    client.pause();
    setTimeout(() => client.resume(), 20);
    if (++read === workerData.frames) parentPort.postMessage(read);
  });
`;

/** Sends until told to stop, and from then on each time that it may. As slow as encoding makes it. */
async function sendAll(socket: PeerSocket, next: () => boolean): Promise<void> {
  while (next()) {
    await Promise.resolve();
    const end = performance.now() + 15;
    while (performance.now() < end);
    if (!socket.send(FRAME)) return;
  }
}

describe.each(transportsHere)('transport $name', (transport) => {
  it('says drained each time to a sender of large frames, whose reader stops now and then [fault 7]', async () => {
    let sent = 0;
    const next = (): boolean => sent++ < FRAMES;
    const listening = await transport.listen({
      host: '127.0.0.1',
      port: 0,
      frameBytes: FRAME.length,
      accept: (_, socket) => {
        void Promise.resolve().then(() => sendAll(socket, next));
        return {
          receive: () => undefined,
          progressed: () => undefined,
          closed: () => undefined,
          drained: () => void sendAll(socket, next),
        };
      },
    });
    const workerData = { url: `ws://127.0.0.1:${listening.port}/ws/room`, frames: FRAMES };
    const reader = new Worker(READER, { eval: true, workerData });
    onTestFinished(async () => {
      await reader.terminate();
      await listening.close();
    });
    expect(await new Promise((resolve, reject) => reader.once('message', resolve).once('error', reject))).toBe(FRAMES);
  });
});
