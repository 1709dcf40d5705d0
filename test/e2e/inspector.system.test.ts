/** The inspector in Chromium, on a room in which somebody hostile writes too. */
import { createRequire } from 'node:module';
import { generateKeys, keepRoom } from '@weft/core/client';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type PageScript, pageScript, pageWorld } from '../support/browsers/page-world.js';

const PAGE = `
  import { openRoom } from '@weft/client';
  import { inspect } from '@weft/client/inspector';
  globalThis.enter = async (url) => {
    globalThis.room = openRoom('plan', { url });
    await room.ready;
    globalThis.inspector = inspect(room);
  };
`;
const MARKUP = '<img src=x onerror="globalThis.hit = 1"><script>globalThis.hit = 1</script>';

let script: PageScript;
beforeAll(async () => {
  script = await pageScript(PAGE);
});

const shown = (page: Page): Promise<string> => page.locator('weft-inspector #panel').innerText();
const view = (page: Page, name: string): Promise<void> => page.getByRole('tab', { name }).click();

it('shows names, history, people and frames, as text alone, and goes offline', async () => {
  const { url, page, faults } = await pageWorld(script);
  const one = await page();
  await one.evaluate(`enter(${JSON.stringify(url)})`);
  const other = keepRoom({ open: () => new WebSocket(`${url}/ws/plan`), keys: generateKeys() });
  onTestFinished(() => other.close());
  await other.joined;
  other.replica.set(`title${MARKUP}`, { text: MARKUP });
  other.replica.text('body').insert(0, 'A long text');
  other.replica.list('tasks').insert(0, 'plan', 'build');
  other.present({ cursor: MARKUP });
  await other.push();

  await expect.poll(() => shown(one)).toContain(`title${MARKUP}`);
  for (const text of [
    'A long text',
    '["plan","build"]',
    other.replica.why('body', { in: 'text', at: 0 })!.author.slice(0, 10),
  ])
    expect(await shown(one)).toContain(text);
  expect(await one.getByRole('status').innerText()).toMatch(/^joined · 0 unsent · in memory · 0 refused$/);

  expect(await one.getByLabel('Advice').innerText()).toContain('give openRoom storage: indexedDb()');

  await view(one, 'History');
  await expect.poll(() => shown(one)).toMatch(/●/);
  expect(await shown(one)).toContain('body');
  await view(one, 'People');
  await expect.poll(() => shown(one)).toContain('<script>globalThis.hit = 1</script>');

  await view(one, 'Network');
  await one.evaluate(`room.set('mine', 1)`);
  await expect.poll(() => shown(one)).toContain('pack-ack');

  await one.getByRole('checkbox', { name: 'Offline' }).check();
  await expect.poll(() => one.getByRole('status').innerText()).toContain('waiting');
  await one.evaluate(`room.set('offline', 'kept')`);
  await expect.poll(() => one.getByRole('status').innerText()).toContain('1 unsent');
  other.replica.set('meanwhile', true);
  await other.push();
  await one.getByRole('checkbox', { name: 'Offline' }).uncheck();
  await expect.poll(() => other.replica.get('offline')).toBe('kept');
  await view(one, 'Keys');
  await expect.poll(() => shown(one)).toContain('meanwhile');
  await view(one, 'Network');
  // Entered anew, its hello is among what was seen; what is a token is not.
  await one.evaluate(`room.client.send({ type: 'presence', data: { token: 'not to be seen', cursor: 'at seven' } })`);
  await expect.poll(() => shown(one)).toContain('at seven');
  expect(await shown(one)).toContain('hello');
  expect(await shown(one)).not.toContain('not to be seen');

  expect(
    await one.evaluate(
      `[globalThis.hit ?? 'nothing ran', inspector.shadowRoot.querySelectorAll('img, script').length]`,
    ),
  ).toEqual(['nothing ran', 0]);
  expect(faults).toEqual([]);
});

it('can be used by keys, finds rows, and has no fault that axe knows', async () => {
  const { url, page } = await pageWorld(script);
  const one = await page();
  await one.evaluate(`enter(${JSON.stringify(url)})`);
  await one.evaluate(`room.set('one', 1), room.set('two', 2)`);
  await one.getByRole('searchbox').fill('tw');
  await expect.poll(() => shown(one)).toMatch(/^(?!.*\bone\b)[^]*two/);
  await one.getByRole('tab', { name: 'Keys' }).focus();
  await one.keyboard.press('ArrowLeft');
  await expect.poll(() => one.getByRole('tab', { selected: true }).innerText()).toBe('Network');
  await one.keyboard.press('ArrowRight');
  await one.addScriptTag({ path: createRequire(import.meta.url).resolve('axe-core') });
  const violations = await one.evaluate(
    `axe.run('weft-inspector').then(({ violations }) => violations.map(({ id }) => id))`,
  );
  expect(violations).toEqual([]);
  // Taken out of the page it watches nothing, and what it watched goes on.
  await one.evaluate(`inspector.remove(), room.set('three', 3)`);
  await expect.poll(() => one.evaluate('room.status.unsent')).toBe(0);
});
