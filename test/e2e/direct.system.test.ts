/** Pages in Chromium that are linked with each other, and go on when the server dies. */
import { generateKeys, signToken } from '@weft/core';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type PageScript, type PageWorld, pageScript, pageWorld } from '../support/browsers/page-world.js';

const PAGE = `
  import { linkPeers, openRoom } from '@weft/client';
  globalThis.enter = async (url, retryMs) => {
    const token = globalThis.tokenFor ? { token: (publicKey) => tokenFor(publicKey) } : {};
    globalThis.room = openRoom('pad', { url, ...token, retry: { firstMs: retryMs, mostMs: retryMs, random: () => 0.9 } });
    await room.ready;
    globalThis.attempts = 0;
    room.client.onState((state) => void (state === 'connecting' && attempts++));
    globalThis.links = linkPeers(room);
  };
  globalThis.type = (at, text) => room.text('body').insert(at, text);
  globalThis.send = RTCDataChannel.prototype.send;
  globalThis.read = () => room.textOf('body');
`;
/** Pages of one machine reach each other by their loopback address. */
const FLAGS = ['--allow-loopback-in-peer-connection', '--disable-features=WebRtcHideLocalIpsWithMdns'];

let script: PageScript;
beforeAll(async () => void (script = await pageScript(PAGE)));

interface Entering {
  /** Gives the page a token for its key. */
  readonly tokenFor?: (publicKey: string) => unknown;
  readonly retryMs?: number;
}

async function entered(world: PageWorld, { tokenFor, retryMs = 200 }: Entering = {}): Promise<Page> {
  const page = await world.page();
  if (tokenFor) await page.exposeFunction('tokenFor', tokenFor);
  await page.evaluate(`enter(${JSON.stringify(world.url)}, ${retryMs})`);
  return page;
}

const poll = (page: Page, expression: string) => expect.poll(() => page.evaluate(expression));
const SHOWN = `room.presence.others.map(({ shown }) => shown?.name).join()`;

it('goes on between two pages when the server dies, and tells it when it is back', async () => {
  const world = await pageWorld(script, { flags: FLAGS });
  const [ann, ben] = [await entered(world), await entered(world)];
  for (const page of [ann, ben]) await poll(page, 'links.linked.length').toBe(1);
  await ann.evaluate(`type(0, 'together. ')`);
  await poll(ben, 'read()').toBe('together. ');

  await world.down();
  for (const page of [ann, ben]) await poll(page, 'room.status.connection').not.toBe('joined');
  // At its end, for Ann's may have come to it by then.
  await Promise.all([ann.evaluate(`type(0, 'Ann alone, ')`), ben.evaluate(`type(read().length, 'Ben alone. ')`)]);
  for (const page of [ann, ben]) await poll(page, 'read()').toBe('Ann alone, together. Ben alone. ');
  await ann.evaluate(`room.presence.show({ name: 'Ann' })`);
  await poll(ben, SHOWN).toBe('Ann');
  // Much at once comes in pieces, and what is written upon it too.
  await ben.evaluate(`type(0, '.'.repeat(400_000))`);
  await poll(ann, 'read().length').toBe(400_032);
  await ann.evaluate(`type(400_032, '!')`);
  await poll(ben, 'read().length').toBe(400_033);
  expect(await ann.evaluate('room.status.unsent > 0')).toBe(true);

  await world.up();
  for (const page of [ann, ben]) await poll(page, 'room.status.unsent').toBe(0);
  const room = await world.host.room('pad');
  expect(room.text('body')).toBe(await ann.evaluate('read()'));
  expect(await ben.evaluate('read()')).toBe(await ann.evaluate('read()'));
});

