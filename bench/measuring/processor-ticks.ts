// Time of a processor that a process has had, or its children that have ended, as Linux counts it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Ticks in a second, as Linux counts them for programs. */
const TICKS_PER_SECOND = 100;

/** Milliseconds of a processor, in whole ticks. `pid` may be `self`. */
export async function processorMs(pid: string, whose: 'own' | 'ofChildren'): Promise<number> {
  const text = await readFile(join('/proc', pid, 'stat'), 'utf8');
  // The name of a program stands in parentheses, and may hold spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const at = whose === 'own' ? 11 : 13;
  return ((Number(fields[at]) + Number(fields[at + 1])) / TICKS_PER_SECOND) * 1000;
}
