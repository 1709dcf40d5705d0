// `npm run fuzz -- [flags]`: bundles the fuzzer with the sources as they are, and runs it guided by coverage.
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundled } from '../simulation/bundled.mjs';

/**
 * Answers what it printed and its exit code; prints as it goes with `live`.
 * @param {readonly string[]} args
 * @param {boolean} [live]
 * @returns {Promise<{ said: string, code: number }>}
 */
export async function fuzz(args, live = false) {
  const program = await bundled(undefined, '../fuzz/main.ts');
  try {
    return await new Promise((resolve) => {
      const corpus = ['--corpus', join(import.meta.dirname, 'corpus')];
      const child = spawn(process.execPath, ['--enable-source-maps', program, ...corpus, ...args]);
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (piece) => {
          said += piece;
          if (live) process.stdout.write(piece);
        });
      child.on('close', (code) => resolve({ said, code: code ?? 1 }));
    });
  } finally {
    await rm(program, { force: true });
  }
}

if (process.argv[1] === import.meta.filename)
  process.exitCode = (await fuzz(['--guided', ...process.argv.slice(2)], true)).code;
