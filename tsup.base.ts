import { readFileSync } from 'node:fs';
import type { Options } from 'tsup';

/**
 * What a package takes into its build: its development dependencies, since the tools of all are the workspace's. They are
 * libraries that weigh much and of which little is used, and no type of theirs is part of ours.
 */
const { devDependencies: bundled = {} } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly devDependencies?: Readonly<Record<string, string>>;
};

/** What every package shares. Types come from tsc, which the workspace build runs beside this: three times as fast. */
export const library = {
  format: 'esm',
  target: 'node20',
  outDir: 'dist',
  clean: true,
  dts: false,
  sourcemap: true,
  minifySyntax: true,
  // Read by the build for the licences of what was bundled, and taken away.
  metafile: true,
  splitting: true,
  skipNodeModulesBundle: true,
  noExternal: Object.keys(bundled),
  // Roles of agents are files beside the code.
  loader: { '.md': 'text' },
} satisfies Options;
