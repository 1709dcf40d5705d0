/** Weight of the studio's page, compressed: what is loaded before anything is drawn, and all of its views. */
import { gunzipSync } from 'node:zlib';
import { loadFace } from '@weft/face';
import { expect, it } from 'vitest';

/** In 1024 bytes. */
const FIRST = 60;
const ALL = 300;
/** Files that a browser asks of one host at once; what is beyond waits for the first of them, and so does what the first script asks. */
const AT_ONCE = 6;

it('at most 60 KiB of script and style come before the first paint, in files that are asked for at once, and 300 KiB in all', async () => {
  const { first, files, html } = await loadFace();
  const compressed = (name: string): Buffer => Buffer.from(files.get(name)?.gzip ?? '', 'base64');
  const kib = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + compressed(name).length, 0) / 1024;
  expect(first.filter((name) => name.endsWith('.js')).length).toBeGreaterThan(1);
  expect(first.length).toBeLessThan(AT_ONCE);
  for (const name of first) expect(files.has(name)).toBe(true);
  // What the page names by itself is among them; what these import is too, or it would be asked for all the same.
  for (const [, name = ''] of html.matchAll(/(?:src|href)="\/assets\/([^"]+\.(?:js|css))"/g))
    expect(first).toContain(name);
  for (const name of first.filter((one) => one.endsWith('.js')))
    for (const [, path = ''] of gunzipSync(compressed(name))
      .toString()
      .matchAll(/(?:from|import)"\.\/([^"]+)"/g))
      expect(first).toContain(path);
  expect(kib(first)).toBeLessThan(FIRST);
  expect(kib(files.keys())).toBeLessThan(ALL);
});
