/** Weight of what a page loads: each entry bundled as an application would bundle it, in bytes of gzip. */
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { checkout } from './packed-project.js';

const KB = 1000;
/** Libraries that an application has by itself. */
const external = [
  'react',
  '@codemirror/state',
  '@codemirror/view',
  'monaco-editor',
  'prosemirror-model',
  'prosemirror-state',
  'prosemirror-transform',
  'prosemirror-view',
  '@tiptap/core',
  'solid-js',
  'vue',
];

/** What is loaded at first: the entry and the chunks that it imports, each compressed by itself as a server would send it. */
async function bundled(code: string): Promise<{ readonly bytes: number; readonly inputs: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: join(checkout, 'client/web') },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    outdir: checkout,
    external,
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const { outputs } = metafile;
  const first = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint === '<stdin>'));
  for (const path of first)
    for (const { kind, path: needed, external: isOutside } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && isOutside !== true) first.add(needed);
  const sizes = outputFiles
    .filter((file) => [...first].some((path) => basename(path) === basename(file.path)))
    .map(({ contents }) => gzipSync(contents, { level: 9 }).length);
  return {
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    inputs: [...first].flatMap((path) => Object.keys(outputs[path]?.inputs ?? {})),
  };
}

describe('a page', () => {
  // What stands here may become less; who makes it more says why.
  // All of the client is 1 KB more since parts of a marked text can be read, undo knows what a step has marked itself, marks that would
  // say more than memory holds are not shown, and a keystroke in a text of thousands of marks does not work all of them out anew.
  it.each([
    ['openRoom', `export { openRoom } from '@weft/client'`, 79.7],
    ['all of the client', `export * from '@weft/client'`, 91.7],
    ['keys alone', `export { generateKeys } from '@weft/client'`, 9.5],
    ['IndexedDB', `export * from '@weft/client/indexeddb'`, 1.5],
    ['a text field', `export * from '@weft/client/textarea'`, 2.3],
    ['CodeMirror', `export * from '@weft/client/codemirror'`, 2.9],
    ['Monaco', `export * from '@weft/client/monaco'`, 3.3],
    // Beside what every page with a room loads it is 13 KB, 3.4 of them the marks of texts.
    [
      'openRoom and ProseMirror',
      `export { openRoom } from '@weft/client'; export * from '@weft/client/prosemirror'`,
      93.7,
    ],
    ['openRoom and Tiptap', `export { openRoom } from '@weft/client'; export * from '@weft/client/tiptap'`, 93.9],
    ['Svelte', `export * from '@weft/client/svelte'`, 0.9],
    ['Vue', `export * from '@weft/client/vue'`, 1],
    ['Solid', `export * from '@weft/client/solid'`, 0.9],
    ['React', `export * from '@weft/client/react'`, 1.8],
  ])('loads no more for %s than it did', async (_name, code, most) => {
    expect((await bundled(code)).bytes).toBeLessThanOrEqual(most * KB);
  });

  it('loads nothing of schemas, of a server or of Node, and crypto and comparisons only when they are needed', async () => {
    const { inputs } = await bundled(`export { openRoom } from '@weft/client'; export * from '@weft/client/indexeddb'`);
    expect(inputs.filter((path) => /node_modules\/(zod|level|ws|uWebSockets|@noble)|^node:/.test(path))).toEqual([]);
    expect(inputs.some((path) => path.includes('fflate'))).toBe(true);
  });
});
