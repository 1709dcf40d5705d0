// One child process of the tooling: started without a shell, awaited, its output kept or passed through.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.mjs';

/** Resolves with the exit code and, unless `live`, the output. Never rejects for a failing command. */
export function runStep(command, args, { cwd = root, live = false, env = process.env } = {}) {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(command, args, { cwd, env, stdio: live ? 'inherit' : ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    const finish = (code, note) => {
      const output = Buffer.concat(chunks).toString('utf8') + note;
      resolve({ ok: code === 0, code, output, seconds: (performance.now() - started) / 1000 });
    };
    child.once('error', (error) => finish(1, `${command}: ${error.message}\n`));
    child.once('close', (code, signal) => finish(code ?? 1, signal ? `${command}: ended by ${signal}\n` : ''));
  });
}

/** Programs of the packages that lie in node_modules. */
export const tools = {
  tsc: 'typescript/bin/tsc',
  tsup: 'tsup/dist/cli-default.js',
  oxlint: 'oxlint/bin/oxlint',
  oxfmt: 'oxfmt/bin/oxfmt',
  vitest: 'vitest/vitest.mjs',
};

/** Runs a program of node_modules with the node that runs us. */
export function runTool(tool, args, options) {
  return runStep(process.execPath, [`${root}/node_modules/${tools[tool]}`, ...args], options);
}

/**
 * TypeScript's native compiler, which takes a fifth of the time and which studio brings for its symbols. Where there is none
 * for this platform, the compiler in JavaScript does the same.
 */
export function runTypeScript(args, options) {
  const { arch, platform } = process;
  const native = join(root, `node_modules/@typescript/typescript-${platform}-${arch}/lib/tsc`);
  const program = platform === 'win32' ? `${native}.exe` : native;
  if (existsSync(program)) return runStep(program, ['--singleThreaded', ...args], options);
  return runTool('tsc', args, options);
}

/** A line for each: whether it held, and how long it took. */
export function printSteps(steps) {
  for (const [step, { ok, seconds }] of steps) {
    console.log(`${ok ? 'ok    ' : 'FAILED'}  ${step.padEnd(10)} ${seconds.toFixed(1)} s`);
  }
}
