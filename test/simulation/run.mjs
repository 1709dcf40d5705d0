// `npm run sim -- [flags]`: bundles the simulator with the engine as its sources are, and runs it.
import { rm } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { bundled } from './bundled.mjs';

const program = await bundled();
const child = spawn(process.execPath, ['--enable-source-maps', program, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
child.on('exit', async (code) => {
  await rm(program, { force: true });
  process.exitCode = code ?? 1;
});
