/** The `weft` program within the process of the test: no start of Node, and a clock that the test may hold. */
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { type Clock, systemClock } from '@weft/core';
import { onTestFinished } from 'vitest';
import { run } from '@weft/cli';
import { WrittenLines } from './written-lines.js';

export interface RunSurroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly input?: Readable;
  /** What somebody at the terminal types when asked, line by line; nobody is there without. */
  readonly answers?: readonly string[];
  /** The end of the test, where others run beside it. */
  readonly whenFinished?: typeof onTestFinished;
}

/** Stopped with the test, as by Ctrl-C. */
export class WeftRun extends WrittenLines {
  /** The exit code. */
  readonly ended: Promise<number>;
  readonly #stop = new AbortController();
  readonly #hungUp = new Set<() => void>();
  #hasEnded = false;

  constructor(args: readonly string[], surroundings: RunSurroundings = {}) {
    super();
    const { env = {}, clock = systemClock, answers, whenFinished = onTestFinished } = surroundings;
    const { input = Readable.from((answers ?? []).map((line) => `${line}\n`)) } = surroundings;
    const running = run(args, {
      isInteractive: false,
      canAsk: answers !== undefined,
      page: (text) => Promise.resolve(this.#takeAll(this.out, text)),
      // Repositories of tests lie in temporary folders.
      environment: { WEFT_ROOTS: tmpdir(), ...env },
      clock,
      stop: this.#stop.signal,
      onHangUp: (listener) => {
        this.#hungUp.add(listener);
        return () => this.#hungUp.delete(listener);
      },
      input: () => input,
      status: () => undefined,
      paint: (_, text) => text,
      out: (line) => this.#takeAll(this.out, line),
      err: (line) => this.#takeAll(this.err, line),
    });
    this.ended = running.finally(() => {
      this.#hasEnded = true;
      this.wake();
    });
    whenFinished(async () => {
      await this.stop();
    });
  }

  stop(): Promise<number> {
    this.#stop.abort();
    return this.ended;
  }

  /** What SIGHUP does, where nobody sits at a terminal. */
  hangUp(): void {
    for (const listener of this.#hungUp) listener();
  }

  override get hasEnded(): boolean {
    return this.#hasEnded;
  }

  #takeAll(lines: string[], text: string): void {
    for (const line of text.split('\n')) this.take(lines, line);
  }
}

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** One command that ends by itself. */
export async function weft(...args: string[]): Promise<Said> {
  const command = new WeftRun(args);
  const code = await command.ended;
  return { code, out: command.out.join('\n'), err: command.err.join('\n') };
}

/** What a command says with `--json`; fails with it. */
export async function weftJson(...args: string[]): Promise<unknown> {
  const { code, out, err } = await weft(...args, '--json');
  if (code !== 0) throw new Error(`weft ${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out);
}
