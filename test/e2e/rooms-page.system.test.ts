/** The page about rooms in Chromium, at a real room server: by its administration door, and as a view of a studio in one process. */
import { createHost, generateKeys, keepRoom } from '@weft/core';
import { folderArchives } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { Performing, startServer, wordsDoor } from '@weft/server';
import { newTokens, startStudio } from '@weft/studio';
import { roomsFile } from '@weft/studio/face';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { axe } from '../support/browsers/axe.js';
import { browser } from '../support/browsers/browser.js';
import { wrongShown } from '../support/browsers/wrong-shown.js';
import { tempFolder } from '../support/temp-folder.js';

const TOKEN = 'a-token-of-the-operator';
const HOSTILE = '<img src=x onerror="globalThis.ran=1"> \u202egnp.exe';

async function served() {
  const [store, admin] = [memoryStore(), generateKeys()];
  const archives = { file: folderArchives(await tempFolder()) };
  const host = createHost({ store, adminKey: admin.publicKey, archives: { stores: archives } });
  const performing = new Performing({ host, store, archives, admin });
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
  const room = await host.room('plans');
  await room.set('docs/title', 'Road map');
  await room.set(`docs/${HOSTILE}`, HOSTILE);
  const keys = generateKeys();
  const joined = async (name: string) => {
    const client = keepRoom({
      open: () => new WebSocket(server.url.replace('<room>', name)),
      keys,
      room: name,
      audience: new URL(server.url).host,
    });
    onTestFinished(() => client.close());
    await client.joined;
    return client;
  };
  const ann = await joined('plans');
  ann.replica.text('docs/body').insert(0, 'by ann ');
  await ann.push();
  await room.edit((edits) => edits.insertText('docs/body', 'by the host ', undefined));
  return { host, room, ann, joined, keys, performing, origin: server.adminUrl ?? '' };
}

async function opened(address: string, faults: string[]): Promise<Page> {
  const page = await (await browser()).newPage({ viewport: { width: 1300, height: 900 } });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/ 401 | 409 /.test(message.text())) faults.push(message.text());
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(address).origin && protocol !== 'blob:') faults.push(`asked for ${request.url()}`);
  });
  await page.goto(address);
  return page;
}

