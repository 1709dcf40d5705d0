/**
 * Holder of a lock: which process has a data folder open, as far as the system tells: on Linux, by the lock on its
 * database.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export async function lockHolder(folder: string): Promise<number | undefined> {
  try {
    const { dev, ino } = await stat(join(folder, 'log', 'LOCK'));
    const [, pid] = new RegExp(` WRITE +([1-9][0-9]*) ${deviceOf(dev)}:${ino} `).exec(await locks()) ?? [];
    return pid === undefined ? undefined : Number(pid);
  } catch {
    return undefined; // another system, or one that shows nothing
  }
}

/** Lines such as `1: POSIX  ADVISORY  WRITE 4242 08:01:131076 0 EOF`. */
function locks(): Promise<string> {
  return readFile('/proc/locks', 'utf8');
}

/** Device as the kernel writes it: major and minor number in hex, of the number that programs get. */
function deviceOf(dev: number): string {
  const number = BigInt(dev);
  const major = ((number >> 8n) & 0xfffn) | ((number >> 32n) & ~0xfffn);
  const minor = (number & 0xffn) | ((number >> 12n) & ~0xffn);
  return [major, minor].map((part) => part.toString(16).padStart(2, '0')).join(':');
}
