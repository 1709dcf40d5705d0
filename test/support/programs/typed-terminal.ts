/**
 * Terminal in which somebody types, made by `script` of util-linux: a shell as on a bare machine, what it shows, and when. Nothing
 * here knows of Weft, so what is typed is what a person types.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { checkout } from '../../architecture/source-tree.js';

const PROMPT = '$ ';

export interface Place {
  readonly folder: string;
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Line of a terminal, as it was shown when it was whole. */
export interface ShownLine {
  readonly at: number;
  readonly text: string;
}

export class TypedTerminal {
  readonly lines: ShownLine[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #watchers = new Set<() => void>();
  #shown = '';
  /** How far somebody has read. */
  #read = 0;
  #hasEnded = false;

  constructor({ folder, home, env = {} }: Place) {
    // `.ci/bare` gives each command an empty home of its own; terminals of one person share theirs.
    const shell = `${join(checkout, '.ci/bare')} env HOME='${home}' sh -i`;
    this.#child = spawn('script', ['--quiet', '--flush', '--return', '--command', shell, '/dev/null'], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', SHELL: '/bin/sh', PS1: PROMPT, LC_ALL: 'C.UTF-8', ...env },
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    const ended = new Promise<void>((resolve) => {
      this.#child.on('close', () => {
        this.#hasEnded = true;
        this.#wake();
        resolve();
      });
    });
    onTestFinished(async () => {
      this.#child.kill('SIGKILL');
      await ended;
    });
  }

  /** Types a line once the shell asks for one. */
  async command(line: string): Promise<void> {
    await this.prompt();
    this.answer(line);
  }

  /** Types a line now. */
  answer(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Ctrl-C, once; resolves when the shell asks again. */
  async interrupt(): Promise<void> {
    this.#child.stdin.write('\u0003');
    await this.prompt();
  }

  prompt(): Promise<RegExpMatchArray> {
    return this.shows(/(?:^|\n|\^C)\$ $/);
  }

  /** What is shown behind all that was waited for before. */
  async shows(pattern: RegExp): Promise<RegExpMatchArray> {
    for (;;) {
      const match = pattern.exec(this.#shown.slice(this.#read));
      if (match) {
        this.#read += match.index + match[0].length;
        return match;
      }
      if (this.#hasEnded) throw new Error(`the terminal ended without ${String(pattern)}: ${this.#shown}`);
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  #take(text: string): void {
    const begun = this.#shown.lastIndexOf('\n') + 1;
    this.#shown += stripVTControlCharacters(text).replaceAll('\r', '');
    const whole = this.#shown.slice(begun).split('\n').slice(0, -1);
    for (const line of whole) this.lines.push({ at: performance.now(), text: line });
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}
