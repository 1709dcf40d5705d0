/**
 * A program in a pseudo terminal of 80 by 24, made by `script` of util-linux, and what its screen shows. The screen obeys what
 * `weft top` writes and nothing else: any other escape code is a failure of whoever let it through.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { BIN } from './weft-process.js';

const COLUMNS = 80;
const ROWS = 24;
/** What is written to take a terminal and to give it back, bells and colours. */
const SILENT = /^(?:\u001b\[\?(?:7|25|2004)[hl]|\u001b\[\d*m|\u0007|\u001b\[K|\r)/;
const OTHER_SCREEN = /^\u001b\[\?1049([hl])/;
const PLACE = /^\u001b\[(\d+);1H/;
const CLEAR_LINE = '\u001b[2K';
const CLEAR = '\u001b[2J';

export class PseudoTerminal {
  readonly #child: ChildProcessWithoutNullStreams;
  /** Exit code of the program. */
  readonly ended: Promise<number | null>;
  /** All that it has written. */
  written = '';

  /** Starts `weft` with these arguments, behind which a shell says how the terminal is set. */
  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const words = [process.execPath, BIN, ...args].join(' ');
    const program = `sh -c 'echo "pid:$$"; exec ${words}'`;
    const command = `stty rows ${ROWS} cols ${COLUMNS}; ${program}; code=$?; stty -a; exit $code`;
    const { NO_COLOR: _, ...surroundings } = process.env;
    this.#child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
      env: { ...surroundings, TERM: 'xterm', SHELL: '/bin/sh', ...env },
    });
    this.#child.stdout.setEncoding('utf8').on('data', (piece: string) => (this.written += piece));
    this.ended = new Promise((resolve) => this.#child.once('close', resolve));
    onTestFinished(async () => {
      this.#child.kill('SIGKILL');
      await this.ended;
    });
  }

  /** Process id of `weft`. */
  get pid(): number {
    const [, pid] = /pid:(\d+)/.exec(this.written) ?? [];
    if (pid === undefined) throw new Error(`the program has not begun: ${this.written}`);
    return Number(pid);
  }

  /** Takes the terminal away from the program. */
  hangUp(): void {
    this.#child.kill('SIGKILL');
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  /** The screen on which `weft top` draws, while it does; else undefined. */
  get screen(): readonly string[] | undefined {
    let lines: string[] | undefined;
    let row = 0;
    let rest = this.written;
    while (rest !== '') {
      const [taken, isOther] = OTHER_SCREEN.exec(rest) ?? [];
      const [placed, place] = PLACE.exec(rest) ?? [];
      const [silent] = SILENT.exec(rest) ?? [];
      const [letters = ''] = /^[^\p{Cc}]+|^[\n\b]/u.exec(rest) ?? [];
      if (taken !== undefined) lines = isOther === 'h' ? Array<string>(ROWS).fill('') : undefined;
      else if (placed !== undefined) row = Number(place) - 1;
      else if (lines && rest.startsWith(CLEAR)) lines.fill('');
      else if (lines && rest.startsWith(CLEAR_LINE)) lines[row] = '';
      else if (silent === undefined && letters === '')
        throw new Error(`${JSON.stringify(rest.slice(0, 20))} was written to a terminal`);
      else if (lines && silent === undefined) lines[row] += letters;
      const fixed = [CLEAR, CLEAR_LINE].find((code) => rest.startsWith(code));
      rest = rest.slice((taken ?? placed ?? silent ?? fixed ?? letters).length);
    }
    return lines;
  }

  get text(): string {
    return (this.screen ?? []).join('\n');
  }
}
