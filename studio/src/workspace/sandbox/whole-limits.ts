/**
 * Limits of a program as a whole: memory of all its processes together, how many they are, and what it leaves of the disk. A limit of the
 * kernel holds for each process, and the number of processes not for root; control groups are not ours to make on most machines.
 * So they are looked at twice a second, and what is over a limit is ended. Linux alone tells what is needed.
 */
import { readFile, readdir, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';

export interface WholeLimits {
  /** Bytes that its processes hold, each for itself. */
  readonly memory: number;
  readonly processes: number;
  /** Seconds of a processor that all of them may take, those that have ended too. */
  readonly cpuSeconds: number;
  /** Bytes that it leaves free on the disk of its folder. */
  readonly leastFree: number;
  readonly everyMs: number;
}

/** Three quarters of the memory of this machine, 8 GiB at most; a thousand processes; four hours of a processor. */
export const WHOLE_LIMITS: WholeLimits = {
  memory: Math.min(8 * 2 ** 30, Math.floor(totalmem() * 0.75)),
  processes: 1024,
  cpuSeconds: 4 * 3600,
  leastFree: 256 * 2 ** 20,
  everyMs: 500,
};

/** Bytes by which a disk has to have shrunk for a program to be the one that fills it. */
const TAKEN = 64 * 2 ** 20;
const PAGE = 4096;
/** Unit in which /proc tells processor time, on all machines that Node runs on. */
const TICKS_PER_SECOND = 100;

export function wholeLimitsText({ memory, processes, cpuSeconds, leastFree }: WholeLimits): string {
  return `each program as a whole is ended at ${sizeOf(memory)} of memory, ${processes} processes, ${hoursOf(cpuSeconds)} of a processor, or ${sizeOf(leastFree)} left of the disk`;
}

/** Looks at a program until it is told to stop, and says once why it is to end. */
export function watched(
  pid: number,
  folder: string,
  limits: WholeLimits,
  onOver: (why: string) => void,
): { readonly stop: () => void } {
  if (process.platform !== 'linux') return { stop: () => undefined };
  let isOver = false;
  let freeBefore: number | undefined;
  const look = async (): Promise<string | undefined> => {
    const found = await processesBelow(pid, limits.processes);
    if (found.length > limits.processes) return `it had more than ${limits.processes} processes`;
    let held = 0;
    for (const one of found) held += await heldBy(one);
    let seconds = 0;
    for (const one of found) seconds += await secondsOf(one);
    if (seconds > limits.cpuSeconds) return `it had taken more than ${hoursOf(limits.cpuSeconds)} of a processor`;
    if (held > limits.memory) return `its processes held more than ${sizeOf(limits.memory)} of memory together`;
    const free = await freeAt(folder);
    freeBefore ??= free;
    if (free !== undefined && freeBefore !== undefined && free < limits.leastFree && freeBefore - free > TAKEN)
      return `it left less than ${sizeOf(limits.leastFree)} of the disk`;
    return undefined;
  };
  let timer: NodeJS.Timeout | undefined;
  const next = (): void => {
    timer = setTimeout(() => {
      void look().then((why) => {
        if (isOver) return;
        if (why === undefined) return next();
        isOver = true;
        onOver(why);
      });
    }, limits.everyMs);
    timer.unref();
  };
  void freeAt(folder).then((free) => {
    freeBefore ??= free;
  });
  next();
  return {
    stop: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** A process and all that it has begun, as far as they are no more than one above the most. */
async function processesBelow(pid: number, most: number): Promise<number[]> {
  const found = [pid];
  for (let at = 0; at < found.length && found.length <= most; at++) {
    const threads = await readdir(`/proc/${found[at]}/task`).catch(() => []);
    for (const thread of threads) {
      const children = await textOf(`/proc/${found[at]}/task/${thread}/children`);
      found.push(
        ...children
          .split(' ')
          .map(Number)
          .filter((one) => one > 0),
      );
      if (found.length > most) break;
    }
  }
  return found;
}

/** Bytes that a process holds, without files and what it shares. */
async function heldBy(pid: number): Promise<number> {
  const [, resident = 0, shared = 0] = (await textOf(`/proc/${pid}/statm`)).split(' ').map(Number);
  return Math.max(0, resident - shared) * PAGE;
}

/** Seconds of a processor that a process has taken, with its children that have ended. */
async function secondsOf(pid: number): Promise<number> {
  const stat = await textOf(`/proc/${pid}/stat`);
  // The name, in brackets, may contain anything; the times are the 14th to the 17th field.
  const times = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  return times.reduce((all, ticks) => all + Number(ticks), 0) / TICKS_PER_SECOND;
}

async function freeAt(folder: string): Promise<number | undefined> {
  const found = await statfs(folder).catch(() => undefined);
  return found && found.bavail * found.bsize;
}

/** Text of a file of /proc; empty for one of a process that has ended. */
function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

function hoursOf(seconds: number): string {
  return seconds >= 3600 ? `${Math.round((seconds / 3600) * 10) / 10} hours` : `${seconds} seconds`;
}

function sizeOf(bytes: number): string {
  return bytes >= 2 ** 30 ? `${Math.round((bytes / 2 ** 30) * 10) / 10} GiB` : `${Math.round(bytes / 2 ** 20)} MiB`;
}
