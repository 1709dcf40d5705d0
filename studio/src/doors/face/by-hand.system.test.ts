/** The page in Chromium by mouse and again by keyboard: work is steered, a conflict settled, what landed promoted, and a moment forked. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { browser } from '../../../../test/support/browsers/browser.js';
import { studioWith } from '../../testing/git/studio-repository.js';
import type { TestStudio } from '../../testing/test-studio.js';

const live = (page: Page): Promise<void> => page.locator('.live[data-state=live]').waitFor();

async function opened(studio: TestStudio): Promise<Page> {
  const page = await (await (await browser()).newContext()).newPage();
  await page.goto(studio.link());
  await live(page);
  return page;
}

async function unitOf(studio: TestStudio, goal: string): Promise<{ workUnitId: string; branchId: string }> {
  const made = await studio.call('POST', '/studio/workunits', { body: { goal } });
  return made.json as { workUnitId: string; branchId: string };
}

/** What a person does with the page, by one way of doing it. */
interface Hands {
  press(name: string, within?: string): Promise<void>;
  write(label: string, text: string): Promise<void>;
}

const mouse = (page: Page): Hands => ({
  press: (name, within = '#main') => page.locator(within).getByText(name, { exact: true }).first().click(),
  write: async (label, text) => {
    await page.getByLabel(label).first().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
  },
});

/** Nothing but keys: whatever has no way to it by Tab is not reached. */
const keyboard = (page: Page): Hands => {
  const tabTo = async (isThere: string): Promise<void> => {
    await page.locator('#main').focus();
    for (let presses = 0; presses < 120; presses++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(`(() => { const one = document.activeElement; return ${isThere}; })()`)) return;
    }
    throw new Error(`no Tab leads to where ${isThere}`);
  };
  return {
    press: async (name) => {
      await tabTo(`one.innerText?.trim() === ${JSON.stringify(name)}`);
      await page.keyboard.press('Enter');
    },
    write: async (label, text) => {
      await tabTo(
        `[...(one.labels ?? [])].some((label) => label.innerText.startsWith(${JSON.stringify(label)})) || one.getAttribute('aria-label') === ${JSON.stringify(label)}`,
      );
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(text);
    },
  };
};

it.each([
  ['mouse', mouse],
  ['keyboard', keyboard],
] as const)(
  'work is paused, told something, steered and stopped, a conflict settled, what landed promoted, and a moment forked, by %s',
  async (_by, handsOf) => {
    const at = await studioWith({ a: 'base\n' });
    const { studio } = at;
    const offered = async (content: string): Promise<string> => {
      const { workUnitId, branchId } = await unitOf(studio, `write ${content.trim()}`);
      await at.post(`branches/${branchId}/resync-files`, { files: [{ path: 'a', content }] });
      return at.approved(branchId, 'candidate', { workUnitId });
    };
    const [first, second] = [await offered('one\n'), await offered('two\n')];
    expect((await at.post(`merges/${first}/apply`)).status).toBe(200);
    expect((await at.post(`merges/${second}/apply`)).status).toBe(409);
    const work = await unitOf(studio, 'Sort the shelf');
    const spawned = { agentType: 'worker', workUnitId: work.workUnitId, profileId: 'worker' };
    expect((await at.post('agents/spawn', spawned)).status).toBe(200);
    await at.post('sessions', { rootWorkUnitId: work.workUnitId, profileIds: ['worker'] });
    const page = await opened(studio);
    const { press, write } = handsOf(page);
    const to = async (path: string): Promise<void> => {
      await page.goto(studio.origin + path);
      await live(page);
      await page.locator('#main h1').waitFor();
      await expect.poll(() => page.getByText('Reading …').count()).toBe(0);
    };

    await to(`/units/${work.workUnitId}`);
    await page.getByLabel('Steer it').waitFor();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await button('Pause').waitFor();
    await press('Pause');
    await button('Go on').waitFor();
    await press('Go on');
    await button('Pause').waitFor();
    await write('Steer it', 'The shelf is in the hall');
    await press('Tell it');
    await expect.poll(() => page.getByLabel('Steer it').inputValue()).toBe('');
    expect((await at.get('artifacts?type=Constraint')).text).toContain('The shelf is in the hall');
    await write('Steer it', 'By size');
    await press('Steer');
    await page.waitForURL((url) => url.pathname.startsWith('/units/') && !url.pathname.includes(work.workUnitId));
    expect((await at.get('artifacts?type=Constraint')).text).toContain('By size');
    const anew = new URL(page.url()).pathname.split('/')[2];
    await button('Stop').waitFor();
    await press('Stop');
    await button('Stop this work for good?').waitFor();
    if (handsOf === keyboard) await page.keyboard.press('Enter');
    else await press('Stop this work for good?');
    await expect
      .poll(async () => ((await at.get(`workunits/${anew}`)).json as { status: string }).status)
      .toBe('Cancelled');

    const { items } = (await at.get('attention')).json as { items: { kind: string; id: string }[] };
    await to(`/conflicts/${items.find(({ kind }) => kind === 'conflict')!.id}`);
    await page.getByLabel('Result', { exact: true }).waitFor();
    await write('Result', 'one, two\n');
    await press('Take this result');
    await expect
      .poll(async () => ((await at.get(`merges/${second}`)).json as { status: string }).status)
      .toBe('Superseded');

    await to('/candidate');
    const promote = page.getByRole('button', { name: /^Promote .* to your branch$/ });
    await promote.waitFor();
    await press(await promote.innerText());
    // It is asked once more, where it stands.
    await page.getByRole('button', { name: 'Move your branch?' }).waitFor();
    if (handsOf === keyboard) await page.keyboard.press('Enter');
    else await press('Move your branch?');
    await expect
      .poll(async () => ((await at.get('candidate/pending')).json as unknown[] | undefined)?.length ?? 0)
      .toBe(0);
    await page.getByText('Your branch has it').waitFor();

    await to('/time');
    const slider = page.getByRole('slider');
    const last = Number(await slider.inputValue());
    await slider.focus();
    if (handsOf === keyboard) await page.keyboard.press('ArrowLeft');
    else {
      const box = (await slider.boundingBox())!;
      await page.mouse.click(box.x + box.width * 0.955, box.y + box.height / 2);
    }
    await expect.poll(async () => Number(await slider.inputValue())).toBeLessThan(last);
    const moment = new URL(page.url()).searchParams.get('at');
    await page.getByText('Fork from this moment').first().waitFor();
    await press('Fork from this moment');
    await write('What is tried instead', 'Throw half of it away');
    await press('Fork here');
    await page.getByText('Another session has begun at this moment').waitFor();
    expect((await at.get('sessions')).json).toContainEqual(
      expect.objectContaining({ parentEventId: `ev-${moment}`, goal: 'Throw half of it away' }),
    );
  },
);
