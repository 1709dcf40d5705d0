import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests } from './vitest.base.js';

// These tests need programs of the machine: a browser, a sandbox, a metrics scraper.
export default defineConfig({
  test: {
    ...everySuite,
    maxWorkers: 1,
    include: folders.map((folder) => `${folder}/**/*.system.test.ts`),
    exclude: neverTests,
  },
});
