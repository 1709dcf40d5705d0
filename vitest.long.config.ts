import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests, textFiles } from './vitest.base.js';

const root = import.meta.dirname;

/** Tests of properties, which `npm test` tries for a short while: here each is tried more often, by the alias below. */
function propertyTests(): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
    )
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules') && !path.endsWith('.system.test.ts'))
    .filter((path) => readFileSync(join(root, path), 'utf8').includes("from 'fast-check'"));
}

export default defineConfig({
  plugins: [textFiles],
  resolve: { alias: [{ find: /^fast-check$/, replacement: join(root, '.ci/tried-more.mjs') }] },
  test: {
    ...everySuite,
    include: [...folders.map((folder) => `${folder}/**/*.long.test.ts`), ...propertyTests()],
    exclude: neverTests,
    maxWorkers: 1,
    testTimeout: 30 * 60_000,
    passWithNoTests: true,
  },
});
