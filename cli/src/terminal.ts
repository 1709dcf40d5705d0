/** The terminal of this process: colours and passing texts where somebody looks, plain lines in pipes and files. */
import { styleText } from 'node:util';
import type { Terminal } from './define.js';

const CLEAR = '\r\u001b[K';

export function terminalOf({ stdout, stderr, env }: NodeJS.Process, stop: AbortSignal): Terminal {
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
    (stream: NodeJS.WriteStream) =>
    (line: string): void => {
      status('');
      stream.write(`${line}\n`);
    };
  return {
    out: on(stdout),
    err: on(stderr),
    status,
    paint: (style, text) => (isColourful ? styleText(style, text) : text),
    stop,
    environment: env,
    isInteractive: stderr.isTTY === true,
  };
}
