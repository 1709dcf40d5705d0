import { join } from 'node:path';
import type { Plugin, ViteUserConfig } from 'vitest/config';
import { ByKind, sharedProcesses } from './vitest.workers.js';

/** Patience, not a bound: what hangs is to be noticed, and a slow or busy machine must not fail anything. */
const PATIENCE_MS = 120_000;

/** Files of text beside the code, such as roles of agents, as the bundler makes modules of them. */
export const textFiles: Plugin = {
  name: 'text-files',
  transform: (code, id) =>
    id.endsWith('.md') ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined,
};

/** What every suite shares. The suites differ only in which files they run, and how many at once. */
export const everySuite = {
  pool: sharedProcesses,
  isolate: false,
  sequence: { sequencer: ByKind },
  setupFiles: ['vitest.setup.ts', ...(process.env['TESTS_COST'] ? ['vitest.cost.ts'] : [])].map((file) =>
    join(import.meta.dirname, file),
  ),
  restoreMocks: true,
  testTimeout: PATIENCE_MS,
  hookTimeout: PATIENCE_MS,
  expect: { poll: { timeout: PATIENCE_MS / 4 } },
  passWithNoTests: false,
  // The machine's own git configuration, time zone and language must not decide a test.
  env: {
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
  },
  // Built packages run as a user runs them, and sources without their types as they were made: not re-transformed.
  server: { deps: { external: [/\/(core|server|studio|cli|client\/\w+)\/dist\//, /\/\.ci\/out\/sources\//] } },
} satisfies ViteUserConfig['test'];

export const folders = ['core', 'server', 'studio', 'cli', 'client', 'test', 'examples', 'bench'];

export const neverTests = ['**/node_modules/**', '**/dist/**', '**/.dist-*/**'];
