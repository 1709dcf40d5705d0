/** Clients of Yjs, unchanged, and a server that is killed under them: what anybody has heard is there when it is back. */
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

interface Client {
  readonly text: Y.Text;
  readonly provider: WebsocketProvider;
}

function client(address: string): Client {
  const doc = new Y.Doc();
  const provider = new WebsocketProvider(`ws://${address}/yjs`, 'notes', doc, {
    // Node's own is not there before 22, and its events are those of the other.
    WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
    disableBc: true,
    maxBackoffTime: 100,
  });
  onTestFinished(() => provider.destroy());
  return { text: doc.getText('text'), provider };
}

async function serve(store: string, listen: string): Promise<{ readonly weft: WeftProcess; readonly address: string }> {
  const weft = new WeftProcess(['serve', '--yjs', 'on', '--store', store, '--listen', listen]);
  await expect.poll(() => weft.out[0], { timeout: 60_000 }).toMatch(/^ws:/);
  return { weft, address: new URL(weft.out[0]!.replace('<room>', 'x')).host };
}

/** How often each character stands in a text. */
function counts(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const unit of text) found.set(unit, (found.get(unit) ?? 0) + 1);
  return found;
}

it('keeps what anybody has heard over a kill, and takes what was typed without it', async () => {
  const store = await tempFolder();
  const first = await serve(store, '127.0.0.1:0');
  const writers = Array.from({ length: 8 }, () => client(first.address));
  const [reader, loyal] = [client(first.address), client(first.address)];
  const all = [...writers, reader, loyal];
  await expect.poll(() => all.every(({ provider }) => provider.synced), { timeout: 60_000 }).toBe(true);
  const typing = setInterval(() => {
    for (const [i, { text }] of writers.entries()) text.insert(text.length, String(i));
  }, 2);
  onTestFinished(() => clearInterval(typing));
  await expect.poll(() => reader.text.length, { timeout: 60_000 }).toBeGreaterThan(500);
  await first.weft.kill('SIGKILL');
  clearInterval(typing);
  // Nobody who has written comes back; one who has only read says what he had heard by then.
  for (const { provider } of writers) provider.destroy();
  reader.provider.destroy();
  loyal.provider.disconnect();
  const heard = counts(reader.text.toString());
  loyal.text.insert(0, 'typed without a server');

  const second = await serve(store, first.address);
  const late = client(second.address);
  await expect.poll(() => late.provider.synced, { timeout: 60_000 }).toBe(true);
  const kept = counts(late.text.toString());
  for (const [unit, count] of heard) expect(kept.get(unit) ?? 0).toBeGreaterThanOrEqual(count);
  loyal.provider.connect();
  await expect.poll(() => late.text.toString(), { timeout: 60_000 }).toContain('typed without a server');
  await expect.poll(() => loyal.text.toString(), { timeout: 60_000 }).toBe(late.text.toString());
});
