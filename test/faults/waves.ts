/** Peers that come by the hundred each second, join, and go. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Peer } from './peer.js';
import { residentBytes } from './resident-memory.js';
import { serveProcess } from './serving.js';

const EACH_SECOND = 100;
const MIB = 1024 * 1024;

/**
 * Battery of waves: every third peer does not say hello, every third goes without a word. `mayGrow`: mebibytes that this may leave in the server's
 * memory; not weighed when absent.
 */
export function describeWaves(seconds: number, mayGrow?: number): void {
  it(`fault 39: ${EACH_SECOND} connections a second, for ${seconds} seconds, are let in and leave nothing behind`, async () => {
    const { weft, url } = await serveProcess('--store', 'memory');
    const wave = async (): Promise<void> => {
      const peers = await Promise.all(Array.from({ length: EACH_SECOND }, () => Peer.dial(url)));
      await Promise.all(peers.map((peer, i) => (i % 3 === 0 ? undefined : peer.join())));
      for (const [i, { socket }] of peers.entries())
        if (i % 3 === 1) socket.terminate();
        else socket.close();
      await Promise.all(peers.map(({ closed }) => closed));
    };
    await wave();
    const before = residentBytes(weft.pid);
    const started = Date.now();
    for (let second = 0; second < seconds; second++) {
      await wave();
      await pause(Math.max(0, started + (second + 1) * 1000 - Date.now()));
    }
    const { welcome } = await (await Peer.dial(url)).join();
    expect(welcome['peers']).toEqual([]);
    if (mayGrow !== undefined) expect(residentBytes(weft.pid) - before).toBeLessThan(mayGrow * MIB);
    expect(weft.problems).toEqual([]);
    expect(await weft.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });
}
