/** Program start: by a shell that waits for it, or directly, which takes the longer the more memory this process has. */
import { spawn } from 'node:child_process';
import type { ProgramEnd, ProgramRun, RunningProgram } from './program-run.js';
import { runInShell } from './run-in-shell.js';

/** Starts a program that leaves no other running when it ends. */
export function runProgram(run: ProgramRun): RunningProgram {
  return runInShell(run) ?? runDirectly(run);
}

/** Starts a program that may leave others running. */
export function runDirectly({ program, args, folder, base, environment, ...run }: ProgramRun): RunningProgram {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...base, ...environment },
    stdio: 'pipe',
    detached: process.platform !== 'win32',
  });
  // It may end before it has read all: its exit code says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(run.input);
  child.stdout.on('data', run.onOut);
  child.stderr.on('data', run.onErr);
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  return { ended, kill: () => killGroup(child.pid) };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // The group has ended since; 'close' follows either way.
  }
}
