/** Rooms in Chromium whose hosts sign with keys that a root has certified, kept in IndexedDB while the process that signs becomes another. */
import {
  type Authority,
  certifiedAuthority,
  defaultCrypto,
  fromHex,
  generateKeys,
  makeMandate,
  type Signer,
} from '@weft/core';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { pageScript, pageWorld } from '../support/browsers/page-world.js';

const PAGE = `
  import { openRoom } from '@weft/client';
  import { indexedDb } from '@weft/client/indexeddb';

  globalThis.enter = async (url) => {
    globalThis.room = openRoom('pad', { url, storage: indexedDb() });
    await room.ready;
  };
`;

const signerOf = (): Signer => defaultCrypto.signer(fromHex(generateKeys().seed));
const root = signerOf();

/** What a process signs with: a key of its own, which the root has certified. */
function aProcess(): (founder: Signer) => Promise<Authority> {
  const signer = signerOf();
  return async (founder) =>
    certifiedAuthority({
      roots: [root.publicKey],
      founder,
      founding: await makeMandate('founder', { key: founder.publicKey }, root),
      signer,
      certificates: [await makeMandate('signer', { key: signer.publicKey }, root)],
    });
}

it('a page keeps a room of certified hosts, opens it without a server, and goes on with another process', async () => {
  const world = await pageWorld(await pageScript(PAGE), { authority: aProcess() });
  const enter = async (): Promise<Page> => {
    const page = await world.page();
    await page.evaluate(`enter(${JSON.stringify(world.url)})`);
    return page;
  };
  await (await world.host.room('pad')).set('title', 'by the first');
  const one = await enter();
  await one.evaluate(`room.joined`);
  await one.evaluate(`room.text('body').insert(0, 'online; ')`);
  await one.evaluate(`room.sent()`);
  const titledBy = `room.replica.why('title').author`;
  const first = await one.evaluate(titledBy);

  await world.down();
  await one.evaluate(`room.text('body').insert(8, 'offline; ')`);
  await one.evaluate(`room.kept()`);
  await one.close();
  const again = await enter();
  expect(await again.evaluate(`[room.get('title'), room.textOf('body')]`)).toEqual([
    'by the first',
    'online; offline; ',
  ]);

  await world.up(aProcess());
  const room = await world.host.room('pad');
  await room.set('title', 'by another');
  await expect.poll(() => room.text('body'), { timeout: 20_000 }).toBe('online; offline; ');
  await expect.poll(() => again.evaluate(`room.get('title')`)).toBe('by another');
  expect(await again.evaluate(titledBy)).not.toBe(first);
  expect(await again.evaluate(`room.status`)).toMatchObject({
    connection: 'joined',
    storage: 'kept',
    unsent: 0,
    refused: 0,
  });
  expect(await again.evaluate(`room.replica.hashed()`)).toBe(room.stateHash);
  expect(room.forks).toEqual([]);

  // What the other process has signed is kept, too, and believed without asking anybody.
  await again.evaluate(`room.kept()`);
  await again.close();
  await world.down();
  const last = await enter();
  expect(await last.evaluate(`[room.get('title'), room.textOf('body')]`)).toEqual(['by another', 'online; offline; ']);
  expect(world.faults.filter((fault) => !/WebSocket connection/.test(fault))).toEqual([]);
});
