/** The page about rooms as it looks, at a room server whose rooms hold the same each time; ids and signatures are new in each run. */
import { createHost, keepRoom, keysFromSeed } from '@weft/core';
import { folderArchives } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { Performing, startServer } from '@weft/server';
import { roomsFile } from '@weft/studio/face';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { browser } from '../support/browsers/browser.js';
import { tempFolder } from '../support/temp-folder.js';
import { LOOKS, changedLooks } from './compared.js';

const TOKEN = 'a-token-of-the-operator';
const [ADMIN, ANN, BEN] = ['a1', 'a2', 'a3'].map((byte) => keysFromSeed(byte.repeat(32)));

/** Rooms in which two people have written: one after the other, and at once. */
async function served(): Promise<string> {
  const store = memoryStore();
  const archives = { file: folderArchives(await tempFolder()) };
  const host = createHost({ store, adminKey: ADMIN!.publicKey, archives: { stores: archives } });
  const performing = new Performing({ host, store, archives, admin: ADMIN });
  const server = await startServer({
    host,
    listen: '127.0.0.1:0',
    adminAddr: '127.0.0.1:0',
    admin: { token: TOKEN, performing, unready: () => undefined, page: roomsFile },
  });
  onTestFinished(async () => {
    await server.close();
    await host.close();
  });
  const joined = async (keys: ReturnType<typeof keysFromSeed>) => {
    const client = keepRoom({
      open: () => new WebSocket(server.url.replace('<room>', 'plans')),
      keys,
      room: 'plans',
      audience: new URL(server.url).host,
    });
    onTestFinished(() => client.close());
    await client.joined;
    return client;
  };
  const [ann, ben] = [await joined(ANN!), await joined(BEN!)];
  ann.replica.set('docs/title', 'Road map');
  ann.replica.set('docs/owner', 'ann');
  ann.replica.text('docs/body').insert(0, 'Begin with what hurts most. ');
  await ann.push();
  await expect.poll(() => ben.replica.get('docs/owner')).toBe('ann');
  ben.replica.text('docs/body').insert(0, 'What comes next: ');
  ben.replica.set('docs/owner', 'ben');
  await ben.push();
  const other = await host.room('notes');
  await other.set('first', 'something to remember');
  return server.adminUrl ?? '';
}

it('each view of rooms looks as it did, wide, narrow and on a phone', async () => {
  const origin = await served();
  const page = await (await (await browser()).newContext(LOOKS)).newPage();
  await page.goto(`${origin}/rooms`);
  await page.getByLabel('Token of the operator').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'plans', exact: true }).waitFor();
  const of = (path: string): string => `${origin}/rooms${path}`;
  const views = new Map([
    ['rooms', of('')],
    ['room-keys', of('/plans')],
    ['room-text', of(`/plans/keys/${encodeURIComponent('docs/body')}`)],
    ...['peers', 'rights', 'graph', 'family', 'keep'].map((tab) => [`room-${tab}`, of(`/plans/${tab}`)] as const),
  ]);
  const isThere = async (): Promise<void> => {
    await page.getByRole('heading', { name: /^Room/ }).first().waitFor();
    await expect.poll(() => page.getByText('Loading …').count()).toBe(0);
  };
  expect(await changedLooks(page, views, isThere)).toEqual([]);
}, 240_000);
