/**
 * Prefork shells: small processes that wait to start a program. To start one, a process is copied first, and copying a studio of
 * some hundred megabytes takes ten times as long as git does. So a shell stays after its program has ended, and runs the next.
 *
 * A shell reads its commands from its stdin. A program's own end is told from its output by a mark that is drawn anew for each
 * and which the program cannot know. Whatever is odd ends the shell: bytes after the mark, a program that is killed. A shell
 * whose host is gone reads the end of its stdin, and ends.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import type { Environment, ProgramEnd, ProgramRun, RunningProgram } from './program-run.js';

/** Shells that are kept while they have nothing to do. */
const KEPT = 8;
/** Longest command; what is longer is started directly. */
const LONGEST = 64 << 10;
/** Longest input: written out in the command, byte by byte. */
const LONGEST_INPUT = 8 << 10;
/** Exit code of a shell that cannot find the program. */
const NOT_FOUND = 127;

/** Idle shells, the last used at the end. */
const idle: Shell[] = [];

/** Starts a program in a shell; undefined for what no shell can be told. */
export function runInShell(run: ProgramRun): RunningProgram | undefined {
  const command = commandFor(run);
  if (command === undefined) return undefined;
  return shellWith(run.base).run(command, run);
}

function shellWith(base: Environment): Shell {
  const key = JSON.stringify(base);
  const at = idle.findLastIndex((shell) => shell.key === key);
  return at === -1 ? new Shell(key, base) : idle.splice(at, 1)[0]!;
}

function keep(shell: Shell): void {
  idle.push(shell);
  while (idle.length > KEPT) idle.shift()!.end();
}

function drop(shell: Shell): void {
  const at = idle.indexOf(shell);
  if (at !== -1) idle.splice(at, 1);
}

class Shell {
  readonly key: string;
  readonly #child: ChildProcessWithoutNullStreams;
  #work: Work | undefined;
  #isOver = false;

