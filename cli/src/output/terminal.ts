/** The terminal of this process: colours and passing texts where somebody looks, plain lines in pipes and files. */
import type { Readable } from 'node:stream';
import { systemClock } from '@weft/core';
import type { Style, Terminal } from '../syntax/define.js';

const CLEAR = '\r\u001b[K';
/** Escape codes that begin and end each style. */
const STYLES: Readonly<Record<Style, readonly [number, number]>> = { bold: [1, 22], green: [32, 39], red: [31, 39] };

interface Stream {
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): boolean;
}

interface Surroundings {
  readonly stdin: Readable;
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: NodeJS.ProcessEnv;
}

export function terminalOf(surroundings: Surroundings, stop: AbortSignal): Terminal {
  const { stdout, stderr, env } = surroundings;
  const isDumb = env['TERM'] === 'dumb';
  const isColourful = stdout.isTTY && !isDumb && !env['NO_COLOR'];
  const hasStatus = stderr.isTTY && !isDumb;
  let shown = '';
  const status = (text: string): void => {
    if (!hasStatus || text === shown) return;
    stderr.write(`${CLEAR}${text.slice(0, stderr.columns - 1)}`);
    shown = text;
  };
  const on =
    (stream: Stream) =>
    (line: string): void => {
      status('');
      stream.write(`${line}\n`);
    };
  return {
    // Node opens the stream when it is first looked at.
    input: () => surroundings.stdin,
    out: on(stdout),
    err: on(stderr),
    status,
    paint(style, text) {
      const [begin, end] = STYLES[style];
      return isColourful && text !== '' ? `\u001b[${begin}m${text}\u001b[${end}m` : text;
    },
    stop,
    clock: systemClock,
    environment: env,
    isInteractive: stderr.isTTY === true,
  };
}
