/** A Python client in a process of its own, told line by line what to do. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const DRIVER = fileURLToPath(new URL('driver.py', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../client/python', import.meta.url));

/** Debian's own Python: the one that has Debian's packages. */
export const PYTHON = '/usr/bin/python3';
export const pythonEnvironment = { ...process.env, PYTHONPATH: PACKAGE, PYTHONDONTWRITEBYTECODE: '1' };

interface Answer {
  readonly ok?: unknown;
  readonly error?: string;
  readonly msg?: string;
  readonly edits?: unknown;
}

/** What a peer says of its room. */
export interface PeerState {
  readonly hash: string;
  readonly registers: Readonly<Record<string, unknown>>;
  readonly unsent: number;
  readonly presence: Readonly<Record<string, unknown>>;
  readonly peers: number;
  readonly connected: boolean;
  readonly trouble: string | null;
}

export class PythonPeer {
  readonly #child = spawn(PYTHON, [DRIVER], { env: pythonEnvironment, stdio: ['pipe', 'pipe', 'inherit'] });
  readonly #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  readonly #exited = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));

  constructor() {
    onTestFinished(async () => {
      this.#child.kill('SIGKILL');
      await this.#exited;
    });
  }

  /** What the peer answers; what it refuses is thrown, with its name. */
  async do(...words: readonly unknown[]): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify(words)}\n`);
    const { value: line, done } = await this.#lines.next();
    if (done) throw new Error(`the Python client is gone: ${words.join(' ')}`);
    const answer: Answer = JSON.parse(String(line));
    if (answer.error !== undefined) throw new Error(`${answer.error}: ${JSON.stringify(answer.edits ?? answer.msg)}`);
    return answer.ok;
  }

  async state(): Promise<PeerState> {
    return (await this.do('state')) as PeerState;
  }

  /** Ends it from one moment to the next. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Closes its room. */
  async leave(): Promise<void> {
    this.#child.stdin.end();
    await this.#exited;
  }
}
