/** Path of a data folder's control socket: in the folder, which its owner alone may enter. */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';

/** Longest path of a socket that every platform known to us takes. */
const MOST_BYTES = 103;

/** Path of the socket; undefined when the folder's path is too long. */
export function socketOf(folder: string): string | undefined {
  if (process.platform === 'win32') {
    return `\\\\.\\pipe\\weft-${createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 32)}`;
  }
  const path = join(folder, 'control.sock');
  return Buffer.byteLength(path) <= MOST_BYTES ? path : undefined;
}
