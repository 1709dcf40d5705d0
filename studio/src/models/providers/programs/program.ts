/**
 * Model program: one process group, which is ended as a whole when it is done, stopped, too slow, or left by a host that
 * crashed. Its environment is passed by name, and its output is bounded.
 */
import { basename } from 'node:path';
import { Rejection } from '@weft/core';
import type { Group, NodeProcesses } from '../../../workspace/programs/node-processes.js';
import { ProviderError } from '../../provider.js';
import { stopped } from '../wait.js';

export interface ProgramLimits {
  /** Silence timeout. */
  readonly silenceMs: number;
  readonly wholeMs: number;
  readonly mostBytes: number;
}

export const programLimits: ProgramLimits = { silenceMs: 300_000, wholeMs: 1_800_000, mostBytes: 32 << 20 };

export interface ProgramStart {
  readonly processes: NodeProcesses;
  readonly command: readonly string[];
  readonly folder: string;
  /** Environment beside what every program is given. */
  readonly environment: Readonly<Record<string, string>>;
  /** Further folders that it may write to. */
  readonly also?: readonly string[];
  /** What it needs of the network, where programs reach a list of servers alone. Default: what all may reach. */
  readonly reaches?: Reaches;
  readonly limits: ProgramLimits;
  readonly signal: AbortSignal;
}

/** Servers of an agent program, and the repository that it works for. */
export interface Reaches {
  readonly hosts: readonly string[];
  /** Address of the studio's tools. Absent: it has none. */
  readonly door?: string;
  readonly repositoryId: string | undefined;
}

/** Variables that say where such programs keep their configuration and logins. */
const THEIRS = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME'];
const MOST_SAID = 4096;

export class Program {
  readonly name: string;
  /** End of its stderr. Rejects when it was ended from here. */
  readonly ended: Promise<string>;
  readonly #group: Group;
  readonly #signal: AbortSignal;
  readonly #timers: readonly NodeJS.Timeout[];
  #fault: ProviderError | undefined;

  private constructor(name: string, group: Group, { limits, signal }: ProgramStart, said: () => string) {
    this.name = name;
    this.#group = group;
    this.#signal = signal;
    this.#timers = [this.#endAfter(limits.silenceMs), this.#endAfter(limits.wholeMs)];
    group.child.stdout.on('data', () => this.#timers[0]?.refresh());
    signal.addEventListener('abort', this.#stop, { once: true });
    if (signal.aborted) this.#stop();
    this.ended = group.gone.then(() => {
      for (const timer of this.#timers) clearTimeout(timer);
      signal.removeEventListener('abort', this.#stop);
      if (this.#fault) throw this.#fault;
      return said().trim();
    });
  }

  /** Starts the program. `onBytes` receives stdout as it comes. */
  static async start(wanted: ProgramStart, onBytes: (bytes: Buffer) => void): Promise<Program> {
    const { processes, command, folder, environment, also, reaches, limits, signal } = wanted;
    const [program = '', ...args] = command;
    const name = basename(program);
    if (signal.aborted) throw stopped();
    let said = '';
    let received = 0;
    const isTooMuch = () => received > limits.mostBytes;
    let endIt = (): void => undefined;
    const group = await processes
      .start({
        folder,
        program,
        args,
        environment: { ...theirs(), ...environment },
        ...(also && { also }),
        ...(reaches && {
          egress: {
            repositoryId: reaches.repositoryId,
            own: { hosts: reaches.hosts, ...(reaches.door === undefined ? {} : { door: reaches.door }) },
            tell: (line) => {
              said = (said + line).slice(-MOST_SAID);
            },
          },
        }),
        hear: ({ stdout, stderr }) => {
          stdout.on('data', (bytes: Buffer) => {
            received += bytes.length;
            if (isTooMuch()) endIt();
            else onBytes(bytes);
          });
          stderr.on('data', (bytes: Buffer) => {
            said = (said + bytes.toString('utf8')).slice(-MOST_SAID);
          });
        },
      })
      .catch((error: unknown) => {
        if (!(error instanceof Rejection)) throw error;
        if (error.reason === 'reject.stopping') throw stopped();
        throw error.reason === 'reject.not_confined'
          ? new ProviderError('refused', `${name} is not run: ${error.message}`)
          : new ProviderError(
              'refused',
              `${name} cannot be started: install it, or name its command under "programs" of the host's file of models`,
            );
      });
    const running = new Program(name, group, wanted, () => said);
    endIt = () => {
      running.end(new ProviderError('malformed', `${name} wrote more than ${limits.mostBytes} bytes`));
    };
    // It may have ended before its start was noted.
    if (isTooMuch()) endIt();
    return running;
  }

  /** Writes the whole input. The program may end before it has read it: how it ended says why. */
  tellLast(text: string): void {
    this.#group.child.stdin.end(text);
  }

  tell(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#group.child.stdin.write(bytes, () => {
        resolve();
      });
    });
  }

  /** Ends the process group. `ended` then rejects. */
  end(why: ProviderError): void {
    this.#fault ??= why;
    void this.#group.stop();
  }

  readonly #stop = (): void => {
    this.end(stopped());
  };

  #endAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.end(new ProviderError('timeout', `${this.name} did not answer within ${ms / 1000} s`));
    }, ms);
  }
}

/** Line splitter. An unfinished last line is dropped. */
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

function theirs(): Record<string, string> {
  return Object.fromEntries(
    THEIRS.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
