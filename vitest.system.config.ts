import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests, textFiles } from './vitest.base.js';

// These tests need programs of the machine: a browser, a sandbox, a metrics scraper.
export default defineConfig({
  plugins: [textFiles],
  test: {
    ...everySuite,
    maxWorkers: 1,
    include: folders.map((folder) => `${folder}/**/*.system.test.ts`),
    exclude: neverTests,
  },
});
