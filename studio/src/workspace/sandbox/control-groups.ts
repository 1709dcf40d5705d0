/**
 * Control groups of programs: memory, processor time and processes of a program as a whole, bounded by the kernel at each moment. They are
 * used where this user may make them: below a group that systemd has given away, or as root where the tree can be written to. A
 * program enters its group before it begins, so nothing that it starts is outside.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, readFile, readdir, rmdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { WholeLimits } from './whole-limits.js';

const run = promisify(execFile);

/** Folder of the kernel in which groups are made, and what they bound. */
export interface GroupParent {
  readonly version: 1 | 2;
  readonly folder: string;
  readonly controllers: readonly Controller[];
}

const CONTROLLERS = ['cpu', 'memory', 'pids'] as const;
type Controller = (typeof CONTROLLERS)[number];

/** Group of one program. */
export interface ProgramGroup {
  /** Files that a process writes 0 to, to enter. */
  readonly entries: readonly string[];
  /** What the kernel has refused it, for people; undefined for nothing. */
  refused(): Promise<string | undefined>;
  /** Ends what is in it, and removes it. Answers whether that was done: nothing of the program is left then. */
  end(): Promise<boolean>;
}

const PREFIX = 'weft-';
/** Group of a host that has made way. */
const HOST = `${PREFIX}host`;
const PERIOD_US = 100_000;
/** Half a core is left to whoever works at this machine. */
const coresOf = (cores: number): number => Math.max(1, cores - 0.5);

/** Finds where groups can be made, by making one. */
export async function findGroupParents(
  mounts = '/proc/self/mountinfo',
  own = '/proc/self/cgroup',
): Promise<readonly GroupParent[]> {
  if (process.platform !== 'linux') return [];
  const [table, places] = await Promise.all([textOf(mounts), textOf(own)]);
  const found: GroupParent[] = [];
  const paths = places.split('\n').map((line) => /^(\d+):([^:]*):(.*)$/.exec(line));
  for (const mount of mountsIn(table)) {
    const isSecond = mount.type === 'cgroup2';
    const path = paths.find((one) => (isSecond ? one?.[1] === '0' : one?.[2] === mount.options))?.[3];
    if (path === undefined) continue;
    const wanted = CONTROLLERS.filter((name) => isSecond || mount.options.split(',').includes(name));
    for (const folder of placesAbove(mount.folder, path)) {
      const parent = await usable({ version: isSecond ? 2 : 1, folder, controllers: wanted });
      if (!parent) continue;
      found.push(parent);
      break;
    }
  }
  // Each is bounded once.
  const bounded = new Set<Controller>();
  return found.filter(({ controllers }) => {
    const isNew = controllers.some((name) => !bounded.has(name));
    for (const name of controllers) bounded.add(name);
    return isNew;
  });
}

let known: Promise<readonly GroupParent[]> | undefined;

/** Where groups can be made by this process, looked for once. */
export function groupParents(): Promise<readonly GroupParent[]> {
  known ??= findGroupParents();
  return known;
}

/** Makes the group of a program; undefined where it cannot be made any more. */
export async function makeGroup(
  parents: readonly GroupParent[],
  mark: string,
  limits: WholeLimits,
): Promise<ProgramGroup | undefined> {
  if (parents.length === 0) return undefined;
  const made = parents.map((parent) => ({ parent, folder: join(parent.folder, `${PREFIX}${mark}`) }));
  const end = async (): Promise<boolean> => {
    const all = await Promise.all(made.map(({ folder }) => removed(folder)));
    return all.every((isRemoved) => isRemoved);
  };
  try {
    for (const { parent, folder } of made) {
      await mkdir(folder);
      for (const [name, value] of bounds(parent, limits)) await writeFile(join(folder, name), value);
    }
  } catch {
    await end();
    return undefined;
  }
  return {
    entries: made.map(({ folder }) => join(folder, 'cgroup.procs')),
    refused: async () => {
      for (const { parent, folder } of made) {
        const why = await refusedIn(parent, folder, limits);
        if (why !== undefined) return why;
      }
      return undefined;
    },
    end,
  };
}

/** Recovery: ends what an earlier host has left in groups. */
export async function endGroups(parents: readonly GroupParent[], marks: readonly string[]): Promise<void> {
  for (const { folder } of parents) for (const mark of marks) await removed(join(folder, `${PREFIX}${mark}`));
}

/** Command line that enters a group, and becomes the program. */
export function entering(
  { entries }: Pick<ProgramGroup, 'entries'>,
  [file, argv]: readonly [file: string, argv: readonly string[]],
): readonly [file: string, argv: string[]] {
  return ['/bin/sh', ['-c', ENTER, 'weft', ...entries, '--', file, ...argv]];
}

const ENTER = 'while [ "$1" != -- ]; do echo 0 > "$1" || exit 126; shift; done; shift; exec "$@"';

/** What holds the limits of programs, for people. */
export function groupsText(parents: readonly GroupParent[]): string {
  const bounded = parents.flatMap(({ controllers }) => controllers);
  const cores = coresOf(availableParallelism());
  const what = [
    ...(bounded.includes('memory') ? ['memory'] : []),
    ...(bounded.includes('pids') ? ['processes'] : []),
    ...(bounded.includes('cpu') ? [`processor time (${cores} of ${availableParallelism()} cores)`] : []),
  ];
  return what.length === 0
    ? 'no control group may be made here, so that is looked at twice a second, and processor time goes to others first'
    : `control groups hold ${what.join(', ')} of each at every moment`;
}

