/** What needs a person is told by a studio that is killed at any moment: nothing is lost, and what is sent twice says so. */
import { readFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

const ROUNDS = 5;

interface Told {
  readonly deliveryId: string;
  readonly sentence: string;
}

/** A receiver that hands each delivery to `take`, and answers when that has ended. */
async function receiver(take: (told: Told) => Promise<void> | void): Promise<string> {
  const server: Server = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    incoming.on('end', () => {
      const { item } = JSON.parse(text) as { item: { sentence: string } };
      void (async () => {
        await take({ deliveryId: String(incoming.headers['weft-delivery']), sentence: item.sentence });
        response.end();
      })();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it('each thing is told by one id, however often the studio is killed while it tells', async () => {
  const store = await tempFolder();
  const told: Told[] = [];
  let studio: WeftProcess | undefined;
  let killAt = Number.POSITIVE_INFINITY;
  const url = await receiver(async (one) => {
    told.push(one);
    // Taken here, and the studio never hears of it.
    if (told.length === killAt) await studio?.kill('SIGKILL');
  });
  const start = async () => {
    studio = new WeftProcess(['studio', '--listen', '127.0.0.1:0', '--store', store]);
    const [origin] = await studio.line(/^http:\S+$/);
    const { admin } = JSON.parse(await readFile(join(store, 'studio.tokens.json'), 'utf8')) as { admin: string };
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
    return async (path: string, body: object): Promise<Record<string, string>> => {
      const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(await answer.text());
      return (await answer.json()) as Record<string, string>;
    };
  };
  let call = await start();
  await call('/webhooks', { url, about: 'attention' });
  for (let round = 0; round < ROUNDS; round++) {
    const { workUnitId } = await call('/workunits', { goal: 'x' });
    killAt = told.length + 1;
    // The answer may be lost with the studio.
    await call('/clarifications/request', { workUnitId, question: `Question ${round}?` }).catch(() => undefined);
    await studio?.exited;
    killAt = Number.POSITIVE_INFINITY;
    call = await start();
  }
  const { workUnitId } = await call('/workunits', { goal: 'x' });
  await call('/clarifications/request', { workUnitId, question: 'The last?' });
  await expect.poll(() => told.map(({ sentence }) => sentence), { timeout: 60_000 }).toContain('The last?');
  const ids = new Map(told.map(({ sentence, deliveryId }) => [sentence, deliveryId]));
  expect(told.every(({ sentence, deliveryId }) => ids.get(sentence) === deliveryId)).toBe(true);
  expect([...ids.keys()]).toHaveLength(ROUNDS + 1);
  expect(new Set(ids.values()).size).toBe(ROUNDS + 1);
  // Each was in the middle of its way when the studio died, and came once more.
  expect(told).toHaveLength(2 * ROUNDS + 1);
});
