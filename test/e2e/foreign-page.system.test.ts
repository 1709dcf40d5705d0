/**
 * What a web page of somebody else can do to a studio on this machine, in a real browser: nothing, and it reads
 * nothing.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { WORKGROUP_ROOM, newTokens, startStudio } from '@weft/studio';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { browser } from '../support/browsers/browser.js';

const SECRET = 'a goal that nobody else may read';

/** Script of the page: all ways by which a page asks another origin for something. Answers what it could read. */
const ATTACK = `async (url, unit, token) => {
  const read = [];
  const bearer = token ? { authorization: 'Bearer ' + token } : {};
  const json = JSON.stringify({ goal: 'of a foreign page' });
  const ask = (path, options) => fetch(url + path, options)
    .then(async (answer) => { if (answer.ok) read.push(await answer.text()); }, () => {});
  const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];
  for (const mode of ['cors', 'no-cors'])
    for (const type of types) {
      const headers = { 'content-type': type, ...bearer };
      await ask('/workunits', { method: 'POST', mode, headers, body: json });
      await ask('/workunits/' + unit + '/cancel', { method: 'POST', mode, headers, body: '{}' });
      await ask('/stop-all', { method: 'POST', mode, headers, keepalive: true });
    }
  for (const method of ['PUT', 'DELETE', 'PATCH'])
    await ask('/options', { method, headers: { 'content-type': 'application/json', ...bearer }, body: '{}' });
  for (const path of ['/workunits', '/workunits/' + unit, '/openapi.json', '/startup-config'])
    for (const credentials of ['omit', 'include']) await ask(path, { headers: bearer, credentials });
  await ask('/../mcp', { method: 'POST', headers: { 'content-type': 'application/json', ...bearer }, body:
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svcs_v1_goal_run","arguments":{"goal":"x"}}}' });
  navigator.sendBeacon(url + '/workunits', new Blob([json], { type: 'text/plain' }));
  const loaded = [];
  const load = (tag, source) => loaded.push(new Promise((resolve) => {
    const one = document.createElement(tag);
    one.onload = one.onerror = resolve;
    one[tag === 'link' ? 'href' : 'src'] = url + source;
    if (tag === 'link') one.rel = 'stylesheet';
    document.body.append(one);
  }));
  for (const tag of ['img', 'script', 'iframe', 'link']) load(tag, '/workunits/' + unit);
  load('iframe', '/docs');
  for (const enctype of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'])
    for (const method of ['get', 'post']) loaded.push(new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.name = 'frame-' + enctype + method;
      document.body.append(frame);
      const form = Object.assign(document.createElement('form'), { action: url + '/workunits', method, enctype });
      form.target = frame.name;
      const field = Object.assign(document.createElement('input'), { name: '{"goal":"', value: '"}' });
      form.append(field);
      document.body.append(form);
      frame.onload = resolve;
      form.submit();
    }));
  loaded.push(new Promise((resolve) => {
    const events = new EventSource(url + '/events?after=0');
    events.onmessage = (event) => read.push(event.data);
    events.onerror = () => { events.close(); resolve(); };
  }));
  loaded.push(new Promise((resolve) => {
    const socket = new WebSocket(url.replace('http', 'ws') + '/events');
    socket.onopen = () => read.push('a socket opened');
    socket.onclose = resolve;
  }));
  await Promise.race([Promise.all(loaded), new Promise((resolve) => setTimeout(resolve, 10_000))]);
  return read;
}`;

async function setUp() {
  const host = createHost({ store: memoryStore() });
  const tokens = newTokens();
  const studio = await startStudio({ host, listen: '127.0.0.1:0', tokens, log: () => undefined });
  const foreign = createServer((_, outgoing) => {
    outgoing.setHeader('content-type', 'text/html');
    outgoing.end('<!doctype html><title>Somebody else</title><body></body>');
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await studio.close();
    await host.close();
    foreign.close();
  });
  const made = await fetch(`${studio.url}/workunits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.operate}`, 'content-type': 'application/json' },
    body: JSON.stringify({ goal: SECRET }),
  });
  const { workUnitId } = (await made.json()) as { workUnitId: string };
  const room = await host.room(WORKGROUP_ROOM);
  const rules = '--host-resolver-rules=MAP evil.example 127.0.0.1';
  const page = await (await browser(rules)).newPage();
  const { port } = foreign.address() as AddressInfo;
  return { studio, tokens, workUnitId, room, page, port };
}

/** Statuses of what the studio answered to the page. */
function answersTo(page: Page, port: number): string[] {
  const answers: string[] = [];
  page.on('response', (answer) => {
    const url = new URL(answer.url());
    if (url.port === String(port)) answers.push(`${answer.status()} ${answer.request().method()} ${url.pathname}`);
  });
  return answers;
}

it.each([
  ['a foreign page', 'evil.example', false],
  ['a foreign page that knows a token', 'evil.example', true],
  ['a page of another port of this machine', 'localhost', false],
] as const)('%s has no effect and reads nothing', { timeout: 120_000 }, async (_, name, knowsToken) => {
  const { studio, tokens, workUnitId, room, page, port } = await setUp();
  const before = [room.seq, room.stateHash];
  const answers = answersTo(page, studio.port);
  await page.goto(`http://${name}:${port}/`);
  const given = [studio.url, workUnitId, knowsToken ? tokens.admin : ''].map((one) => JSON.stringify(one));
  const read = await page.evaluate(`(${ATTACK})(${given.join(', ')})`);
  expect(read).toEqual([]);
  expect([room.seq, room.stateHash]).toEqual(before);
  // It did ask, and was refused each time; the reference itself is open to all, and may not be framed.
  expect(answers.length).toBeGreaterThan(10);
  expect(answers.filter((answer) => !answer.startsWith('4') && !answer.endsWith('GET /studio/docs'))).toEqual([]);
});

it('a page whose name comes to mean this machine has no effect and reads nothing', { timeout: 120_000 }, async () => {
  const { studio, tokens, workUnitId, room, page } = await setUp();
  const before = [room.seq, room.stateHash];
  const answers = answersTo(page, studio.port);
  const rebound = `http://evil.example:${studio.port}`;
  expect((await page.goto(`${rebound}/studio/docs`))?.status()).toBe(403);
  const given = [`${rebound}/studio`, workUnitId, tokens.admin].map((one) => JSON.stringify(one));
  expect(await page.evaluate(`(${ATTACK})(${given.join(', ')})`)).toEqual([]);
  expect([room.seq, room.stateHash]).toEqual(before);
  expect(answers.length).toBeGreaterThan(10);
  expect(answers.filter((answer) => !answer.startsWith('4'))).toEqual([]);
});
