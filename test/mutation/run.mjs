// `npm run mutation -- <folder or file> …`: bundles the program, and runs it.
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { bundled } from '../simulation/bundled.mjs';

const program = await bundled(undefined, '../mutation/main.ts');
const child = spawn(process.execPath, ['--enable-source-maps', program, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
child.on('exit', async (code) => {
  await rm(program, { force: true });
  process.exitCode = code ?? 1;
});
