import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests } from './vitest.base.js';

export default defineConfig({
  test: {
    ...everySuite,
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    exclude: [...neverTests, '**/*.system.test.ts', '**/*.long.test.ts'],
  },
});
