// The simulator and the engine in one file, made from the sources as they are or with one of them changed.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomUUID } from 'node:crypto';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const core = join(root, 'core', 'src');

/**
 * Answers the path of a new file. `change`: a text that stands once in a file of the engine, and what to put in its place.
 * @param {{ readonly file: string, readonly from: string, readonly to: string }} [change]
 * @param {string} [entry]
 */
export async function bundled(change, entry = 'main.ts') {
  const outfile = join(root, 'node_modules', '.weft', `simulation-${randomUUID()}.mjs`);
  const changing = {
    name: 'changing',
    setup(builder) {
      if (!change) return;
      const path = join(root, change.file);
      builder.onLoad({ filter: /\.ts$/ }, async (load) => {
        if (load.path !== path) return undefined;
        const parts = (await readFile(path, 'utf8')).split(change.from);
        if (parts.length !== 2) throw new Error(`${change.file} has the text ${parts.length - 1} times, not once`);
        return { contents: parts.join(change.to), loader: 'ts' };
      });
    },
  };
  await build({
    entryPoints: [join(here, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'error',
    alias: {
      '@weft/core/level': join(core, 'level.ts'),
      '@weft/core/memory': join(core, 'memory.ts'),
      '@weft/core/testing': join(core, 'testing.ts'),
      '@weft/core/following': join(core, 'following.ts'),
      '@weft/core/proofs': join(core, 'proofs.ts'),
      '@weft/core': join(core, 'index.ts'),
    },
    packages: 'external',
    loader: { '.md': 'text' },
    plugins: [changing],
  });
  return outfile;
}
