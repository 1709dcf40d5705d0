/** Weight of what a page loads: each entry bundled as an application would bundle it, in bytes of gzip. */
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { checkout } from './packed-project.js';

const KB = 1000;
const ROOM = `export { openRoom } from '@weft/client'`;
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

interface Bundled {
  /** Loaded before anything runs: the entry and the chunks that it imports, each compressed by itself as a server would send it. */
  readonly bytes: number;
  /** With what is loaded when somebody asks for it. */
  readonly all: number;
  readonly inputs: readonly string[];
}

async function bundled(code: string): Promise<Bundled> {
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
  const sizes = new Map(
    outputFiles.map(({ path, contents }) => [basename(path), gzipSync(contents, { level: 9 }).length]),
  );
  const sum = (names: Iterable<string>): number =>
    [...names].reduce((bytes, name) => bytes + (sizes.get(basename(name)) ?? 0), 0);
  return {
    bytes: sum(first),
    all: sum(sizes.keys()),
    inputs: [...first].flatMap((path) => Object.keys(outputs[path]?.inputs ?? {})),
  };
}

describe('a page', () => {
  // What stands here may become less; who makes it more says why.
  // 1.5 KB came with values that leave memory, with roots over what is read, and with frames that are read by hand, in modules that pages share.
  // Another 1.5 KB came with nodes that are erased in part, and with keys that a root or a subject vouches for: a page judges both.
  // A link keeps what the other page shows over attempts to connect: 0.1 KB of links to other pages.
  // What a page has been shown of a room is kept with it: 0.1 KB, and a room with a history that was given up is not sent again with each visit.
  // Large packs are taken slice by slice, so that nobody who types waits for them: 0.3 KB.
  // A selector over all of a room is 0.2 KB of the hooks of React; keys that nobody reads, and a push that waits for another tab, are a few bytes of all.
  // A token that would expire is followed by another one: 0.2 KB.
  // 3.5 KB went with what only hosts ask of tables, registers and documents, and with constants that the build puts in their places.
  // What has no effect is refused where it is written, in words that say what to do: 0.25 KB, and 0.1 with undo and marks.
  // A room that is closed while it opens gives its slot back, and what was removed or cannot be read keeps none from being kept: 0.2 KB.
  // Who writes as a person has a key made ahead: 0.1 KB.
  // Editors may tell half of a character, and names of every object are names of values too: 0.1 KB.
  // Bindings of editors and frameworks share undo and stores with each other, so they are weighed with the room that they show.
  it.each([
    ['openRoom', ROOM, 69.4],
    ['all of the client', `export * from '@weft/client'`, 88],
    ['keys alone', `export { generateKeys } from '@weft/client'`, 9.2],
    ['IndexedDB', `export * from '@weft/client/indexeddb'`, 1.2],
    ['encryption', `export * from '@weft/client/encrypted'`, 1.5],
    ['openRoom and undo', `export { createUndo, openRoom } from '@weft/client'`, 73.6],
    ['openRoom and links to other pages', `export { linkPeers, openRoom } from '@weft/client'`, 73.9],
    ['openRoom and a text field', `${ROOM}; export * from '@weft/client/textarea'`, 75.5],
    ['openRoom and CodeMirror', `${ROOM}; export * from '@weft/client/codemirror'`, 76.2],
    ['openRoom and Monaco', `${ROOM}; export * from '@weft/client/monaco'`, 76.4],
    ['openRoom and ProseMirror', `${ROOM}; export * from '@weft/client/prosemirror'`, 86.7],
    ['openRoom and Tiptap', `${ROOM}; export * from '@weft/client/tiptap'`, 86.9],
    ['openRoom and Svelte', `${ROOM}; export * from '@weft/client/svelte'`, 74.3],
    ['openRoom and Vue', `${ROOM}; export * from '@weft/client/vue'`, 74.4],
    ['openRoom and Solid', `${ROOM}; export * from '@weft/client/solid'`, 74.3],
    ['openRoom and React', `${ROOM}; export * from '@weft/client/react'`, 75.3],
  ])('loads no more for %s than it did', async (_name, code, most) => {
    expect((await bundled(code)).bytes).toBeLessThanOrEqual(most * KB);
  });

  // 2.2 KB of it came with roots that change: who has nothing but a genesis works out from a certificate who they are by now.
  // Another 0.1 says what stood where an edit was refused.
  // What only the rest uses has moved there from what is loaded first, 1.3 KB; both together are less than before.
  it('loads the rest in three pieces: what happens in few rooms, what tabs have left, and keys where the platform makes none', async () => {
    // What is loaded first may become less by what comes later, so both are bounded together.
    const { bytes, all } = await bundled(ROOM);
    expect(all).toBeLessThanOrEqual(106 * KB);
    expect(all - bytes).toBeLessThanOrEqual(36.6 * KB);
  });

  it('loads nothing of schemas, of a server or of Node, and crypto and comparisons only when they are needed', async () => {
    const { inputs } = await bundled(`${ROOM}; export * from '@weft/client/indexeddb'`);
    expect(inputs.filter((path) => /node_modules\/(zod|level|ws|uWebSockets|@noble|fflate)|^node:/.test(path))).toEqual(
      [],
    );
    expect(inputs.some((path) => path.includes('core/dist/page'))).toBe(true);
  });
});
