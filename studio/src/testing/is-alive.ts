import { readFileSync } from 'node:fs';

/**
 * Whether a process still runs. One that has ended and that nobody has asked about keeps its number: whose parent is gone may stay so
 * for as long as the machine's first process takes, or for good where that asks about nobody.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may contain anything; the state comes next.
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
