/**
 * A program of this machine that runs a model: one process in a group of its own. It is given the environment by name, its output is
 * bounded, and when it ends, is stopped or takes too long, its whole group ends with it.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { ProviderError } from '../provider.js';
import { stopped } from './wait.js';

export interface ProgramLimits {
  /** How long it may write nothing. */
  readonly silenceMs: number;
  readonly wholeMs: number;
  readonly mostBytes: number;
}

export const programLimits: ProgramLimits = { silenceMs: 300_000, wholeMs: 1_800_000, mostBytes: 32 << 20 };

export interface ProgramStart {
  readonly command: readonly string[];
  readonly folder: string;
  /** On top of what every program is given. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: ProgramLimits;
  readonly signal: AbortSignal;
}

export interface Exit {
  readonly code: number | null;
  /** The end of what it wrote to stderr. */
  readonly said: string;
}

/** What programs are told of the machine. Nothing else of the host's environment reaches them. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ', 'USER', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'];
/** Where they keep what their user has configured and logged in to. */
const THEIRS = ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'SystemRoot', 'APPDATA'];
const MOST_SAID = 4096;
/** How long what it has written may still be on its way after it has ended. */
const LAST_WORDS_MS = 1000;

export class Program {
  readonly name: string;
  readonly #limits: ProgramLimits;
  readonly #signal: AbortSignal;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #timers: NodeJS.Timeout[];
  readonly #onBytes: (bytes: Buffer) => void;
  readonly ended: Promise<Exit>;
  #fault: ProviderError | undefined;
  #received = 0;
  #said = '';

  /** `onBytes` is given what it writes to stdout, as it comes. */
  constructor({ command, folder, environment, limits, signal }: ProgramStart, onBytes: (bytes: Buffer) => void) {
    const [program = '', ...args] = command;
    this.name = basename(program);
    this.#limits = limits;
    this.#signal = signal;
    this.#onBytes = onBytes;
    if (signal.aborted) throw stopped();
    this.#child = spawn(program, args, {
      cwd: folder,
      env: { ...inherited(), ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    });
    this.#timers = [this.#endAfter(limits.silenceMs), this.#endAfter(limits.wholeMs)];
    signal.addEventListener('abort', this.#stop, { once: true });
    this.ended = this.#end().finally(() => {
      this.#release();
    });
    this.#listen();
  }

  /** All that it will be told. It may end before it has read it: how it ended says why. */
  tellLast(text: string): void {
    this.#child.stdin.end(text);
  }

  tell(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#child.stdin.write(bytes, () => {
        resolve();
      });
    });
  }

  /** Ends it with everything it has started. `ended` then rejects. */
  end(why: ProviderError): void {
    this.#fault ??= why;
    this.#killGroup();
  }

  #end(): Promise<Exit> {
    return new Promise((resolve, reject) => {
      this.#child.on('error', (error) => {
        const why = 'code' in error ? String(error.code) : 'error';
        reject(new ProviderError('refused', `${this.name} cannot be started: ${why}`));
      });
      this.#child.on('exit', () => {
        // What it has left running ends too. What has left its group may still hold its output.
        this.#killGroup();
        if (this.#fault) reject(this.#fault);
        else this.#timers.push(setTimeout(() => this.#hangUp(), LAST_WORDS_MS));
      });
      this.#child.on('close', (code) => {
        if (this.#fault) reject(this.#fault);
        else resolve({ code, said: this.#said.trim() });
      });
    });
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    stdin.on('error', () => undefined);
    stdout.on('data', (bytes: Buffer) => {
      this.#timers[0]?.refresh();
      this.#received += bytes.length;
      if (this.#received <= this.#limits.mostBytes) this.#onBytes(bytes);
      else this.end(new ProviderError('malformed', `${this.name} wrote more than ${this.#limits.mostBytes} bytes`));
    });
    stderr.on('data', (bytes: Buffer) => {
      this.#said = (this.#said + bytes.toString('utf8')).slice(-MOST_SAID);
    });
  }

  #release(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#signal.removeEventListener('abort', this.#stop);
    this.#killGroup();
    this.#hangUp();
  }

  #hangUp(): void {
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
  }

  readonly #stop = (): void => {
    this.end(stopped());
  };

  #endAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.end(new ProviderError('timeout', `${this.name} did not answer within ${ms / 1000} s`));
    }, ms);
  }

  #killGroup(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
    } catch {
      // Nothing of it is left.
    }
  }
}

/** What a program writes, line by line, without the last one if it has no end. */
export function byLines(onLine: (line: string) => void): (bytes: Buffer) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (bytes) => {
    const pieces = decoder.decode(bytes, { stream: true }).split('\n');
    pieces[0] = rest + (pieces[0] ?? '');
    rest = pieces.pop() ?? '';
    for (const line of pieces) onLine(line);
  };
}

function inherited(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of [...INHERITED, ...THEIRS]) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
