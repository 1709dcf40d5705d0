// Runs test files with one source file changed while it is loaded: the tree stays as it is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests, textFiles } from './vitest.base.js';
import { sabotages } from './test/sabotage/table.mjs';

const root = import.meta.dirname;
const { file, from, to } = sabotages[Number(process.env['SABOTAGE'])]!;
const parts = readFileSync(join(root, file), 'utf8').split(from);
if (parts.length !== 2) throw new Error(`${file} has the text ${parts.length - 1} times, not once`);

export default defineConfig({
  root,
  plugins: [
    {
      name: 'sabotage',
      enforce: 'pre',
      load: (id) => (id === join(root, file) ? parts.join(to) : undefined),
    },
    textFiles,
  ],
  test: {
    ...everySuite,
    maxWorkers: 1,
    bail: 1,
    testTimeout: 20_000,
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    exclude: [...neverTests, '**/*.system.test.ts', '**/*.long.test.ts'],
  },
});