it('a room server serves the page to whoever has the token of its operator, and all is done there', async () => {
  const { room, keys, origin } = await served();
  const faults: string[] = [];
  const page = await opened(`${origin}/rooms`, faults);
  const token = page.getByLabel('Token of the operator');
  await token.fill('another one');
  await page.keyboard.press('Enter');
  await page.getByText('That is not the token of this server.').waitFor();
  await axe(page, faults);
  await token.fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Rooms' }).waitFor();
  await axe(page, faults);
  expect(await page.evaluate('document.cookie')).toBe('');

  await page.getByRole('link', { name: 'plans', exact: true }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Room plans' }).waitFor();
  await page.getByRole('link', { name: 'title', exact: true }).click();
  await page.getByLabel('Value', { exact: true }).last().getByText('"Road map"').waitFor();
  await page.getByText('Nobody wrote at the same time.').waitFor();
  await page.getByLabel('Find').fill('BODY');
  await page.getByRole('link', { name: 'body', exact: true }).click();
  const text = page.getByLabel('Text', { exact: true });
  await text.waitFor();
  expect(await text.locator('span').allInnerTexts()).toEqual(['by the host ', 'by ann ']);
  await axe(page, faults);
  await page.locator('[name=text-moment]').fill('0');
  await expect.poll(() => text.locator('span').allInnerTexts()).toEqual(['by ann ']);

  await page.keyboard.press('3');
  await page.getByRole('button', { name: 'Change the policy', exact: true }).click();
  const policy = { default: 'deny', rules: [{ path_glob: 'docs/**', can_write: [keys.publicKey] }] };
  await page.locator('[name=policy]').fill(JSON.stringify(policy));
  const set = page.getByRole('button', { name: /^(Set it|Who is not)/ });
  await set.click();
  await set.click();
  await page.getByRole('cell', { name: 'all others' }).waitFor();
  expect(room.facts.policy).toEqual(policy);
  const may = async (key: string): Promise<void> => {
    await page.locator('[name=tester-peer]').fill(keys.publicKey);
    await page.locator('[name=tester-key]').fill(key);
    await page.keyboard.press('Enter');
  };
  await may('docs/a/b');
  await page.getByText('Yes: rule 1 decides: docs/**.').waitFor();
  await may('other');
  await page.getByText('No: no rule matches, so the default decides.').waitFor();
  await axe(page, faults);
  const lock = page.getByRole('button', { name: /^(Lock|Peers without)/ });
  await lock.click();
  await lock.click();
  await page.getByRole('button', { name: 'Unlock', exact: true }).waitFor();
  await page.locator('[name=token-peer]').fill(keys.publicKey);
  await page.getByRole('button', { name: 'Make a token', exact: true }).click();
  await page.getByLabel('Token', { exact: true }).getByText(keys.publicKey).waitFor();
  const revoke = page.getByRole('button', { name: /^(Revoke those|It has to go)/ });
  await revoke.click();
  await revoke.click();
  await page.getByRole('table', { name: 'Revoked' }).waitFor();
  await axe(page, faults);

  await page.getByRole('tab', { name: 'Family' }).click();
  await page.getByLabel('Its name').fill('draft');
  await page.getByRole('button', { name: 'Begin it', exact: true }).click();
  await page.getByRole('link', { name: 'draft' }).waitFor();
  await page.getByRole('button', { name: 'What would it change?' }).click();
  await page.getByText('It has changed nothing.').waitFor();
  await axe(page, faults);

  await page.getByRole('tab', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Compact', exact: true }).click();
  await page.getByText('Compacted').waitFor();
  await page.getByLabel('Why, for other operators').fill('too loud');
  const shut = page.getByRole('button', { name: /^(Shut the room|Its peers)/ });
  await shut.click();
  await shut.click();
  await page.getByText('It is quarantined: too loud').waitFor();
  await axe(page, faults);
  await page.getByRole('button', { name: 'Open it again', exact: true }).click();
  await page.getByText('It is quarantined').waitFor({ state: 'detached' });
  expect(await page.evaluate('globalThis.ran')).toBeUndefined();
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await token.waitFor();
  expect(faults).toEqual([]);
});

it('what was overwritten before a position is given up there, once one is sure', async () => {
  const { joined, origin } = await served();
  const diary = await joined('diary');
  for (const today of ['rain', 'sun', 'snow']) {
    diary.replica.set('today', today);
    await diary.push();
  }
  const faults: string[] = [];
  const page = await opened(`${origin}/rooms/diary/keep`, faults);
  await page.getByLabel('Token of the operator').fill(TOKEN);
  await page.keyboard.press('Enter');
  const prune = page.getByRole('button', { name: /^(Prune|It is gone)/ });
  await prune.waitFor();
  const before = page.locator('[name=before]');
  const [, last = ''] = /Up to (\d+)\./.exec(await page.getByRole('tabpanel', { name: 'Keep' }).innerText()) ?? [];
  for (const unfit of ['', 'yesterday', '-1', `${last}0`]) {
    await before.fill(unfit);
    expect(await prune.isDisabled()).toBe(true);
  }
  await before.fill(last);
  await prune.click();
  await page.getByRole('button', { name: 'It is gone for good, and everybody has to come again. Prune?' }).click();
  await page.getByText('Given up; everybody comes again').waitFor();
  await page.getByText(`what was overwritten before position ${last} is given up.`).waitFor();
  await axe(page, faults);
  diary.replica.set('today', 'fog');
  await diary.push();
  await page.getByRole('tab', { name: 'Keys' }).click();
  await page.getByRole('link', { name: 'today', exact: true }).click();
  await page.getByText('"fog"').first().waitFor();
  expect(await page.getByText('"rain"').count()).toBe(0);
  expect(faults).toEqual([]);
});

it('a room is written as an archive, looked at, and restored under another name', async () => {
  const { host, room, origin } = await served();
  const faults: string[] = [];
  const page = await opened(`${origin}/rooms/plans/keep`, faults);
  await page.getByLabel('Token of the operator').fill(TOKEN);
  await page.keyboard.press('Enter');
  const name = page.getByLabel('Name of the archive');
  await name.fill('../outside.weft');
  await page.getByRole('button', { name: 'Write it', exact: true }).click();
  await page.getByText('leads nowhere else').waitFor();
  await name.fill('plans.weft');
  await page.getByRole('button', { name: 'Write it', exact: true }).click();
  await page.getByText('Written: one signed file').waitFor();
  await page.getByLabel('Room that takes it in').fill('copy');
  await page.getByRole('button', { name: 'Look at it', exact: true }).click();
  await page.getByText('nothing was changed').waitFor();
  const restore = page.getByRole('button', { name: /^(Restore|copy takes in)/ });
  await restore.click();
  await restore.click();
  await page.getByText(`has taken in ${room.seq} nodes`).waitFor();
  await axe(page, faults);
  await page.getByRole('link', { name: 'copy', exact: true }).click();
  await page.getByRole('heading', { name: 'Room copy' }).waitFor();
  expect((await host.room('copy')).get('docs/title')).toBe('Road map');
  expect(await page.evaluate('globalThis.ran')).toBeUndefined();
  expect(faults).toEqual([]);
});

it('who is there is seen as they come and go', async () => {
  const { ann, origin } = await served();
  const faults: string[] = [];
  const page = await opened(`${origin}/rooms/plans/peers`, faults);
  await page.getByLabel('Token of the operator').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'proven' }).waitFor();
  await axe(page, faults);
  ann.close();
  await page.getByText('Nobody is here.').waitFor();
  expect(faults).toEqual([]);
});

