/** Plays the demonstration as somebody does who reads nothing but the page: each step is taken where the page says so. */
import type { Page } from 'playwright-core';
import { axe } from './axe.js';

/** From an empty inbox to a goal that has landed, by mouse. The page stands in the demonstration then. */
export async function playDemonstration(page: Page, faults: string[]): Promise<void> {
  const says = (words: RegExp) => page.getByRole('complementary', { name: 'Demonstration' }).getByText(words);
  const follow = (name: string) =>
    page.getByRole('complementary', { name: 'Demonstration' }).getByRole('link', { name }).click();
  await page.getByRole('button', { name: 'Play the demonstration' }).waitFor();
  await axe(page, faults);
  await page.getByRole('button', { name: 'Play the demonstration' }).click();
  await says(/First: state the goal/).waitFor();
  await axe(page, faults);
  await follow('state the goal');
  await page.getByRole('heading', { name: 'Set a goal' }).waitFor();
  await page.getByRole('button', { name: 'Begin', exact: true, disabled: false }).waitFor();
  await axe(page, faults);
  await page.getByRole('button', { name: 'Begin', exact: true }).click();

  await says(/An agent has failed/).waitFor();
  await axe(page, faults);
  await follow('Choose a way out');
  await page.getByRole('button', { name: 'Let it go on' }).waitFor();
  await axe(page, faults);
  await page.getByRole('button', { name: 'Let it go on' }).click();

  await says(/An agent asks something/).waitFor();
  await follow('inbox');
  await page.locator('[data-kind=answer]').waitFor();
  await axe(page, faults);
  await page.locator('[data-kind=answer]').getByRole('button', { name: '3', exact: true }).click();

  await says(/nothing tests src\/subtract\.js/).waitFor();
  await axe(page, faults);
  await follow('Look at the changes');
  const file = page.locator('#file-src\\/subtract\\.js');
  await file.getByRole('button', { name: 'Comment on line 1' }).waitFor();
  await axe(page, faults);
  await file.getByRole('button', { name: 'Comment on line 1' }).click();
  await page.getByLabel('Comment on line 1 of src/subtract.js').fill('Who tests this?');
  await page.getByRole('button', { name: 'Keep the comment' }).click();
  await axe(page, faults);
  await page.getByRole('button', { name: 'Request changes' }).click();

  await says(/It has come back with a test/).waitFor();
  await axe(page, faults);
  await follow('Look at it');
  await page.locator('.code.added', { hasText: 'subtract(5, 3)' }).first().waitFor();
  await axe(page, faults);
  await page.getByRole('button', { name: 'Approve and land' }).click();
  await says(/It has landed/).waitFor();
  await axe(page, faults);
}
