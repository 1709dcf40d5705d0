/** The process: signals in, exit code out. A second signal ends it at once. */
import { isatty } from 'node:tty';
import { EXIT, Unread, run } from './run.js';
import { terminalOf } from './output/terminal.js';

const stop = new AbortController();
// Who has a terminal stops when it has gone; who has none goes on, as `nohup` wants it: Node forgets that it was told so.
const hasTerminal = [0, 1, 2].some(isatty);
if (!hasTerminal) process.on('SIGHUP', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', ...(hasTerminal ? (['SIGHUP'] as const) : [])] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(EXIT.stopped);
    stop.abort();
  });
}

const terminal = terminalOf(process, stop.signal);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Who reads a pipe may go when they have enough, as `head` does, and so may a terminal.
  const hasEnough = error.code === 'EPIPE' || (error.code === 'EIO' && hasTerminal);
  if (!hasEnough) terminal.err(`weft: cannot write what was asked for: ${error.message}`);
  process.exitCode = hasEnough ? EXIT.done : EXIT.failed;
  stop.abort(new Unread());
});
// A server goes on when nobody reads its log.
process.stderr.on('error', () => undefined);

const code = await run(process.argv.slice(2), terminal);
process.exitCode ??= code;
