/**
 * Process groups with crash recovery. A group is noted on disk before it begins, so that the host after a crash finds what was
 * left running. It is identified by its start time or its mark, because process numbers are reused.
 */
import { type ChildProcessWithoutNullStreams, type StdioOptions, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { refusal } from '../../reasons.js';
import { privateGitOf } from '../private-git/private-gits.js';
import { inFolder } from '../files/no-links.js';
import { markedWith, startOf } from './process-identity.js';
import { MARK, environmentOf } from './run-environment.js';
import { tellToYield, yielding } from './yielding.js';
import { type WholeLimits, WHOLE_LIMITS, watched } from '../sandbox/whole-limits.js';
import { type GroupParent, type ProgramGroup, endGroups, entering, makeGroup } from '../sandbox/control-groups.js';
import { CACHES, HOME, OF_HOME } from '../sandbox/caches.js';
import { homeOfUser } from '../files/home.js';
import { javaVariables, toolchainVariables } from '../sandbox/found-inside.js';
import type { Network } from '../sandbox/bubblewrap.js';
import { type Confinement, confined } from '../sandbox/confinement.js';
import { DOOR_PORT } from '../egress/bridge.js';
import type { Egress, EgressWanted, OwnServers, WayOut } from '../egress/egress.js';
import { removeTree } from '../files/remove-tree.js';

const GRACE_MS = 2_000;
const UNCONFINED = { kind: 'unconfined' } as const;

const Note = z.object({ mark: z.string(), pid: z.number().optional(), started: z.string().optional() });
type Note = z.infer<typeof Note>;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it was stopped by us. */
  readonly stopped: boolean;
}

export interface Group {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  /** Resolves when nothing of it is left. */
  readonly gone: Promise<Exit>;
  /** Stops the group; `graceMs` is its grace period. */
  stop(graceMs?: number): Promise<void>;
}

interface Begun {
  readonly group: Group;
  /** Resolves when it is noted on disk. */
  readonly noted: Promise<void>;
}

export interface Wanted {
  /** Folder that it may write to. */
  readonly folder: string;
  /** Folder below that, where it begins; no link leads there. Default: the folder itself. */
  readonly below?: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Further folders that it may write to. */
  readonly also?: readonly string[];
  /** Further files that it sees. */
  readonly readable?: readonly string[];
  /** Network of this very program. Default: that of all. */
  readonly network?: Network;
  /** Whose it is, and who hears what it is refused, where its network is a list of servers. */
  readonly egress?: Pick<EgressWanted, 'repositoryId' | 'tell'> & { readonly own?: Omit<OwnServers, 'isAll'> };
  /** Whose caches of package managers it uses, such as a repository's id. Default: none are kept. */
  readonly caches?: string;
  /** Whether it is a program of the studio's own, which runs nothing of the folder: it may run where nothing confines it. */
  readonly isOwn?: boolean;
  /** Attaches readers of its output; unread output is lost when it ends. */
  readonly hear: (child: ChildProcessWithoutNullStreams) => void;
}

export interface ProcessOptions {
  readonly graceMs?: number;
  /** Confinement. Default: none; programs can do what the host's user can do. */
  readonly confinement?: Confinement;
  /** Network by a list of servers. Default: none. */
  readonly egress?: Egress | undefined;
  /** Limits of a program as a whole. */
  readonly whole?: WholeLimits;
  /** Where control groups of programs are made. Default: nowhere. */
  readonly groups?: readonly GroupParent[];
}

export class NodeProcesses {
  readonly #notes: string;
  readonly #passing: string;
  readonly #caches: string;
  readonly #options: ProcessOptions;
  readonly #groups = new Set<Group>();
  /** Ways out by the marks of programs that run. */
  readonly #waysOut = new Map<string, WayOut>();
  /** Control groups by the marks of programs that run. */
  readonly #bounded = new Map<string, ProgramGroup>();
  #closed = false;