  constructor(key: string, base: Environment) {
    this.key = key;
    this.#child = spawn('/bin/sh', ['-s'], { cwd: '/', env: { ...base }, stdio: 'pipe', detached: true });
    const { stdin, stdout, stderr } = this.#child;
    // A shell alone keeps no host alive.
    for (const stream of [stdin, stdout, stderr]) (stream as unknown as { unref?(): void }).unref?.();
    // It may end before it has read all: its end says so.
    stdin.on('error', () => undefined);
    stdout.on('data', (bytes: Buffer) => this.#hear(bytes, 'out'));
    stderr.on('data', (bytes: Buffer) => this.#hear(bytes, 'err'));
    this.#child.on('error', (error) => this.#over((work) => work.reject(error)));
    this.#child.on('close', (code, signal) => this.#over((work) => work.resolve({ code, signal })));
  }

  run(command: Command, { onOut, onErr }: ProgramRun): RunningProgram {
    this.#child.ref();
    const ended = new Promise<ProgramEnd>((resolve, reject) => {
      const mark = randomBytes(16).toString('hex');
      const out = new UntilMark(mark, onOut);
      const err = new UntilMark(mark, onErr);
      this.#work = { out, err, resolve, reject };
      this.#child.stdin.write(command(mark));
    });
    const work = this.#work;
    // By now the shell may be running something else.
    return { ended, kill: () => void (work === this.#work && this.#kill()) };
  }

  end(): void {
    this.#child.stdin.end();
  }

  #hear(bytes: Buffer, stream: 'out' | 'err'): void {
    const work = this.#work;
    // Nothing is running, and something speaks.
    if (work === undefined) return this.#kill();
    work[stream].take(bytes);
    const { out, err } = work;
    if (out.said === undefined || err.said === undefined) return;
    this.#work = undefined;
    this.#child.unref();
    if (out.isPast || err.isPast) this.#kill();
    else if (!this.#isOver) keep(this);
    work.resolve(endOf(out.said));
  }

  #over(tell: (work: Work) => void): void {
    this.#isOver = true;
    drop(this);
    const work = this.#work;
    this.#work = undefined;
    if (work !== undefined) tell(work);
  }

  #kill(): void {
    drop(this);
    const { pid } = this.#child;
    if (pid === undefined || this.#isOver) return;
    this.#isOver = true;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The group has ended since; 'close' follows either way.
    }
  }
}

interface Work {
  readonly out: UntilMark;
  readonly err: UntilMark;
  resolve(end: ProgramEnd): void;
  reject(error: Error): void;
}

/** Output of one program, up to the mark; behind it the shell says how the program ended. */
class UntilMark {
  readonly #mark: Buffer;
  readonly #onBytes: (bytes: Buffer) => void;
  /** Bytes that may be the beginning of the mark. */
  #rest: Buffer = Buffer.alloc(0);
  #isMarked = false;
  /** What the shell says of the program's end. */
  said: string | undefined;
  /** Whether more has come after all was said. */
  isPast = false;

  constructor(mark: string, onBytes: (bytes: Buffer) => void) {
    this.#mark = Buffer.from(mark);
    this.#onBytes = onBytes;
  }

  take(bytes: Buffer): void {
    let all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (!this.#isMarked) {
      const at = all.indexOf(this.#mark);
      this.#isMarked = at !== -1;
      const end = this.#isMarked ? at : this.#openEnd(all);
      if (end > 0) this.#onBytes(all.subarray(0, end));
      all = all.subarray(this.#isMarked ? end + this.#mark.length : end);
    }
    this.#rest = all;
    if (!this.#isMarked || this.said !== undefined) {
      this.isPast = this.said !== undefined;
      return;
    }
    const lineEnd = all.indexOf('\n');
    if (lineEnd === -1) return;
    this.said = all.toString('latin1', 0, lineEnd);
    this.isPast = lineEnd + 1 < all.length;
  }

  /** Where the beginning of the mark may be, at the end of these bytes. */
  #openEnd(bytes: Buffer): number {
    for (let at = Math.max(0, bytes.length - this.#mark.length + 1); at < bytes.length; at++)
      if (this.#mark.indexOf(bytes.subarray(at)) === 0) return at;
    return bytes.length;
  }
}

type Command = (mark: string) => string;

/** Command line of a run: the program with its variables, then the mark and its exit code on both outputs. */
function commandFor({ program, args, folder, environment, input }: ProgramRun): Command | undefined {
  if (process.platform === 'win32' || input.length > LONGEST_INPUT || !folder.startsWith('/')) return undefined;
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${quoted(value)} `);
  const words = [program, ...args].map(quoted).join(' ');
  // Input that cannot be written whole ends everything: the program would take a part of it for all.
  const [from, to] =
    input.length === 0 ? ['', ' </dev/null'] : [`{ printf ${formatOf(input)} || kill -s KILL 0; } | `, ''];
  // Nobody but the shell is to know where it was before.
  const line =
    `if cd -P -- ${quoted(folder)} 2>/dev/null; then unset PWD OLDPWD; ` +
    `${from}${variables.join('')}${words}${to}; c=$?; else c=none; fi; cd /; `;
  if (line.length > LONGEST || line.includes('\0')) return undefined;
  return (mark) => `${line}printf '${mark}%s\\n' "$c"; printf '${mark}%s\\n' "$c" >&2\n`;
}

/** Quoted word: between these quotes a shell takes every byte as it is, except the quote. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Input as a format of `printf`: all but what means itself everywhere is written as octal numbers. */
function formatOf(input: string | Uint8Array): string {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  let text = '';
  for (const byte of bytes) {
    const letter = String.fromCharCode(byte);
    text += /[\w/. \n]/.test(letter) ? letter : `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return `'${text}'`;
}

/** End of a program as its shell tells it: a signal is its number and 128. */
function endOf(said: string): ProgramEnd {
  const code = Number(said);
  if (Number.isNaN(code) || code === NOT_FOUND) return { code: null, signal: null };
  const signal = Object.entries(constants.signals).find(([, number]) => number + 128 === code)?.[0];
  // git ends with 129 for a wrong option.
  return signal === undefined || code === 129 ? { code, signal: null } : { code: null, signal };
}