it('the graph of a room is read page by page, moved by keys, and a node of it is told in words', async () => {
  const { room, origin } = await served();
  await room.transactMany((write) => {
    for (let at = 0; at < 25_000; at++) write([{ key: 'count', value: at }]);
  });
  const faults: string[] = [];
  const page = await opened(`${origin}/rooms/plans/graph`, faults);
  await page.getByLabel('Token of the operator').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page
    .getByText(`${Math.round(room.seq / 1000)}K nodes, by 2 authors`)
    .first()
    .waitFor();
  const graph = page.getByRole('application');
  await page.getByText(`Nodes 0 to ${room.seq}.`).waitFor();
  const inked = (): Promise<number> =>
    page.evaluate(`(() => {
      const canvas = document.querySelector('.graph canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set();
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) colours.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
      return colours.size;
    })()`);
  await expect.poll(inked).toBeGreaterThan(0);
  await axe(page, faults);
  await graph.focus();
  await page.keyboard.press('n');
  await page.getByRole('heading', { name: /^Node 0/ }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('heading', { name: /^Node 1/ }).waitFor();
  await page.getByRole('button', { name: '0', exact: true }).click();
  await page.getByText('nothing: it is the first').waitFor();
  await page.keyboard.press('Escape');
  await axe(page, faults);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the picture', exact: true }).click();
  expect((await download).suggestedFilename()).toBe('plans.svg');
  expect(faults).toEqual([]);
});

it('the list says how large each room is and how fast it grows', async () => {
  const { room, host, origin } = await served();
  await (await host.room('quiet')).set('a', 1);
  const faults: string[] = [];
  const page = await opened(`${origin}/rooms`, faults);
  await page.getByLabel('Token of the operator').fill(TOKEN);
  await page.keyboard.press('Enter');
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  await row('plans').waitFor();
  const writing = setInterval(() => void room.set('count', room.seq), 20);
  onTestFinished(() => clearInterval(writing));
  await expect.poll(() => row('plans').innerText()).toMatch(/\t[1-9]\d*\/s/);
  expect(await row('quiet').innerText()).toMatch(/\t2\t\d+ B\t0\/s/);
  clearInterval(writing);
  await expect.poll(() => row('plans').innerText()).toMatch(/\t0\/s/);
  expect(faults).toEqual([]);
});

it('a key that has written at two ends is found in the graph', async () => {
  const { room, ann, joined, origin } = await served();
  const twin = await joined('plans');
  ann.replica.set('docs/one', 1);
  twin.replica.set('docs/two', 2);
  await Promise.all([ann.push(), twin.push()]);
  await expect.poll(() => room.forks.length).toBe(1);
  const faults: string[] = [];
  const page = await opened(`${origin}/rooms/plans/graph`, faults);
  await page.getByLabel('Token of the operator').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page
    .getByText(/nodes, by 2 authors, .*1 fork/)
    .first()
    .waitFor();
  const node = page.getByRole('heading', { name: /^Node \d/ });
  const told: (string | null)[] = [];
  for (let at = 0; at < 2; at++) {
    await page.getByRole('button', { name: 'Next fork', exact: true }).click();
    await page.getByText('one of two that stand on the same node: a fork').waitFor();
    told.push(await node.textContent());
  }
  expect(new Set(told).size).toBe(2);
  expect(faults).toEqual([]);
});

it('each part of a room fits a phone, is for everybody, and does nothing that a command does not; values of rooms are text', async () => {
  const { ann, origin } = await served();
  ann.present(HOSTILE);
  const faults: string[] = [];
  const page = await opened(`${origin}/rooms`, faults);
  await page.getByLabel('Token of the operator').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'plans', exact: true }).waitFor();
  const said = new Set<string>();
  for (const part of [
    '',
    '/plans',
    '/plans/keys/docs%2Fbody',
    `/plans/keys/${encodeURIComponent(`docs/${HOSTILE}`)}`,
    ...['peers', 'rights', 'graph', 'family', 'keep'].map((tab) => `/plans/${tab}`),
  ]) {
    await page.setViewportSize({ width: 1300, height: 900 });
    await page.goto(`${origin}/rooms${part}`);
    await page.locator('#main h1, main h1').first().waitFor();
    await expect.poll(() => page.getByText(/^(Reading|Loading) …$/).count()).toBe(0);
    if (part.endsWith('peers')) await page.getByText('⟨202e⟩').first().waitFor();
    for (const does of await page.locator('.does').all()) {
      const twin = does.getByRole('button', { name: /^Command that does the same/ });
      await twin.click();
      const [command = '', call = ''] = await does.locator('.twin-card code').allInnerTexts();
      expect(command).toMatch(/^weft room /);
      expect(call).toMatch(/^POST \/v1\/rooms\/plans(-restored)?\/[a-z]+$/);
      said.add(call);
      await twin.click();
    }
    await axe(page, faults);
    await page.setViewportSize({ width: 360, height: 740 });
    for (const one of await wrongShown(page)) faults.push(`/rooms${part} on a phone: ${one}`);
  }
  expect(said.size, [...said].join(' ')).toBeGreaterThan(8);
  expect(faults).toEqual([]);
});

