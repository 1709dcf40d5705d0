/** Process identity: numbers are reused, start times and marks are not. */
import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Start time of a process, for comparison only; undefined when it is not there or cannot be asked. */
export async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    // The name, in brackets, may contain anything; the start time is the 22nd field, in ticks since boot.
    const ticks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    return ticks === undefined ? undefined : `${boot.trim()} ${ticks}`;
  }
  const found = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => undefined);
  const text = found?.stdout.trim();
  return text === '' ? undefined : text;
}

/** Processes with this mark in their environment. None where that cannot be seen. */
export async function markedWith(name: string, mark: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  const look = looks.get(name) ?? nextLook(name);
  return (await look).get(mark) ?? [];
}

/** Coalesced scans that have not begun, by the name of the mark: many that end at once share one. */
const looks = new Map<string, Promise<ReadonlyMap<string, readonly number[]>>>();

function nextLook(name: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const look = new Promise((resolve) => setImmediate(resolve)).then(() => {
    looks.delete(name);
    return allMarked(name);
  });
  looks.set(name, look);
  return look;
}

/** Processes by mark. */
async function allMarked(name: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, number[]>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const environment = await readFile(`/proc/${entry}/environ`, 'latin1').catch(() => '');
    for (const variable of environment.split('\0')) {
      if (!variable.startsWith(`${name}=`)) continue;
      const mark = variable.slice(name.length + 1);
      found.set(mark, [...(found.get(mark) ?? []), Number(entry)]);
    }
  }
  return found;
}
