import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests, textFiles } from './vitest.base.js';

// Whole programs: ours as their users start, kill and install them, and those of the machine, a browser, a sandbox, a
// metrics scraper.
export default defineConfig({
  plugins: [textFiles],
  test: {
    ...everySuite,
    maxWorkers: 2,
    include: folders.map((folder) => `${folder}/**/*.system.test.ts`),
    exclude: neverTests,
  },
});
