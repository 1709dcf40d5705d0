/** Weight of the studio's page, compressed: what is loaded before anything is drawn, and all of its views. */
import { gzipSync } from 'node:zlib';
import { loadFace } from '@weft/face';
import { expect, it } from 'vitest';

/** In 1024 bytes. */
const FIRST = 60;
const ALL = 300;

it('at most 60 KiB of script and style come before the first paint, and 300 KiB in all', async () => {
  const { first, files, html } = await loadFace();
  const kib = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + gzipSync(files.get(name)?.text ?? '').length, 0) / 1024;
  expect(first.filter((name) => name.endsWith('.js')).length).toBeGreaterThan(1);
  for (const name of first) expect(files.has(name)).toBe(true);
  // What the page names by itself is among them; what these import is too, or it would be asked for all the same.
  for (const [, name = ''] of html.matchAll(/(?:src|href)="\/assets\/([^"]+\.(?:js|css))"/g))
    expect(first).toContain(name);
  for (const name of first.filter((one) => one.endsWith('.js')))
    for (const [, path = ''] of (files.get(name)?.text ?? '').matchAll(/(?:from|import)"\.\/([^"]+)"/g))
      expect(first).toContain(path);
  expect(kib(first)).toBeLessThan(FIRST);
  expect(kib(files.keys())).toBeLessThan(ALL);
});
