// A page that enters a room which has a history: how long what a person does would have to wait for it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connectRoom, createHost, generateKeys } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { inProcessSocket } from '@weft/core/testing';
import { startServer } from '@weft/server';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { TimedPage } from '../face/page.js';
import { enteringFigures } from '../face/timeline.js';
import { benchFolder } from '../measuring/folder.js';
import { mustHold } from '../measuring/harness.js';
import type { Figures } from '../measuring/statistics.js';

const KEYS = 500;
/** Longer than a page needs to keep what it was sent. */
const REST_MS = 1500;

const SCRIPT = `
  import { openRoom } from '@weft/client';
  import { indexedDb } from '@weft/client/indexeddb';
  globalThis.enter = async (url) => {
    const room = openRoom('cells', { url, storage: indexedDb() });
    await room.joined;
    return Object.keys(room.entries('cells/')).length;
  };
`;

/** Each round is a browser that was never there. */
export async function enterRoom(browser: Browser, nodes: number): Promise<Figures> {
  const host = createHost({ store: memoryStore() });
  const server = await startServer({ host, listen: '127.0.0.1:0' });
  const site = await serve(await bundled(SCRIPT));
  try {
    const writer = await connectRoom({ socket: inProcessSocket(host, 'cells'), keys: generateKeys() });
    await writer.joined;
    for (let i = 0; i < nodes; i++) writer.replica.set(`cells/${i % KEYS}`, { column: i % 7, title: `card ${i}` });
    await writer.push();
    writer.close();
    const timed = await TimedPage.in(browser);
    await timed.page.goto(site.address);
    await timed.page.waitForFunction('globalThis.enter !== undefined');
    let [found, joinedMs]: [unknown, number] = [0, 0];
    const main = await timed.timeline(async () => {
      const began = performance.now();
      found = await timed.page.evaluate(`enter(${JSON.stringify(new URL(server.url.replace('<room>', 'x')).origin)})`);
      joinedMs = performance.now() - began;
      await timed.page.waitForTimeout(REST_MS);
    });
    await timed.close();
    mustHold(found === Math.min(KEYS, nodes), `the page found ${String(found)} cells`);
    return { joined_ms: joinedMs, ...enteringFigures(main) };
  } finally {
    site.close();
    await server.close();
    await host.close();
  }
}

export async function bundled(script: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: join(benchFolder, '..', 'client', 'web') },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]!.text;
}

export async function serve(script: string): Promise<{ readonly address: string; close(): void }> {
  const site = createServer(({ url }, response) => {
    const isScript = url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    site.closeAllConnections();
    site.close();
  };
  return { address: `http://127.0.0.1:${(site.address() as AddressInfo).port}/`, close };
}
