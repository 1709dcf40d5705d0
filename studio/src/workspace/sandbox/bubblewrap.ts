/**
 * Bubblewrap profile of programs, as arguments: a list of what is seen, and nothing else of the machine. Written to are the folder
 * of the branch, a folder for temporary files, and caches of package managers; the home is empty but for those. Pure: the same
 * machine gives the same arguments.
 */
import { join } from 'node:path';
import { bridged, socketInside } from '../egress/bridge.js';
import type { WayOut } from '../egress/egress.js';
import { CACHES, HOME } from './caches.js';

/** Where a program finds the private repository of its folder, and the objects that this borrows. */
export const GIT_INSIDE = '/weft-git';
export const OBJECTS_INSIDE = '/weft-git-objects';

/** Network of a program: none, servers of a list, or that of this machine. */
export type Network = 'off' | 'listed' | 'on';

/** What this machine has for confining programs. */
export interface Sandbox {
  /** Path of bubblewrap. */
  readonly program: string;
  /** Command that limits each process, with its limits; undefined where prlimit is missing. */
  readonly limiter?: readonly string[] | undefined;
  /** Path of Perl, which begins programs, and bridges to the servers of a list; undefined where it is missing. */
  readonly bridge?: string | undefined;
  /** File of the filter of system calls; undefined where it does not work. */
  readonly filter?: string | undefined;
  /** Links at the root of a merged system, such as /bin, and where they lead. */
  readonly links: readonly (readonly [link: string, target: string])[];
  /** Folders and files that are seen, read-only. */
  readonly seen: readonly string[];
  readonly network: Network;
}

export interface Inside {
  readonly folder: string;
  /** Folder below that, where the program begins. */
  readonly below: string;
  readonly passing: string;
  /** Further folders that it writes to, such as one that an agent program keeps its session in. */
  readonly also?: readonly string[] | undefined;
  /** Private repository of the folder, and the objects that it borrows, which are only read. */
  readonly git?: { readonly repository: string; readonly objects: string } | undefined;
  /** Network of this very program. Default: that of all. */
  readonly network?: Network | undefined;
  /** Way to the servers of a list. Without one that network is none. */
  readonly wayOut?: Pick<WayOut, 'ways' | 'settings'> | undefined;
  /** Root of the kept caches; undefined keeps none. */
  readonly caches?: string | undefined;
  /** Further files that it sees, such as the program itself. */
  readonly readable?: readonly string[] | undefined;
  readonly program: string;
  readonly args: readonly string[];
}

/** Descriptor at which bubblewrap reads the filter of system calls. */
const FILTER_AT = 3;

const ALONE = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'weft'],
];

/** Folders in memory, which no limit of a process counts, with the bytes that fit in each. */
const IN_MEMORY: Readonly<Record<string, number>> = {
  '/tmp': 2 ** 31,
  '/var/tmp': 2 ** 30,
  '/dev/shm': 2 ** 30,
  '/run': 2 ** 24,
  [HOME]: 2 ** 30,
};

export function inSandbox(
  { program: bwrap, limiter, bridge, filter, links, seen, network: usual }: Sandbox,
  { folder, below, passing, also = [], readable = [], git, network = usual, wayOut, caches, program, args }: Inside,
): readonly [file: string, argv: string[]] {
  const limits = limiter === undefined ? [] : [...limiter, '--'];
  const kept = caches === undefined ? [] : CACHES.flatMap((name) => ['--bind', join(caches, name), join(HOME, name)]);
  const out = network === 'listed' && bridge !== undefined ? wayOut : undefined;
  const ways = out?.ways.map(({ port, socket }) => ({ port, from: socket, socket: socketInside(String(port)) })) ?? [];
  const begun = bridge === undefined ? [program, ...args] : bridged(bridge, ways, [program, ...args]);
  return [
    bwrap,
    [
      ...ALONE,
      ...(filter === undefined ? [] : ['--seccomp', String(FILTER_AT)]),
      ...(network === 'on' ? [] : ['--unshare-net']),
      ...links.flatMap(([link, target]) => ['--symlink', target, link]),
      // Settings of the kernel ask whose user it is, and no rights: a studio that runs as root would give them away.
      ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', '--dev', '/dev'],
      ...Object.entries(IN_MEMORY).flatMap(([path, bytes]) => ['--size', String(bytes), '--tmpfs', path]),
      ...kept,
      // After the empty folders, which some of these lie in.
      ...seenWith(seen, [program, ...args]).flatMap((path) => ['--ro-bind-try', path, path]),
      ...[folder, passing, ...also].flatMap((path) => ['--bind', path, path]),
      ...(git === undefined ? [] : ['--bind', git.repository, GIT_INSIDE, '--ro-bind', git.objects, OBJECTS_INSIDE]),
      ...readable.flatMap((path) => ['--ro-bind', path, path]),
      ...ways.flatMap(({ from, socket }) => ['--ro-bind', from, socket]),
      ...(out?.settings.flatMap(({ from, path }) => ['--ro-bind', from, join(HOME, path)]) ?? []),
      // What bubblewrap makes these of is memory, too, and without a bound.
      ...['--remount-ro', '/dev', '--remount-ro', '/'],
      // The whole folder is mounted and nothing below it: a link in there is followed in here, where it leads nowhere.
      ...['--chdir', join(folder, below), '--', ...limits, ...begun],
    ],
  ];
}

/** What is seen by this very program: also the package that it comes from, where it lies in none of the folders. */
function seenWith(seen: readonly string[], command: readonly string[]): string[] {
  const packages = command.flatMap((word) => /^(\/.*?\/node_modules)\//.exec(word)?.[1] ?? []);
  return [...new Set([...seen, ...packages])];
}
