/** Where an error of a page comes from: its frames are found in the sources of the packages, through the bundle of an application. */
import { writeFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { checkout } from './packed-project.js';

type Entry = { readonly originalSource?: string; readonly originalLine?: number };

it.each([
  ['client/web/src/room.ts', `openRoom('plan', {})`, 'openRoom needs'],
  [
    'core/src/client/marks/rich-text.ts',
    `new RichText({ ready() {}, text: {} }).mark(0, 1, 'bold', true, { expand: 'up' })`,
    'a mark expands',
  ],
])('an error of %s names its line there', async (source, call, words) => {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { openRoom, richText } from '@weft/client';
        const RichText = richText({ richParts: () => ({ ready() {}, text: {} }) }, 'k').constructor;
        globalThis.fail = () => ${call};
        export { openRoom, RichText };`,
      resolveDir: join(checkout, 'client/web'),
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    sourcemap: 'external',
    outfile: join(checkout, 'made.js'),
    write: false,
    logLevel: 'silent',
  });
  const textOf = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  const file = join(await tempFolder(), 'made.mjs');
  await writeFile(file, textOf('.js'));
  await import(/* @vite-ignore */ pathToFileURL(file).href);
  let stack = '';
  try {
    (globalThis as { fail?: () => void }).fail?.();
  } catch (error) {
    stack = String((error as Error).stack);
  }
  const payload = JSON.parse(textOf('.map')) as SourceMapPayload;
  const [, line, column] = /made\.mjs[^:]*:(\d+):(\d+)/.exec(stack) ?? [];
  const found: Entry = new SourceMap(payload).findEntry(Number(line) - 1, Number(column) - 1);
  expect(found.originalSource).toMatch(new RegExp(`${source}$`));
  const content = payload.sourcesContent[payload.sources.indexOf(found.originalSource ?? '')] ?? '';
  expect(
    content
      .split('\n')
      .slice(found.originalLine, (found.originalLine ?? 0) + 3)
      .join('\n'),
  ).toContain(words);
});
