/** Which process is meant: numbers are given out again, start times and marks are not. */
import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** When a process was started, in a form that is only compared; undefined when it is not there or cannot be asked. */
export async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    // The name, in brackets, may hold anything; the start is the 22nd field, in ticks since the machine came up.
    const ticks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    return ticks === undefined ? undefined : `${boot.trim()} ${ticks}`;
  }
  const found = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => undefined);
  const text = found?.stdout.trim();
  return text === '' ? undefined : text;
}

/** Processes whose environment has this mark. None where that cannot be seen. */
export async function markedWith(name: string, mark: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const wanted = `${name}=${mark}`;
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const environment = await readFile(`/proc/${entry}/environ`, 'latin1').catch(() => '');
    if (environment.split('\0').includes(wanted)) found.push(Number(entry));
  }
  return found;
}
