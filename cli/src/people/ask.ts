/** Questions to whoever sits at the terminal. */
import type { Readable } from 'node:stream';
import type { Terminal } from '../syntax/define.js';

/** One line, without the spaces around it; empty where stdin has ended. */
export async function ask(terminal: Terminal, question: string): Promise<string> {
  terminal.err(question);
  const line = await lineFrom(terminal.input(), terminal.stop);
  terminal.stop.throwIfAborted();
  return line.trim();
}

/** Whether somebody agrees; an empty line does not. */
export async function agrees(terminal: Terminal, question: string): Promise<boolean> {
  return /^(y|yes)$/i.test(await ask(terminal, `${question} [y/N]`));
}

/** Next line of a stream. What comes behind it stays there for the next question. */
async function lineFrom(input: Readable, stop: AbortSignal): Promise<string> {
  let text = '';
  try {
    while (!stop.aborted) {
      const piece: unknown = input.read();
      if (piece === null) {
        if (input.readableEnded || input.destroyed || !(await isReadable(input, stop))) break;
        continue;
      }
      text += String(piece);
      const end = text.indexOf('\n');
      if (end < 0) continue;
      const rest = text.slice(end + 1);
      if (rest !== '') input.unshift(rest);
      return text.slice(0, end);
    }
    return text;
  } finally {
    // A terminal that is read keeps the process alive.
    input.pause();
  }
}

/** Waits for more. Answers whether there may be some. */
function isReadable(input: Readable, stop: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (may: boolean) => (): void => {
      for (const [name, listener] of listeners) input.off(name, listener);
      stop.removeEventListener('abort', ended);
      resolve(may);
    };
    const ended = settle(false);
    const listeners = [
      ['readable', settle(true)],
      ['end', ended],
      ['close', ended],
      ['error', ended],
    ] as const;
    for (const [name, listener] of listeners) input.on(name, listener);
    stop.addEventListener('abort', ended, { once: true });
  });
}
