import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests, textFiles } from './vitest.base.js';

export default defineConfig({
  plugins: [textFiles],
  test: {
    ...everySuite,
    include: folders.map((folder) => `${folder}/**/*.long.test.ts`),
    exclude: neverTests,
    maxWorkers: 1,
    testTimeout: 30 * 60_000,
    passWithNoTests: true,
  },
});
