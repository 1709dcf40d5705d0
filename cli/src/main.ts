/** The process: signals in, exit code out. A second signal ends it at once. */
import { EXIT, Unread, run } from './run.js';
import { terminalOf } from './terminal.js';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(EXIT.stopped);
    stop.abort();
  });
}

const terminal = terminalOf(process, stop.signal);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Who reads a pipe may go when they have enough, as `head` does.
  const hasEnough = error.code === 'EPIPE';
  if (!hasEnough) terminal.err(`weft: cannot write what was asked for: ${error.message}`);
  process.exitCode = hasEnough ? EXIT.done : EXIT.failed;
  stop.abort(new Unread());
});
// A server goes on when nobody reads its log.
process.stderr.on('error', () => undefined);

const code = await run(process.argv.slice(2), terminal);
process.exitCode ??= code;
