import { defineConfig } from 'tsup';

// Types come from tsc, which the workspace build runs beside this: one .d.ts per source file, faster than bundled ones.
export default defineConfig({
  entry: ['src/index.ts', 'src/main.ts'],
  format: 'esm',
  target: 'node20',
  outDir: 'dist',
  clean: true,
  dts: false,
  sourcemap: true,
  splitting: true,
  skipNodeModulesBundle: true,
});
