import type { ViteUserConfig } from 'vitest/config';

/** What every suite shares. The suites differ only in which files they run. */
export const everySuite = {
  pool: 'forks',
  testTimeout: 30_000,
  hookTimeout: 30_000,
  passWithNoTests: false,
  // The machine's own git configuration, time zone and language must not decide a test.
  env: {
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
  },
  // Built packages run as a user runs them, not re-transformed.
  server: { deps: { external: [/\/(core|server|studio|cli)\/dist\//] } },
} satisfies ViteUserConfig['test'];

export const folders = ['core', 'server', 'studio', 'cli', 'test', 'examples', 'bench'];

export const neverTests = ['**/node_modules/**', '**/dist/**', '**/.dist-*/**'];
