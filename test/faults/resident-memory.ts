/** Resident memory of a process: weighed by long tests alone, since it depends on the machine. */
import { readFileSync } from 'node:fs';

/** Whether that of another process can be read here. */
export const canWeigh = process.platform === 'linux';

/** In bytes; zero where it cannot be read. */
export function residentBytes(pid: number): number {
  if (!canWeigh) return 0;
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}