it('keeps what another page shows while this one tries to connect again and again', async () => {
  const world = await pageWorld(script, { flags: FLAGS });
  const ann = await entered(world, { retryMs: 3_600_000 }); // says nothing of itself when the server has gone
  const ben = await entered(world, { retryMs: 20 });
  await ann.evaluate(`room.presence.show({ name: 'Ann' })`);
  for (const page of [ann, ben]) await poll(page, 'links.linked.length').toBe(1);
  await poll(ben, SHOWN).toBe('Ann');
  await ann.evaluate(`room.presence.show({ name: 'Ann, typing' })`);
  await poll(ben, SHOWN).toBe('Ann, typing');
  await world.down();
  await poll(ben, 'attempts > 3').toBe(true);
  expect(await ben.evaluate(SHOWN)).toBe('Ann, typing');
  await ann.evaluate(`room.presence.show({ name: 'Ann, alone' })`);
  await poll(ben, SHOWN).toBe('Ann, alone');
  const tried = Number(await ben.evaluate('attempts'));
  await poll(ben, `attempts > ${tried + 3}`).toBe(true);
  expect(await ben.evaluate(SHOWN)).toBe('Ann, alone');
});

it('tells only those what is in a room that may read all of it', async () => {
  const admin = generateKeys();
  const world = await pageWorld(script, { flags: FLAGS, adminKey: admin.publicKey });
  const expiry = Math.floor(Date.now() / 1000) + 3600;
  const with_ = (...caps: string[]) =>
    entered(world, { tokenFor: (peer) => signToken({ room: 'pad', peer, expiry, caps }, admin.seed) });
  const [ann, ben, cem] = [await with_(), await with_(), await with_('read:public/**', 'write:public/**')];
  const keyOf = (page: Page) => page.evaluate('room.client.directParts().keys.publicKey');
  for (const [page, other] of [
    [ann, ben],
    [ben, ann],
  ] as const)
    await poll(page, 'links.linked.join()').toBe(await keyOf(other));
  await poll(cem, 'links.linked.length').toBe(2);

  await world.down();
  for (const page of [ann, ben, cem]) await poll(page, 'room.status.connection').not.toBe('joined');
  await ann.evaluate(`type(0, 'secret')`);
  await poll(ben, 'read()').toBe('secret');
  await cem.evaluate(`room.set('public/note', 'from Cem')`);
  for (const page of [ann, ben]) await poll(page, `room.get('public/note')`).toBe('from Cem');
  expect(await cem.evaluate('read()')).toBe('');
});

it('takes no word that its sender has not signed, and no nodes that cannot be judged', async () => {
  const world = await pageWorld(script, { flags: FLAGS });
  const [ann, mallory] = [await entered(world), await entered(world)];
  for (const page of [ann, mallory]) await poll(page, 'links.linked.length').toBe(1);
  await ann.evaluate(`type(0, 'ours')`);
  await poll(mallory, 'read()').toBe('ours');
  const annKey = await ann.evaluate('room.client.directParts().keys.publicKey');
  // Whoever would come between the two has another key than the server has named.
  await mallory.evaluate(`(async () => {
    links.close();
    const connection = new RTCPeerConnection();
    connection.createDataChannel('weft');
    await connection.setLocalDescription();
    const sdp = { type: 'offer', sdp: connection.localDescription.sdp };
    room.client.send({ type: 'webrtc-offer', to: ${JSON.stringify(annKey)}, sdp, sig: '0'.repeat(128) });
    room.client.send({ type: 'webrtc-ice', to: ${JSON.stringify(annKey)}, candidate: { candidate: 'nonsense' } });
    room.set('after', true);
  })()`);
  await poll(ann, `room.get('after')`).toBe(true);
  await poll(ann, 'links.linked.length').toBe(0);

  const ben = await entered(world);
  await poll(ann, 'links.linked.length').toBe(1);
  await ben.evaluate(`void (RTCDataChannel.prototype.send = function (data) {
    send.call(this, typeof data === 'string' ? data : Uint8Array.of(1, ...new Uint8Array(50_000)));
  })`);
  await world.down();
  for (const page of [ann, ben]) await poll(page, 'room.status.connection').not.toBe('joined');
  await ben.evaluate(`room.set('mine', 1)`);
  await poll(ann, 'links.linked.length').toBe(0);
  expect(await ann.evaluate('read()')).toBe('ours');
  expect(world.faults.filter((fault) => !fault.includes('WebSocket'))).toEqual([]);
});
