import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests, textFiles } from './vitest.base.js';

const root = import.meta.dirname;

/** Said by tests that have a greater size in this suite; here every property is tried more often, too, by the alias below. */
const LONG = 'TESTS_LONG';

/** Files whose tests `npm test` runs in short: those of properties, and those that ask for the variable. */
function shortenedTests(): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
    )
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules') && !path.endsWith('.system.test.ts'))
    .filter((path) => {
      const source = readFileSync(join(root, path), 'utf8');
      return source.includes("from 'fast-check'") || source.includes(LONG);
    });
}

export default defineConfig({
  plugins: [textFiles],
  resolve: { alias: [{ find: /^fast-check$/, replacement: join(root, '.ci/tried-more.mjs') }] },
  test: {
    ...everySuite,
    env: { ...everySuite.env, [LONG]: '1' },
    include: [...folders.map((folder) => `${folder}/**/*.long.test.ts`), ...shortenedTests()],
    exclude: neverTests,
    maxWorkers: 1,
    testTimeout: 30 * 60_000,
    passWithNoTests: true,
  },
});
