import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests } from './vitest.base.js';
import { workerCount } from './vitest.workers.js';

export default defineConfig({
  test: {
    ...everySuite,
    maxWorkers: workerCount,
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    exclude: [...neverTests, '**/*.system.test.ts', '**/*.long.test.ts'],
  },
});
