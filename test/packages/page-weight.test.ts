/** Weight of what a page loads: each entry bundled as an application would bundle it, in bytes of gzip. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { checkout } from './packed-project.js';

const KB = 1000;
/** Libraries that an application has by itself. */
const external = ['react', '@codemirror/state', '@codemirror/view'];

async function bundled(code: string): Promise<{ readonly bytes: number; readonly inputs: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: join(checkout, 'client/web') },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external,
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  return {
    bytes: gzipSync(outputFiles[0]!.contents, { level: 9 }).length,
    inputs: Object.keys(metafile.inputs),
  };
}

describe('a page', () => {
  // What stands here may become less; who makes it more says why.
  it.each([
    ['openRoom', `export { openRoom } from '@weft/client'`, 94],
    ['all of the client', `export * from '@weft/client'`, 94],
    ['keys alone', `export { generateKeys } from '@weft/client'`, 23],
    ['IndexedDB', `export * from '@weft/client/indexeddb'`, 1.5],
    ['a text field', `export * from '@weft/client/textarea'`, 1.2],
    ['CodeMirror', `export * from '@weft/client/codemirror'`, 2.2],
    ['React', `export * from '@weft/client/react'`, 1.5],
  ])('loads no more for %s than it did', async (_name, code, most) => {
    expect((await bundled(code)).bytes).toBeLessThanOrEqual(most * KB);
  });

  it('loads nothing of schemas, of a server or of Node', async () => {
    const { inputs } = await bundled(`export * from '@weft/client'; export * from '@weft/client/indexeddb'`);
    expect(inputs.filter((path) => /node_modules\/(zod|level|ws|uWebSockets)|^node:/.test(path))).toEqual([]);
    expect(inputs.some((path) => path.includes('@noble/ed25519'))).toBe(true);
  });
});
