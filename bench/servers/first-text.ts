// A page that was in a room before and begins anew: how long until the text is there that its device has kept, while no server answers.
import { connectRoom, createHost, generateKeys } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { inProcessSocket } from '@weft/core/testing';
import { startServer } from '@weft/server';
import type { Browser } from 'playwright-core';
import { newContext } from '../face/page.js';
import { mustHold } from '../measuring/harness.js';
import type { Figures } from '../measuring/statistics.js';
import { loadSequentialTrace } from '../measuring/trace.js';
import { bundled, serve } from './entering-page.js';

export const FIRST_TEXT_TRACE = 'automerge-paper';
/** Edits of one node, as somebody types who is sent now and then. */
const EDITS_PER_NODE = 16;

const SCRIPT = `
  import { openRoom } from '@weft/client';
  import { indexedDb } from '@weft/client/indexeddb';
  const open = (url) => openRoom('paper', { url, storage: indexedDb() });
  globalThis.keep = async (url) => {
    const room = open(url);
    await room.joined;
    await room.kept();
    await room.close();
  };
  globalThis.show = async (url) => {
    const began = performance.now();
    const room = open(url);
    await room.ready;
    const text = room.textOf('body');
    return { ms: performance.now() - began, text, connection: room.status.connection };
  };
`;

interface Shown {
  readonly ms: number;
  readonly text: string;
  readonly connection: string;
}

/** Each round is a new browser profile, and in it a page that has seen the text only on the device. */
export async function firstText(browser: Browser, most = Infinity): Promise<Figures> {
  const { name, edits } = loadSequentialTrace(FIRST_TEXT_TRACE);
  const host = createHost({ store: memoryStore() });
  const server = await startServer({ host, listen: '127.0.0.1:0' });
  const site = await serve(await bundled(SCRIPT));
  const context = await newContext(browser);
  try {
    const writer = await connectRoom({ socket: inProcessSocket(host, 'paper'), keys: generateKeys() });
    const body = writer.replica.text('body');
    const typed = edits.slice(0, Math.min(edits.length, most));
    for (let from = 0; from < typed.length; from += EDITS_PER_NODE)
      writer.replica.batch(() => {
        for (const { position, deleted, inserted } of typed.slice(from, from + EDITS_PER_NODE)) {
          if (deleted > 0) body.delete(position, deleted);
          if (inserted !== '') body.insert(position, inserted);
        }
      });
    await writer.push();
    const written = body.toString();
    writer.close();

    const url = JSON.stringify(new URL(server.url.replace('<room>', 'x')).origin);
    const page = async (): Promise<(call: string) => Promise<unknown>> => {
      const opened = await context.newPage();
      await opened.goto(site.address);
      await opened.waitForFunction('globalThis.show !== undefined');
      return (call) => opened.evaluate(call);
    };
    await (
      await page()
    )(`keep(${url})`);
    await server.close();
    const { ms, text, connection } = (await (await page())(`show(${url})`)) as Shown;
    mustHold(text === written, `the page showed ${text.length} characters of ${name}, not ${written.length}`);
    mustHold(connection !== 'joined', 'the page was in the room, which has no server');
    return { text_ms: ms };
  } finally {
    await context.close();
    site.close();
    await server.close();
    await host.close();
  }
}