function bounds({ version, controllers }: GroupParent, { memory, processes }: WholeLimits): [string, string][] {
  const quota = String(Math.round(coresOf(availableParallelism()) * PERIOD_US));
  const all: Readonly<Record<Controller, [string, string][]>> =
    version === 2
      ? {
          cpu: [['cpu.max', `${quota} ${PERIOD_US}`]],
          memory: [
            ['memory.max', String(memory)],
            // What is over is ended as a whole, and not in a part that leaves the rest waiting.
            ['memory.oom.group', '1'],
          ],
          pids: [['pids.max', String(processes)]],
        }
      : {
          cpu: [
            ['cpu.cfs_period_us', String(PERIOD_US)],
            ['cpu.cfs_quota_us', quota],
          ],
          memory: [['memory.limit_in_bytes', String(memory)]],
          pids: [['pids.max', String(processes)]],
        };
  return controllers.flatMap((name) => all[name]);
}

async function refusedIn({ version, controllers }: GroupParent, folder: string, limits: WholeLimits) {
  if (controllers.includes('memory')) {
    const said = await textOf(join(folder, version === 2 ? 'memory.events' : 'memory.oom_control'));
    if (Number(/^oom_kill (\d+)$/m.exec(said)?.[1] ?? 0) > 0)
      return `its processes held more than ${Math.round(limits.memory / 2 ** 20)} MiB of memory together`;
  }
  if (controllers.includes('pids')) {
    const said = await textOf(join(folder, 'pids.events'));
    if (Number(/^max (\d+)$/m.exec(said)?.[1] ?? 0) > 0)
      return `it was refused more than ${limits.processes} processes`;
  }
  return undefined;
}

/** A parent in which a group with its limits can be made and entered by a child of ours. */
async function usable({ version, folder, controllers }: GroupParent): Promise<GroupParent | undefined> {
  if (!(await mayWrite(folder)) || !(await mayWrite(join(folder, 'cgroup.procs')))) return undefined;
  let able = controllers;
  if (version === 2) {
    const offered = (await textOf(join(folder, 'cgroup.controllers'))).trim().split(' ');
    const wanted = controllers.filter((name) => offered.includes(name));
    const text = wanted.map((name) => `+${name}`).join(' ');
    const switched = join(folder, 'cgroup.subtree_control');
    if (text !== '')
      await writeFile(switched, text).catch(async () => {
        // A group with processes of its own gives nothing to groups below it: where they are this host's alone, they make way.
        if (await makesWay(folder)) await writeFile(switched, text).catch(() => undefined);
      });
    const given = (await textOf(switched)).trim().split(' ');
    able = wanted.filter((name) => given.includes(name));
  }
  if (able.length === 0) return undefined;
  const trial = join(folder, `${PREFIX}trial-${randomUUID()}`);
  try {
    await mkdir(trial);
    // Rights are asked up to where the tree of this host and that one meet: only trying tells.
    const [file, argv] = entering({ entries: [join(trial, 'cgroup.procs')] }, ['true', []]);
    await run(file, argv);
    return { version, folder, controllers: able };
  } catch {
    return undefined;
  } finally {
    await rmdir(trial).catch(() => undefined);
  }
}

/** Moves this host and its children to a group below that of theirs, if nobody else is in it. */
async function makesWay(folder: string): Promise<boolean> {
  const pids = (await textOf(join(folder, 'cgroup.procs')))
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
  for (const pid of pids) {
    const parent = /\) \S (\d+) /.exec(await textOf(`/proc/${pid}/stat`))?.[1];
    if (pid !== process.pid && parent !== String(process.pid)) return false;
  }
  const own = join(folder, HOST);
  try {
    await mkdir(own, { recursive: true });
    for (const pid of pids) await writeFile(join(own, 'cgroup.procs'), String(pid));
    return true;
  } catch {
    return false;
  }
}

/** Ends what is in a group, and removes it. What has just been killed takes a moment to be gone, mostly less than a millisecond. */
async function removed(folder: string): Promise<boolean> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const left = await readdir(folder).catch(() => undefined);
    if (left === undefined) return true;
    const isRemoved = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (isRemoved) return true;
    for (const pid of (await textOf(join(folder, 'cgroup.procs'))).split('\n').map(Number)) if (pid > 1) killOne(pid);
    await new Promise((resolve) => setTimeout(resolve, 2 ** attempt));
  }
  return false;
}

const MOST_ATTEMPTS = 10;

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

interface Mount {
  readonly folder: string;
  readonly type: string;
  /** Controllers of a tree of the first version. */
  readonly options: string;
}

function mountsIn(table: string): Mount[] {
  return table.split('\n').flatMap((line) => {
    const [head = '', tail = ''] = line.split(' - ');
    const [type = '', , superOptions = ''] = tail.split(' ');
    const folder = (head.split(' ')[4] ?? '').replaceAll(/\\(\d{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    if (type !== 'cgroup' && type !== 'cgroup2') return [];
    return [
      {
        folder,
        type,
        options: superOptions
          .split(',')
          .filter((one) => one !== 'rw' && one !== 'ro')
          .join(','),
      },
    ];
  });
}

/** Groups in which further ones may be made, from that of a host upwards. Where a host has made way, its groups lie beside it, also those of the next. */
export function placesAbove(mount: string, path: string): string[] {
  const all = [join(mount, path).replace(/(.)\/$/, '$1')];
  while (all.at(-1) !== mount && all.at(-1)!.startsWith(`${mount}/`)) all.push(dirname(all.at(-1)!));
  return all.filter((one) => basename(one) !== HOST);
}

async function mayWrite(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
