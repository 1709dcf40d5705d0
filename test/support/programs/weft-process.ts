/** The built `weft` program as a real process. Every one that a test starts is ended with the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { WrittenLines } from './written-lines.js';

export const BIN = fileURLToPath(new URL('../../../cli/bin/weft.js', import.meta.url));

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Program that is run in place of the built one. */
  readonly command?: readonly [string, ...string[]];
  /** The end of the test, where others run beside it. */
  readonly whenFinished?: typeof onTestFinished;
}

export class WeftProcess extends WrittenLines {
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;

  constructor(args: readonly string[], surroundings: Surroundings = {}) {
    super();
    const { cwd, env = {}, command = [process.execPath, BIN], whenFinished = onTestFinished } = surroundings;
    const [program, ...first] = command;
    const child = spawn(program, [...first, ...args], {
      cwd,
      // Its note for other commands of this user would outlive a killed one; repositories of tests lie in temporary folders, and what confines
      // programs is in the system suite.
      env: {
        ...process.env,
        XDG_STATE_HOME: join(tmpdir(), `weft-test-state-${process.pid}`),
        WEFT_ROOTS: tmpdir(),
        WEFT_UNCONFINED: 'yes',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const [stream, lines] of [
      [child.stdout, this.out],
      [child.stderr, this.err],
    ] as const) {
      createInterface({ input: stream }).on('line', (line) => this.take(lines, line));
    }
    // `close` comes after the last line, `exit` may come before it.
    this.exited = new Promise((resolve) => {
      child.on('close', (code, signal) => {
        resolve({ code, signal });
        this.wake();
      });
    });
    whenFinished(async () => {
      child.kill('SIGKILL');
      await this.exited;
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  kill(signal: NodeJS.Signals): Promise<Exit> {
    this.signal(signal);
    return this.exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  override get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
