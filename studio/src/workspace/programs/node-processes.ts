/**
 * Process groups. A group is noted on disk before it begins, so that a host that comes after a crash finds what the one before
 * left running. It is found by what identifies it for certain, its start time or its mark: a number alone may be a stranger's by then.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { refusal } from '../../reasons.js';
import { markedWith, startOf } from './process-identity.js';
import { MARK, environmentOf } from './run-environment.js';
import { type Sandbox, inSandbox } from './sandbox.js';

const GRACE_MS = 2_000;

const Note = z.object({ mark: z.string(), pid: z.number().optional(), started: z.string().optional() });
type Note = z.infer<typeof Note>;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it was asked to end before it did. */
  readonly stopped: boolean;
}

export interface Group {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  /** When nothing of it is left. */
  readonly gone: Promise<Exit>;
  /** `graceMs` is how long it may take to end by itself. */
  stop(graceMs?: number): Promise<void>;
}

export interface Wanted {
  readonly folder: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Begins to read what it writes; what nobody reads is lost when it ends. */
  readonly hear: (child: ChildProcessWithoutNullStreams) => void;
}

export interface ProcessOptions {
  readonly graceMs?: number;
  /** Default: none. Programs can do what the user of the host can do. */
  readonly sandbox?: Sandbox;
}

export class NodeProcesses {
  readonly #notes: string;
  readonly #passing: string;
  readonly #options: ProcessOptions;
  readonly #groups = new Set<Group>();
  #closed = false;

  constructor(folder: string, options: ProcessOptions = {}) {
    this.#notes = join(folder, 'runs');
    this.#passing = join(folder, 'runs-tmp');
    this.#options = options;
  }

  /** Ends what an earlier host has left running. Answers how many groups that were. */
  async recover(): Promise<number> {
    await mkdir(this.#notes, { recursive: true, mode: 0o700 });
    let ended = 0;
    for (const name of await readdir(this.#notes)) {
      const path = join(this.#notes, name);
      const note = Note.safeParse(parsed(await readFile(path, 'utf8'))).data;
      if (note && (await this.#reap(note))) ended += 1;
      await rm(path, { force: true });
    }
    await rm(this.#passing, { recursive: true, force: true });
    await mkdir(this.#passing, { recursive: true, mode: 0o700 });
    return ended;
  }

  async start({ folder, program, args, environment = {}, hear }: Wanted): Promise<Group> {
    const mark = randomBytes(16).toString('hex');
    const passing = join(this.#passing, mark);
    await mkdir(passing, { recursive: true });
    await this.#note({ mark });
    if (this.#closed) {
      await this.#forget(mark);
      throw refusal('reject.stopping', 'the host is shutting down');
    }
    const env = environmentOf(process.env, { folder, mark, passing }, environment);
    const [file, argv] = inSandbox(this.#options.sandbox, { folder, passing, program, args });
    const child = spawn(file, argv, { cwd: folder, env, stdio: 'pipe', detached: process.platform !== 'win32' });
    child.stdin.on('error', () => undefined);
    hear(child);
    const noted = this.#noteBegun(mark, child);
    let swept = Promise.resolve(0);
    let stopped = false;
    child.once('exit', () => {
      // What it has left behind ends with it, and frees its ports and our pipes.
      kill(child.pid, 'SIGKILL');
      swept = endMarked(mark);
    });
    // Heard from here on: a short program ends before it is noted.
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
    // At once, so that whoever closes the host ends it too.
    this.#groups.add(group);
    void gone.then(() => this.#groups.delete(group));
    await noted;
    if (child.pid !== undefined) return group;
    await gone;
    throw refusal('reject.program_not_started', `${program} could not be started`, { program });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#groups].map((group) => group.stop()));
  }

  async #reap({ mark, pid, started }: Note): Promise<boolean> {
    const isOurs = pid !== undefined && started !== undefined && (await startOf(pid)) === started;
    if (isOurs) kill(pid, 'SIGKILL');
    return (await endMarked(mark)) > 0 || isOurs;
  }

  async #noteBegun(mark: string, child: ChildProcessWithoutNullStreams): Promise<void> {
    // Whether it could be started is seen from whether it has a number.
    child.on('error', () => undefined);
    const started = child.pid === undefined ? undefined : await startOf(child.pid);
    if (child.pid !== undefined && started !== undefined) await this.#note({ mark, pid: child.pid, started });
  }

  async #note(note: Note): Promise<void> {
    await writeFile(join(this.#notes, `${note.mark}.json`), JSON.stringify(note), { mode: 0o600 });
  }

  async #forget(mark: string): Promise<void> {
    await rm(join(this.#notes, `${mark}.json`), { force: true });
    // What cannot be taken away now is at the next start.
    await rm(join(this.#passing, mark), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Also of one that could not be started. */
function closed(child: ChildProcessWithoutNullStreams): Promise<Omit<Exit, 'stopped'>> {
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
}

/** Ends what has left its group. Processes that are made meanwhile are found the next time round. */
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

function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  // 0 would be our own group.
  if (pid === undefined || pid <= 1) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // Nothing of the group is left.
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
    // The host went down while it was written: the program had not begun.
    return undefined;
  }
}
