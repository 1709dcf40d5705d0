/** The built `weft` program as a real process. Every one that a test starts is ended with the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const BIN = fileURLToPath(new URL('../../cli/bin/weft.js', import.meta.url));

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Program that is run in place of the built one. */
  readonly command?: readonly [string, ...string[]];
  /** The end of the test, where others run beside it. */
  readonly whenFinished?: typeof onTestFinished;
}

export class WeftProcess {
  readonly out: string[] = [];
  readonly err: string[] = [];
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #watchers = new Set<() => void>();

  constructor(args: readonly string[], surroundings: Surroundings = {}) {
    const { cwd, env = {}, command = [process.execPath, BIN], whenFinished = onTestFinished } = surroundings;
    const [program, ...first] = command;
    const child = spawn(program, [...first, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const [stream, lines] of [
      [child.stdout, this.out],
      [child.stderr, this.err],
    ] as const) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        this.#wake();
      });
    }
    // `close` comes after the last line, `exit` may come before it.
    this.exited = new Promise((resolve) => {
      child.on('close', (code, signal) => {
        resolve({ code, signal });
        this.#wake();
      });
    });
    whenFinished(async () => {
      child.kill('SIGKILL');
      await this.exited;
    });
  }

  /** Lines of the log that are no mere news. */
  get problems(): string[] {
    return this.err.filter((line) => !line.includes('"level":"info"'));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The first line on stdout, or among other lines of it, that matches; fails when the process ends without one. */
  async line(pattern: RegExp, lines = this.out): Promise<RegExpMatchArray> {
    for (;;) {
      for (const line of lines) {
        const match = pattern.exec(line);
        if (match) return match;
      }
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
        throw new Error(`weft ended without ${String(pattern)}; stderr: ${this.err.join(' | ')}`);
      }
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  kill(signal: NodeJS.Signals): Promise<Exit> {
    this.signal(signal);
    return this.exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #wake(): void {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}
