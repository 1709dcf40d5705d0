// `npm run shape -- <path> …`: what is longest, widest and fullest in this checkout, for a reviewer to read. No size fails.
import { join } from 'node:path';
import { installIfStale } from './install.mjs';
import { runStep } from './step.mjs';
import { memory, root } from './workspace.mjs';

await installIfStale();
const { build } = await import('esbuild');
const program = join(memory, 'print-shape.mjs');
await build({
  entryPoints: [join(root, 'test', 'architecture', 'print-shape.ts')],
  outfile: program,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  logLevel: 'warning',
});
const { code } = await runStep(process.execPath, [program, root, ...process.argv.slice(2)], { live: true });
process.exitCode = code;
