/** A day with the page open, by a clock that is set: what it holds after its garbage was collected does not grow from one hour to the next. */
import { expect, it } from 'vitest';
import { browser } from '../../../../test/support/browsers/browser.js';
import { startTestStudio } from '../../testing/test-studio.js';

const HOURS = 24;
/** Hours in which it comes to what it keeps: views are loaded, and reads that go back are kept up to a bound. */
const FIRST = 6;
const GOALS_AN_HOUR = 10;
/** Goals of days before: as many as a list shows, so that none grows with the record. */
const GOALS_BEFORE = 200;
const VIEWS = ['Goals', 'Recover', 'Candidate', 'Knowledge', 'Agents', 'Spend', 'Audit', 'Time', 'Settings', 'Inbox'];
/** What an hour may add, in bytes and in nodes of documents. */
const AN_HOUR = { bytes: 20_000, nodes: 20 };

it('a page that is open for a day holds at its end what it held in the morning', async () => {
  const studio = await startTestStudio();
  const setAndCancel = async (goal: string): Promise<void> => {
    const made = await studio.call('POST', '/studio/goals', { body: { goal } });
    const { goalId } = made.json as { goalId: string };
    await studio.call('POST', `/studio/goals/${goalId}/cancel`, { body: {} });
  };
  for (let n = 0; n < GOALS_BEFORE; n++) await setAndCancel(`Goal ${n} of days before`);
  const context = await (await browser()).newContext();
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await page.clock.install();
  await page.goto(studio.link());
  await page.locator('.live[data-state=live]').waitFor();
  const held = async () => {
    await cdp.send('HeapProfiler.collectGarbage');
    const { usedSize: bytes } = await cdp.send('Runtime.getHeapUsage');
    const { nodes } = await cdp.send('Memory.getDOMCounters');
    return { bytes, nodes };
  };
  const at: { bytes: number; nodes: number }[] = [];
  for (let hour = 0; hour < HOURS; hour++) {
    for (let n = 0; n < GOALS_AN_HOUR; n++) await setAndCancel(`Goal ${n} of hour ${hour}`);
    for (const view of VIEWS) {
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: view }).waitFor();
      await page.clock.runFor(1_000);
    }
    await page.clock.fastForward('55:00');
    await expect.poll(() => page.locator('.live').getAttribute('data-state')).toBe('live');
    at.push(await held());
  }
  const [morning, evening] = [at[FIRST]!, at.at(-1)!];
  const hours = HOURS - 1 - FIRST;
  expect((evening.bytes - morning.bytes) / hours, JSON.stringify(at)).toBeLessThan(AN_HOUR.bytes);
  expect((evening.nodes - morning.nodes) / hours, JSON.stringify(at)).toBeLessThan(AN_HOUR.nodes);
}, 600_000);
