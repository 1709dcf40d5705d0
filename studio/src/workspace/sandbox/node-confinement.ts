/** Detection of what confines programs on this machine, tried once at start, and the word of a person where nothing does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { access, chmod, lstat, mkdir, open, readFile, readlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { homeOfUser } from '../files/home.js';
import type { Network, Sandbox } from './bubblewrap.js';
import { PROXY_PORT } from '../egress/bridge.js';
import { inSandbox } from './bubblewrap.js';
import type { Confinement } from './confinement.js';
import { processLimits } from './process-limits.js';
import { seenOn } from './seen.js';
import { isFilteredMachine, systemCallFilter } from './system-calls.js';

export interface ConfinementOptions {
  /** Whether a person has said that programs may run as the user of the host. */
  readonly unconfined?: boolean;
  /** Network of confined programs. Default: the servers of a list, where the machine can. */
  readonly network?: Network;
  /** Folders that bubblewrap is looked for in. Default: those of PATH. */
  readonly path?: string;
}

const MERGED = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Finds what confines programs. `folder` is the studio's own, where the word of a person is kept. */
export async function findConfinement(
  folder: string,
  { unconfined = false, network = 'listed', path = process.env['PATH'] ?? '' }: ConfinementOptions = {},
): Promise<Confinement> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // A folder that others made, or that was there before this was kept, counts too.
  await chmod(folder, 0o700);
  const said = join(folder, 'unconfined');
  if (unconfined) {
    await writeFile(said, 'A person has said that programs of agents may run unconfined on this machine.\n', {
      mode: 0o600,
    });
    return { kind: 'unconfined' };
  }
  const seen = seenOn({ environment: process.env, home: homeOfUser(), node: process.execPath });
  if (process.platform === 'darwin') return { kind: 'seatbelt', sandbox: { seen, network } };
  const found = await bubblewrapHere(folder, path, seen, network).catch((error: unknown) => whyNot(error));
  if (typeof found !== 'string') return { kind: 'bubblewrap', sandbox: found };
  // Asked once: where nothing confines them, what was said before holds.
  const isSaid = await readFile(said).catch(() => undefined);
  return isSaid ? { kind: 'unconfined' } : { kind: 'missing', why: found };
}

async function bubblewrapHere(own: string, path: string, seen: readonly string[], network: Network): Promise<Sandbox> {
  const program = await programNamed('bwrap', path);
  if (program === undefined) throw new Error('bubblewrap (bwrap) is not installed');
  const links: (readonly [string, string])[] = [];
  for (const path of MERGED)
    if ((await lstat(path).catch(() => undefined))?.isSymbolicLink()) links.push([path, await readlink(path)]);
  const merged = links.map(([link]) => link);
  const prlimit = await programNamed('prlimit', path);
  const held = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const sandbox: Sandbox = {
    program,
    ...(prlimit === undefined ? {} : { limiter: [prlimit, ...processLimits(held)] }),
    links,
    seen: await outermost(seen.filter((path) => !merged.includes(path))),
    network,
  };
  await tried(sandbox, own);
  return bridging(await filtering(sandbox, own), own);
}

/** With the filter of system calls, where this machine and its kernel take it. */
async function filtering(sandbox: Sandbox, own: string): Promise<Sandbox> {
  if (!isFilteredMachine(process.arch)) return sandbox;
  const filter = join(own, 'system-calls.bpf');
  await writeFile(filter, systemCallFilter(process.arch), { mode: 0o600 });
  const filtered = { ...sandbox, filter };
  return tried(filtered, own).then(
    () => filtered,
    () => sandbox,
  );
}

async function bridging(sandbox: Sandbox, own: string): Promise<Sandbox> {
  const perl = await programNamed('perl', '/usr/bin:/usr/local/bin:/bin');
  if (perl === undefined) return sandbox;
  const bridge = { ...sandbox, bridge: perl };
  // Where it does not work, programs have no network, and it is said.
  return tried(bridge, own).then(
    () => bridge,
    () => sandbox,
  );
}

/** Those that are there and lie in none of the others: each is a mount, which takes its time at every start of a program. */
async function outermost(paths: readonly string[]): Promise<string[]> {
  const there: string[] = [];
  for (const path of paths) if (await isThere(path)) there.push(path);
  return there.filter((path) => !there.some((other) => path.startsWith(`${other}/`)));
}

/** Self-test: a program runs in it, writes to its folder, and does not see what lies beside that. */
async function tried(sandbox: Sandbox, own: string): Promise<void> {
  const folder = join(own, 'confinement-trial');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(own, 'confinement-secret'), 'not seen\n', { mode: 0o600 });
  const args = ['-c', 'test ! -e ../confinement-secret && test -d /proc/self && echo > written'];
  const wayOut = { ways: [{ port: PROXY_PORT, socket: '/dev/null' }], settings: [] };
  const [file, argv] = inSandbox(sandbox, { folder, below: '', passing: folder, wayOut, program: '/bin/sh', args });
  const filter = sandbox.filter === undefined ? undefined : await open(sandbox.filter);
  try {
    const stdio = ['ignore', 'ignore', 'pipe', ...(filter ? [filter.fd] : [])] as const;
    await ended(spawn(file, argv, { timeout: TRIAL_MS, cwd: '/', stdio: [...stdio] }));
  } finally {
    await filter?.close();
  }
}

const TRIAL_MS = 20_000;

function ended(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    said = (said + bytes.toString('utf8')).slice(0, 4096);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(Object.assign(new Error('it failed'), { stderr: said }));
    });
  });
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function whyNot(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const said = 'stderr' in error ? String(error.stderr).trim().split('\n')[0] : undefined;
  if (said === '') return 'bubblewrap does not confine here';
  return said !== undefined ? `bubblewrap may not be used here (${said})` : error.message.split('\n')[0]!;
}

async function programNamed(name: string, where: string): Promise<string | undefined> {
  for (const folder of where.split(delimiter)) {
    const path = join(folder, name);
    if (folder.startsWith('/') && (await isThere(path))) return path;
  }
  return undefined;
}
