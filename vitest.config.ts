import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests, textFiles } from './vitest.base.js';
import { workerCount } from './vitest.workers.js';

export default defineConfig({
  plugins: [textFiles],
  test: {
    ...everySuite,
    maxWorkers: workerCount,
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    exclude: [...neverTests, '**/*.system.test.ts', '**/*.long.test.ts'],
  },
});
