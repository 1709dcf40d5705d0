/** Where the control socket of a data folder is: in the folder, which its owner alone may enter. */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';

/** What the system takes for the path of a socket, on every platform that we know. */
const MOST_BYTES = 103;

/** Undefined when the folder's path is too long for one. */
export function socketOf(folder: string): string | undefined {
  if (process.platform === 'win32') {
    return `\\\\.\\pipe\\weft-${createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 32)}`;
  }
  const path = join(folder, 'control.sock');
  return Buffer.byteLength(path) <= MOST_BYTES ? path : undefined;
}
