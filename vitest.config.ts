import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests, textFiles } from './vitest.base.js';
import { inSource, nativeSources } from './vitest.native.js';
import { workerCount } from './vitest.workers.js';

export default defineConfig({
  plugins: [nativeSources, textFiles],
  test: {
    ...everySuite,
    onStackTrace: inSource,
    maxWorkers: workerCount,
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    exclude: [...neverTests, '**/*.system.test.ts', '**/*.long.test.ts'],
  },
});
