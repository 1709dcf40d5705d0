/** Full table of descriptors: Node says then that a file or a package is missing, or a store that it cannot be opened. */
import { closeSync, openSync } from 'node:fs';

/** Descriptors that a command needs beside those that it has; a server that has started takes far more. */
const NEEDED = 128;
const SIGNS = /\b(EMFILE|ENFILE)\b|too many open files|cannot find (package|module)/i;

/** What to say in place of an error that a full table of descriptors has caused. */
export function fullTable(error: Error): string | undefined {
  if (!SIGNS.test(error.message)) return undefined;
  const free = freeDescriptors();
  if (free >= NEEDED) return undefined;
  return `too many files are open: ${free} more may be, and it takes ${NEEDED} at least; allow more with ulimit -n 4096, and start again`;
}

function freeDescriptors(): number {
  const taken: number[] = [];
  try {
    while (taken.length < NEEDED) taken.push(openSync('.', 'r'));
  } catch {
    // How many there were is the answer.
  }
  for (const descriptor of taken) closeSync(descriptor);
  return taken.length;
}
