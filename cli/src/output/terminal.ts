/** The terminal of this process: colours and passing texts where somebody looks, plain lines in pipes and files. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Device, Style, Terminal } from '../syntax/define.js';

const CLEAR = '\r\u001b[K';
/** Escape codes that begin and end each style. */
const STYLES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  green: [32, 39],
  red: [31, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

interface Stream {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly rows?: number;
  write(text: string): boolean;
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

interface Input extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

interface Surroundings {
  readonly stdin: Input;
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
    page: (text) => (stdout.isTTY && !isDumb ? paged(text, env, on(stdout)) : Promise.resolve(on(stdout)(text))),
    err: on(stderr),
    status,
    paint(style, text) {
      const [begin, end] = STYLES[style];
      return isColourful && text !== '' ? `\u001b[${begin}m${text}\u001b[${end}m` : text;
    },
    stop,
    environment: env,
    isInteractive: stderr.isTTY === true,
    canAsk: surroundings.stdin.isTTY === true && stderr.isTTY === true,
    device: () =>
      surroundings.stdin.isTTY === true && stdout.isTTY && !isDumb ? deviceOf(surroundings.stdin, stdout) : undefined,
  };
}

/** Size of a terminal that does not tell its own. */
const USUAL = { columns: 80, rows: 24 };

function deviceOf(stdin: Input, stdout: Stream): Device {
  let unlisten = (): void => undefined;
  return {
    size: () => ({ columns: stdout.columns || USUAL.columns, rows: stdout.rows || USUAL.rows }),
    write: (text) => void stdout.write(text),
    listen({ input, resize }) {
      stdin.setEncoding('utf8');
      stdin.setRawMode?.(true);
      stdin.on('data', input).resume();
      stdout.on?.('resize', resize);
      unlisten = () => {
        stdin.off('data', input).pause();
        stdin.setRawMode?.(false);
        stdout.off?.('resize', resize);
      };
    },
    unlisten: () => unlisten(),
  };
}

/** Shows a text in the user's pager. One that cannot be started leaves the text as it is. */
function paged(text: string, env: NodeJS.ProcessEnv, out: (line: string) => void): Promise<void> {
  const [program = 'less', ...args] = (env['PAGER'] || 'less -FRX').split(' ').filter((word) => word !== '');
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['pipe', 'inherit', 'inherit'], env: { LESS: 'FRX', ...env } });
    child.once('error', () => {
      out(text);
      resolve();
    });
    child.once('close', () => resolve());
    // Whoever has seen enough leaves before the end.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${text}\n`);
  });
}