  constructor(folder: string, options: ProcessOptions = {}) {
    this.#notes = join(folder, 'runs');
    this.#passing = join(folder, 'runs-tmp');
    this.#caches = join(folder, 'caches');
    this.#options = options;
  }

  /** Recovery: ends groups that an earlier host left running. Answers how many. */
  async recover(): Promise<number> {
    await mkdir(this.#notes, { recursive: true, mode: 0o700 });
    let ended = 0;
    for (const name of await readdir(this.#notes)) {
      const path = join(this.#notes, name);
      const note = Note.safeParse(parsed(await readFile(path, 'utf8'))).data;
      if (note && (await this.#reap(note))) ended += 1;
      await rm(path, { force: true });
    }
    await removeTree(this.#passing);
    await mkdir(this.#passing, { recursive: true, mode: 0o700 });
    return ended;
  }

  async start({
    folder,
    below = '',
    program,
    args,
    environment = {},
    also,
    readable,
    network: wantedNetwork,
    egress,
    caches: whose,
    isOwn = false,
    hear,
  }: Wanted): Promise<Group> {
    const { confinement: given = UNCONFINED } = this.#options;
    const confinement = isOwn && given.kind === 'missing' ? UNCONFINED : given;
    if (confinement.kind === 'missing') throw refusal('reject.not_confined', confinement.why);
    const usualNetwork = networkOf(confinement);
    const isListed = egress?.own !== undefined && usualNetwork !== undefined && usualNetwork !== 'on';
    if (isListed && confinement.kind === 'bubblewrap' && confinement.sandbox.bridge === undefined)
      throw refusal(
        'reject.not_confined',
        'its way to its model needs Perl, which does not run in the sandbox: install it, or start the studio with --sandbox network',
      );
    const network = isListed ? 'listed' : wantedNetwork;
    const own = egress?.own && { ...egress.own, isAll: usualNetwork === 'off' };
    const mark = randomBytes(16).toString('hex');
    const passing = join(this.#passing, mark);
    await mkdir(passing, { recursive: true });
    await this.#note({ mark });
    const caches = whose === undefined ? undefined : await this.#cachesOf(whose);
    // What runs nothing of the folder asks no git of it.
    const git = isOwn ? undefined : await privateGitOf(folder);
    const wayOut = await this.#wayOut(confinement, network, { ...egress, own, mark, folder });
    const usual = environmentOf(process.env, { folder, mark, passing }, environment);
    const env = confinedEnvironment(confinement, usual, wayOut);
    const command = confined(confinement, {
      folder,
      below,
      passing,
      also,
      readable,
      git,
      network,
      wayOut,
      caches,
      program,
      args,
    });
    // Where nothing confines a program, it is begun as it is named: that there is none of that name is seen at once.
    const isBounded = !isOwn && confinement.kind === 'bubblewrap';
    const bounded = !isBounded ? undefined : await makeGroup(this.#options.groups ?? [], mark, this.#whole);
    if (bounded) this.#bounded.set(mark, bounded);
    const entered = bounded ? entering(bounded, command) : command;
    const filter = await filterOf(confinement);
    const stdio: StdioOptions = ['pipe', 'pipe', 'pipe', ...(filter ? [filter.fd] : [])];
    const begin = async (cwd: string): Promise<Begun> => {
      const begins = isOwn ? entered : await yielding(entered, { path: env['PATH'] ?? '', cwd });
      const [file, argv] = begins;
      if (this.#closed) throw refusal('reject.stopping', 'the host is shutting down');
      // Its first three are pipes, which is what the type says.
      const child = spawn(file, argv, {
        cwd,
        env,
        stdio,
        detached: process.platform !== 'win32',
      }) as ChildProcessWithoutNullStreams;
      child.stdin.on('error', () => undefined);
      if (!isOwn) tellToYield(begins, child.pid);
      hear(child);
      return this.#begun(mark, child, egress?.tell);
    };
    // All is heard from the first moment on: a short program ends before this is awaited.
    const begun = await inFolder(folder, below, begin)
      .catch(async (error: unknown) => {
        await this.#forget(mark);
        throw error;
      })
      .finally(() => filter?.close());
    if (!begun) {
      await this.#forget(mark);
      throw refusal('reject.program_not_started', `there is no folder ${below === '' ? folder : below}`, { program });
    }
    const { group, noted } = begun;
    if (!isOwn) this.#watch(group, folder, egress?.tell);
    await noted;
    if (group.child.pid !== undefined) return group;
    await group.gone;
    throw refusal('reject.program_not_started', `${program} could not be started`, { program });
  }

  get #whole(): WholeLimits {
    return this.#options.whole ?? WHOLE_LIMITS;
  }

  /** Whether programs are kept from the rest of the machine. */
  get isConfined(): boolean {
    const { kind } = this.#options.confinement ?? UNCONFINED;
    return kind === 'bubblewrap' || kind === 'seatbelt';
  }

  /** Address of a server of this machine, as a program that has it as its own finds it. */
  found(address: string): string {
    const { confinement = UNCONFINED } = this.#options;
    if (confinement.kind !== 'bubblewrap' || confinement.sandbox.network === 'on') return address;
    const url = new URL(address);
    return `http://127.0.0.1:${DOOR_PORT}${url.pathname}`;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#groups].map((group) => group.stop()));
  }

  /** Ends a program that is over its limits as a whole, and says so in what it has written. */
  #watch({ pid, child, gone }: Group, folder: string, tell: ((line: string) => void) | undefined): void {
    if (pid === 0) return;
    const { stop } = watched(pid, folder, this.#whole, (why) => {
      tell?.(`weft: the program was ended: ${why}\n`);
      kill(child.pid, 'SIGKILL');
    });
    void gone.then(stop);
  }

  /** Way of a program to the servers of a list; undefined where its network is another. */
  async #wayOut(
    confinement: Confinement,
    network: Network | undefined,
    wanted: EgressWanted,
  ): Promise<WayOut | undefined> {
    const usual = networkOf(confinement);
    if (usual === undefined || (network ?? usual) !== 'listed') return undefined;
    const wayOut = await this.#options.egress?.wayOut(wanted);
    if (wayOut) this.#waysOut.set(wanted.mark, wayOut);
    return wayOut;
  }

  /** Root of the caches that one repository's programs share. */
  async #cachesOf(whose: string): Promise<string> {
    const root = join(this.#caches, createHash('sha256').update(whose).digest('hex').slice(0, 32));
    for (const name of CACHES) await mkdir(join(root, name), { recursive: true, mode: 0o700 });
    return root;
  }

  /** Group of a program that has just begun. */
  #begun(mark: string, child: ChildProcessWithoutNullStreams, tell: ((line: string) => void) | undefined): Begun {
    const noted = this.#noteBegun(mark, child);
    let swept = Promise.resolve();
    let stopped = false;
    child.once('exit', () => {
      // Its leftovers end with it, and free ports and pipes.
      kill(child.pid, 'SIGKILL');
      swept = this.#sweep(mark, tell);
    });
    // Readers attach before the note is written: a short program ends sooner.
    const gone = closed(child).then(async (exit) => {
      await Promise.all([noted, swept]);
      await this.#forget(mark);
      return { ...exit, stopped };
    });
    const group: Group = {
      child,
      pid: child.pid ?? 0,
      gone,
      stop: async (graceMs = this.#options.graceMs ?? GRACE_MS) => {
        if (child.exitCode === null && child.signalCode === null) {
          stopped = true;
          kill(child.pid, 'SIGTERM');
        }
        const timer = setTimeout(() => {
          kill(child.pid, 'SIGKILL');
          void endMarked(mark);
        }, graceMs);
        await gone;
        clearTimeout(timer);
      },
    };
    // Registered at once, so that closing the host ends it too.
    this.#groups.add(group);
    void gone.then(() => this.#groups.delete(group));
    return { group, noted };
  }

  /** Ends what a program has left behind, and says what its control group has refused it. */
  async #sweep(mark: string, tell: ((line: string) => void) | undefined): Promise<void> {
    const bounded = this.#bounded.get(mark);
    const why = await bounded?.refused();
    if (why !== undefined) tell?.(`weft: the program was over a limit: ${why}\n`);
    // A group that could be removed held nothing any more: only without one are all processes of the machine looked at.
    if (bounded && (await bounded.end())) this.#bounded.delete(mark);
    else await endMarked(mark);
  }

  async #reap({ mark, pid, started }: Note): Promise<boolean> {
    const isOurs = pid !== undefined && started !== undefined && (await startOf(pid)) === started;
    if (isOurs) kill(pid, 'SIGKILL');
    const ended = await endMarked(mark);
    await endGroups(this.#options.groups ?? [], [mark]);
    return ended > 0 || isOurs;
  }

  async #noteBegun(mark: string, child: ChildProcessWithoutNullStreams): Promise<void> {
    // A failed start shows as a missing process number.
    child.on('error', () => undefined);
    const started = child.pid === undefined ? undefined : await startOf(child.pid);
    if (child.pid !== undefined && started !== undefined) await this.#note({ mark, pid: child.pid, started });
  }

  async #note(note: Note): Promise<void> {
    await writeFile(join(this.#notes, `${note.mark}.json`), JSON.stringify(note), { mode: 0o600 });
  }

  async #forget(mark: string): Promise<void> {
    await this.#bounded.get(mark)?.end();
    this.#bounded.delete(mark);
    this.#waysOut.get(mark)?.close();
    this.#waysOut.delete(mark);
    await rm(join(this.#notes, `${mark}.json`), { force: true });
    // The next start removes what cannot be removed now.
    await removeTree(join(this.#passing, mark)).catch(() => undefined);
  }
}

/** Filter of system calls, open at its beginning: it is read once. */
async function filterOf(confinement: Confinement): Promise<FileHandle | undefined> {
  if (confinement.kind !== 'bubblewrap' || confinement.sandbox.filter === undefined) return undefined;
  return open(confinement.sandbox.filter);
}

/** Network of confined programs; undefined where nothing confines them. */
function networkOf(confinement: Confinement): Network | undefined {
  const { kind } = confinement;
  return kind === 'bubblewrap' || kind === 'seatbelt' ? confinement.sandbox.network : undefined;
}

/** Exit of a child, also of one that could not be started. */
function closed(child: ChildProcessWithoutNullStreams): Promise<Omit<Exit, 'stopped'>> {
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
}

/** Ends processes that have left their group. New ones are found in the next round. */
async function endMarked(mark: string): Promise<number> {
  let ended = 0;
  for (let round = 0; round < 10; round++) {
    const found = await markedWith(MARK, mark);
    if (found.length === 0) break;
    for (const pid of found) {
      if (killOne(pid)) ended += 1;
    }
  }
  return ended;
}

/** Environment inside: a home of its own, nothing that names this user's, and the way to the servers of a list. */
function confinedEnvironment(
  confinement: Confinement,
  environment: Record<string, string>,
  wayOut: WayOut | undefined,
): Record<string, string> {
  if (confinement.kind === 'unconfined') return environment;
  const left = Object.entries(environment).filter(([name]) => !OF_HOME.includes(name));
  if (confinement.kind !== 'bubblewrap') return { ...Object.fromEntries(left), HOME, ...wayOut?.environment };
  const found = { ...javaVariables([]), ...toolchainVariables(confinement.sandbox.seen, homeOfUser()) };
  return { ...found, ...Object.fromEntries(left), HOME, ...wayOut?.environment };
}

function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  // 0 is our own group.
  if (pid === undefined || pid <= 1) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // The group is gone.
  }
}

function killOne(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Incomplete note: the program had not begun.
    return undefined;
  }
}
