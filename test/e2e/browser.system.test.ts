/** The engine's client in a real browser, against a real server: the root entry needs nothing of Node. */
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { startServer } from '@weft/server';
import { newTokens, startStudio } from '@weft/studio';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { browser } from '../support/browsers/browser.js';

/** Script of the page: joins, writes, reports what it read. */
const PAGE = `
  import { connectRoom, createHost, generateKeys } from '@weft/core';
  import { memoryStore } from '@weft/core/memory';
  globalThis.visit = async (url) => {
    const socket = new WebSocket(url);
    const client = await connectRoom({ socket, keys: generateKeys(), peerType: 'browser' });
    client.replica.set('from/browser', { answer: 42 });
    await client.push();
    return client.replica.get('from/server');
  };
  globalThis.embed = async () => {
    const host = createHost({ store: memoryStore() });
    const room = await host.room('in-page');
    await room.set('here', true);
    return room.get('here');
  };
`;

it('joins a room from Chromium, and runs a room inside the page', async () => {
  const bundled = await build({
    stdin: { contents: PAGE, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  const host = createHost({ store: memoryStore() });
  const server = await startServer({ host, listen: '127.0.0.1:0' });
  onTestFinished(() => server.close());
  const room = await host.room('meeting');
  await room.set('from/server', 'welcome');

  const page = await (await browser()).newPage();
  // A page of the server's own address: pages of others may not connect.
  await page.goto(server.url.replace('ws:', 'http:').replace('/ws/<room>', '/'));
  await page.addScriptTag({ type: 'module', content: bundled.outputFiles[0]?.text ?? '' });
  const url = server.url.replace('<room>', 'meeting');
  await page.waitForFunction('globalThis.visit !== undefined');
  expect(await page.evaluate(`visit(${JSON.stringify(url)})`)).toBe('welcome');
  expect(room.get('from/browser')).toEqual({ answer: 42 });
  expect(await page.evaluate('embed()')).toBe(true);
});

it('shows the reference of a studio in Chromium, from the studio alone', async () => {
  const host = createHost({ store: memoryStore() });
  const tokens = newTokens();
  const studio = await startStudio({ host, listen: '127.0.0.1:0', tokens, log: () => undefined });
  onTestFinished(async () => {
    await studio.close();
    await host.close();
  });
  const page = await (await browser()).newPage();
  const asked: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(`${studio.url}/docs`);
  await page.waitForSelector('summary:has-text("/studio/repositories/{repositoryId}/files")');
  expect(await page.locator('summary').count()).toBeGreaterThan(10);
  await page.fill('#search', 'repositoryId subPath');
  await page.click('summary:has-text("/studio/repositories/{repositoryId}/files")');
  expect(await page.innerText('details[open]')).toContain('subPath');
  await page.fill('#search', 'get /studio/repositories');
  await page.fill('#token', tokens.read);
  const list = page.locator('details', { has: page.getByText('/studio/repositories', { exact: true }) }).first();
  await list.locator('summary').click();
  await list.locator('button').click();
  await list.getByText(/^200/).waitFor();
  expect(faults).toEqual([]);
  expect(asked.filter((url) => !url.startsWith(studio.url))).toEqual([]);
  // Where the studio's page is open, no token is needed.
  await page.goto(studio.link());
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.goto(`${studio.url}/docs`);
  await page.waitForSelector('summary');
  await page.fill('#token', '');
  await page.fill('#search', 'get /studio/repositories');
  await list.locator('summary').click();
  await list.locator('button').click();
  await list.getByText(/^200/).waitFor();
  expect(faults).toEqual([]);
});
