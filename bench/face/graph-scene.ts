/** The graph of a large room, drawn: until all of it is read, and how frames go while it is moved and zoomed. */
import { tmpdir } from 'node:os';
import { createHost, createReplica, generateKeys } from '@weft/core';
import { folderArchives } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { Performing, startServer } from '@weft/server';
import { roomsFile } from '@weft/studio/face';
import type { Browser } from 'playwright-core';
import { mustHold } from '../measuring/harness.js';
import type { Figures } from '../measuring/statistics.js';
import { TimedPage, inFrames } from './page.js';
import { frameFigures } from './timeline.js';

const ROOM = 'bench';
const AUTHORS = 5;
/** Nodes that an author writes before the next does. */
const TURN = 20;
const TOKEN = 'the-token-of-the-bench';
const FRAMES = 300;
const PATIENCE_MS = 120_000;

export async function drawGraph(browser: Browser, nodes: number): Promise<Figures> {
  const [store, admin] = [memoryStore(), generateKeys()];
  // None is made here.
  const archives = { file: folderArchives(tmpdir()) };
  const host = createHost({ store, adminKey: admin.publicKey });
  await fill(host, nodes);
  const server = await startServer({
    host,
    listen: '127.0.0.1:0',
    adminAddr: '127.0.0.1:0',
    admin: {
      token: TOKEN,
      performing: new Performing({ host, store, archives, admin }),
      unready: () => undefined,
      page: roomsFile,
    },
  });
  const timed = await TimedPage.in(browser);
  try {
    const { page } = timed;
    await page.goto(`${server.adminUrl}/rooms`);
    await page.getByLabel('Token of the operator').fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Rooms' }).waitFor();
    const began = performance.now();
    await page.goto(`${server.adminUrl}/rooms/${ROOM}/graph`);
    await page
      .getByText(new RegExp(`nodes, by ${AUTHORS + 1} authors`))
      .first()
      .waitFor({ timeout: PATIENCE_MS });
    const drawn_ms = performance.now() - began;
    const graph = page.getByRole('application');
    await graph.focus();
    const press = (keys: readonly string[]): string =>
      `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(keys)}[at % ${keys.length}], bubbles: true, cancelable: true }))`;
    const main = await timed.timeline(async () => {
      await inFrames(page, FRAMES, press(['+', 'ArrowRight', 'ArrowRight', '-', 'ArrowLeft', '+', 'ArrowRight', '0']));
    });
    return { drawn_ms, ...frameFigures(main), heap_mb: await timed.heapMb() };
  } finally {
    await timed.close();
    await server.close();
    await host.close();
  }
}

/** Authors in turn: each has seen what the one before wrote. */
async function fill(host: ReturnType<typeof createHost>, nodes: number): Promise<void> {
  const room = await host.room(ROOM);
  const replicas = await Promise.all(
    Array.from({ length: AUTHORS }, () => createReplica({ genesis: room.genesis.pack, keys: generateKeys() })),
  );
  // The genesis is a node as well.
  let written = 1;
  for (let turn = 0; written < nodes; turn++) {
    const author = replicas[turn % AUTHORS]!;
    for (let n = 0; n < TURN && written < nodes; n++, written++) author.set(`key/${written % 1000}`, written);
    const pack = await author.sealedMessage();
    mustHold(pack !== undefined, 'nothing was written');
    const { refused } = await room.admit(pack!, { from: 'peer' });
    mustHold(refused.length === 0, 'a node was refused');
    for (const other of replicas) if (other !== author) await other.receive(pack!);
  }
}
