import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../../testing/temp-folder.js';
import { NodeRemotes } from './node-remotes.js';

/** Address at which nothing listens any more. */
async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/x.git`;
}

describe('a remote', () => {
  it('that refuses the connection is not asked again, and the cause and the next command are told', async () => {
    const phases: string[] = [];
    const url = await closedAddress();
    const onProgress = (phase: string): void => void phases.push(phase);
    const cloning = new NodeRemotes([1, 1]).clone(await tempFolder(), { url, protocols: ['http'], onProgress });
    await expect(cloning).rejects.toMatchObject({
      reason: 'reject.remote_unreachable',
      message: `clone of ${url}: no connection could be made, nothing listens there or is let through. git ls-remote '${url}' asks it, too`,
    });
    expect(phases).not.toContain('Waiting to try again');
  });

  it('that accepts a connection and says nothing is asked again', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const phases: string[] = [];
      const { port } = server.address() as AddressInfo;
      const onProgress = (phase: string): void => void phases.push(phase);
      const wish = { url: `http://127.0.0.1:${port}/x.git`, protocols: ['http'], onProgress };
      const cloning = new NodeRemotes([1, 1]).clone(join(await tempFolder()), wish);
      await expect(cloning).rejects.toMatchObject({ message: expect.stringContaining('does not answer') as string });
      expect(phases.filter((one) => one === 'Waiting to try again')).toHaveLength(2);
    } finally {
      server.close();
    }
  });
});
