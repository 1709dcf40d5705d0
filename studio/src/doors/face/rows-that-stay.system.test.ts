/** Rows of the inbox that stay while others change, in Chromium: they hold nothing of what stood beside them when they were drawn. */
import type { CDPSession } from 'playwright-core';
import { expect, it } from 'vitest';
import { browser } from '../../../../test/support/browsers/browser.js';
import { startTestStudio } from '../../testing/test-studio.js';

const ROWS = 30;
/** Reads in which the page comes to what it keeps. */
const FIRST = 6;

/** Objects and lists of the page that something holds: Chromium collects garbage before it counts. */
async function heldIn(cdp: CDPSession): Promise<Readonly<Record<string, number>>> {
  const held: Record<string, number> = {};
  for (const type of ['Object', 'Array']) {
    const { result } = await cdp.send('Runtime.evaluate', { expression: `${type}.prototype` });
    const { objects } = await cdp.send('Runtime.queryObjects', {
      prototypeObjectId: result.objectId ?? '',
      objectGroup: 'held',
    });
    const { result: counted } = await cdp.send('Runtime.callFunctionOn', {
      objectId: objects.objectId ?? '',
      functionDeclaration: 'function () { return this.length; }',
    });
    held[type] = counted.value as number;
    await cdp.send('Runtime.releaseObjectGroup', { objectGroup: 'held' });
  }
  return held;
}

it('a row that stays holds no list of before: as much is held after each row was drawn in a read of its own as when all were in one', async () => {
  const studio = await startTestStudio();
  const post = async (path: string, body: object = {}): Promise<Record<string, string>> => {
    const { status, json, text } = await studio.call('POST', `/studio/${path}`, { body });
    expect(status, text).toBe(200);
    return json as Record<string, string>;
  };
  const agents: string[] = [];
  for (let row = 0; row < ROWS; row++) {
    const { workUnitId = '' } = await post('workunits', { goal: `Sort shelf ${row}` });
    await post('clarifications/request', { workUnitId, question: `Question ${row}?`, options: ['yes'] });
    const spawned = await post('agents/spawn', { agentType: 'worker', workUnitId, profileId: 'worker' });
    agents.push(spawned['agentId'] ?? '');
  }
  const context = await (await browser()).newContext();
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await page.goto(studio.link());
  await page.locator('.live[data-state=live]').waitFor();
  const rows = page.locator('[aria-labelledby=moving] li');
  await expect.poll(() => rows.count()).toBe(ROWS);
  expect(await page.locator('.item').count()).toBe(ROWS);
  const states = async (): Promise<string> => (await rows.locator('.state').allInnerTexts()).join();
  /** Has a read bring another state of one agent, and a list that is otherwise as it was. */
  const change = async (agent: number, to: 'pause' | 'resume'): Promise<void> => {
    const before = await states();
    await post(`agents/${agents[agent]}/${to}`);
    await expect.poll(states).not.toBe(before);
  };
  for (let time = 0; time < FIRST; time++) await change(0, time % 2 === 0 ? 'pause' : 'resume');
  const first = await heldIn(cdp);
  for (let agent = 1; agent < ROWS; agent++) await change(agent, 'pause');
  const last = await heldIn(cdp);
  // A list of before is an object for each of its rows at least, and each row would hold another one.
  for (const type of ['Object', 'Array']) {
    expect(first[type]).toBeGreaterThan(ROWS);
    expect(last[type]! - first[type]!, JSON.stringify({ type, first, last })).toBeLessThan((ROWS * ROWS) / 2);
  }
}, 120_000);
