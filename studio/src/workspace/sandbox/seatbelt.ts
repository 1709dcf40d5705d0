/**
 * Seatbelt profile of programs, for macOS: the same list as for bubblewrap, as text for `sandbox-exec -p`. What is not named is
 * denied. Its home is a folder of its own, since nothing is mounted here.
 */
import type { Inside, Network } from './bubblewrap.js';

export interface Seatbelt {
  readonly seen: readonly string[];
  readonly network: Network;
}

/** What every program of macOS needs in order to start. */
const BASE = [
  '(version 1)',
  '(deny default)',
  '(allow process-fork)',
  '(allow process-exec)',
  '(allow signal (target same-sandbox))',
  '(allow process-info* (target same-sandbox))',
  '(allow sysctl-read)',
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
  '(allow mach-lookup (global-name "com.apple.trustd.agent"))',
  '(allow mach-lookup (global-name "com.apple.SystemConfiguration.configd"))',
  '(allow file-read-metadata)',
  '(allow file-read* (literal "/") (subpath "/System") (subpath "/Library/Apple") (subpath "/private/var/db/dyld"))',
  '(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
  '(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))',
];

export function seatbeltProfile(
  { seen, network: usual }: Seatbelt,
  {
    folder,
    passing,
    also = [],
    readable = [],
    git,
    network = usual,
    caches,
  }: Pick<Inside, 'folder' | 'passing' | 'also' | 'readable' | 'git' | 'network' | 'caches'>,
): string {
  const written = [
    folder,
    passing,
    ...also,
    ...(git === undefined ? [] : [git.repository]),
    ...(caches === undefined ? [] : [caches]),
  ];
  return [
    ...BASE,
    `(allow file-read* ${[...seen, ...readable, ...(git === undefined ? [] : [git.objects])].map(subpath).join(' ')})`,
    `(allow file-read* file-write* ${written.map(subpath).join(' ')})`,
    ...(network === 'on' ? ['(allow network*)'] : ['(allow network* (local ip "localhost:*"))']),
    // Named last, which is what counts: not even in its own folder.
    ...written.map((path) => `(deny file-write* ${literal(`${path}/.git/hooks`)} ${literal(`${path}/.git/config`)})`),
  ].join('\n');
}

function subpath(path: string): string {
  return `(subpath ${quoted(path)})`;
}

function literal(path: string): string {
  return `(literal ${quoted(path)})`;
}

/** Text of the profile language: what would end it is escaped. */
function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