it('what a child has changed is seen key by key, with what both have changed, and is promoted in one commit', async () => {
  const { host, room, origin } = await served();
  const faults: string[] = [];
  const page = await opened(`${origin}/rooms/plans/family`, faults);
  await page.getByLabel('Token of the operator').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.getByLabel('Its name').fill('draft');
  await page.getByRole('button', { name: 'Begin it', exact: true }).click();
  await page.getByRole('link', { name: 'draft' }).waitFor();
  const draft = await host.room('draft');
  await draft.set('docs/title', 'Another road');
  await draft.set('docs/owner', 'cy');
  await room.set('docs/owner', 'ben');
  await page.getByRole('button', { name: 'What would it change?' }).click();
  const changes = page.getByRole('table', { name: 'What draft would change' }).locator('tbody tr');
  await expect.poll(() => changes.count()).toBe(2);
  const cells = async (key: string): Promise<string> =>
    (await changes.filter({ hasText: key }).locator('td').nth(1).innerText()).trim();
  expect([await cells('docs/title'), await cells('docs/owner')]).toEqual(['the child', 'both']);
  await axe(page, faults);
  const promote = page.getByRole('button', { name: /^Promote/ });
  await promote.click();
  await promote.click();
  await expect.poll(() => room.get('docs/title')).toBe('Another road');
  await page.getByRole('list', { name: 'Its children' }).getByRole('link', { name: 'draft' }).click();
  await page.getByRole('list', { name: 'Where it comes from' }).getByRole('link', { name: 'plans' }).waitFor();
  expect(faults).toEqual([]);
});

it('a studio in the same process has the rooms as a view, for a link of scope admin alone', async () => {
  const { host, performing } = await served();
  const [folder, tokens] = [await tempFolder(), newTokens()];
  const studio = await startStudio({
    host,
    folder,
    listen: '127.0.0.1:0',
    tokens,
    confinement: { unconfined: true },
    rooms: wordsDoor(performing),
    log: () => undefined,
  });
  onTestFinished(() => studio.close());
  const origin = `http://127.0.0.1:${studio.port}`;
  const link = studio.link();
  const faults: string[] = [];
  const page = await opened(link, faults);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Rooms' }).click();
  await page.getByText('weft open --scope admin').waitFor();
  expect(faults.filter((fault) => !fault.includes(' 403 '))).toEqual([]);
  expect((await fetch(`${origin}/v1/rooms`)).status).toBe(401);

  const { code } = (await (
    await fetch(`${origin}/studio/codes?scope=admin`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.admin}` },
    })
  ).json()) as { code: string };
  const operator = await opened(`${origin}/#code=${code}`, faults);
  await operator.locator('.live[data-state=live]').waitFor();
  await operator.keyboard.press('g');
  await operator.keyboard.press('o');
  await operator.getByRole('link', { name: 'plans' }).click();
  await operator.getByRole('link', { name: 'title', exact: true }).waitFor();
  await axe(operator, faults);
  expect(faults.filter((fault) => !fault.includes(' 403 '))).toEqual([]);
});
