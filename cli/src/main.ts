/** Entry of the process: signals in, exit code out. A second signal ends it at once, when it is not the first once more. */
import { isatty } from 'node:tty';
import { EXIT, Unread, run } from './run.js';
import { terminalOf } from './output/terminal.js';

/** `npm start` hands Ctrl-C on to a program that has had it from the terminal: what comes within this time is the same signal. */
const ECHO_MS = 500;

const stop = new AbortController();
let stoppedAt = 0;
// A process with a terminal stops when the terminal has gone. One without goes on, as `nohup` wants; Node itself forgets that.
const hasTerminal = [0, 1, 2].some(isatty);
if (!hasTerminal) process.on('SIGHUP', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', ...(hasTerminal ? (['SIGHUP'] as const) : [])] as const) {
  process.on(signal, () => {
    if (!stop.signal.aborted) {
      stoppedAt = performance.now();
      stop.abort();
    } else if (performance.now() - stoppedAt > ECHO_MS) process.exit(EXIT.stopped);
  });
}

const onHangUp = (listener: () => void): (() => void) => {
  process.on('SIGHUP', listener);
  return () => process.off('SIGHUP', listener);
};
const terminal = { ...terminalOf(process, stop.signal), ...(hasTerminal ? {} : { onHangUp }) };
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of a pipe may leave when it has enough, as `head` does, and so may a terminal.
  const hasEnough = error.code === 'EPIPE' || (error.code === 'EIO' && hasTerminal);
  if (!hasEnough) terminal.err(`weft: cannot write what was asked for: ${error.message}`);
  process.exitCode = hasEnough ? EXIT.done : EXIT.failed;
  stop.abort(new Unread());
});
// A server goes on when nobody reads its log.
process.stderr.on('error', () => undefined);

const code = await run(process.argv.slice(2), terminal);
process.exitCode ??= code;
