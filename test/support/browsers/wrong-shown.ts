/** What is wrong with a view, whatever it shows: texts of others that are more than text, and what does not fit. */
import type { Page } from 'playwright-core';

/** Hostile texts of tests set `globalThis.ran` where one of them is run. */
const WRONG = `(() => {
  const wrong = [];
  if (globalThis.ran !== undefined) wrong.push('a text has run');
  const strange = document.querySelector('main img:not([role]), main script, main iframe, main style, a[href^="javascript:"]');
  if (strange) wrong.push('there is ' + strange.outerHTML.slice(0, 200));
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll('#app *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1);
    wrong.push('it is wider than the screen: ' + wide.slice(-3).map((one) => one.outerHTML.slice(0, 160)).join(' | '));
  }
  const said = document.body.innerText;
  if (/[\\u202a-\\u202e\\u2066-\\u2069]/.test(said)) wrong.push('a text turns others around');
  const [missing] = /.{0,40}\\b(undefined|NaN|\\[object Object\\])/.exec(said) ?? [];
  if (missing !== undefined) wrong.push('it says ' + missing);
  return wrong;
})()`;

export async function wrongShown(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(WRONG)) as string[];
}
