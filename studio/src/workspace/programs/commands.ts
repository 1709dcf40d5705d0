/**
 * Commands of agents: shell lines in the folder of a branch, waited for or left running. What they wrote is kept for a while after their
 * end, so that a part of it can be read again. In memory: a host that was restarted knows none of those before.
 */
import { refusal } from '../../reasons.js';
import type { SpaceKey } from '../git/spaces/spaces.js';
import type { Ended, Runner, Running } from './runner.js';

/** Bytes kept of each command: of its output as a whole twice as much. */
const MOST_OUTPUT = 128 << 10;
/** Commands of one branch that run at a time, and that are kept. */
const MOST_RUNNING = 8;
const MOST_KEPT = 20;
const MOST_KEPT_IN_ALL = 64;
/** Time between two looks for a text: a program may write many times in a millisecond. */
const LOOK_MS = 50;

export interface Command extends SpaceKey {
  /** Number by which its agent calls it; it counts on within a branch. */
  readonly number: number;
  readonly line: string;
  readonly running: Running;
  /** How it ended; undefined while it runs. */
  ended: Ended | undefined;
}

export interface CommandLine {
  readonly line: string;
  readonly folder: string;
  /** Folder below that, where it begins. */
  readonly below?: string;
  readonly timeoutMs: number;
}

export class Commands {
  readonly #runner: Runner;
  readonly #kept: Command[] = [];
  readonly #heard = new Map<Command, Set<() => void>>();

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  async start(key: SpaceKey, { line, ...program }: CommandLine): Promise<Command> {
    const { repositoryId, branchId } = key;
    if (this.running(key).length >= MOST_RUNNING)
      throw refusal('reject.too_many_runs', `${MOST_RUNNING} commands run on ${branchId}; stop one of them first`, {
        branchId,
      });
    const listeners = new Set<() => void>();
    const tell = (): void => {
      for (const listener of listeners) listener();
    };
    const running = await this.#runner.run({
      ...program,
      command: line,
      caches: repositoryId,
      repositoryId,
      mostBytes: MOST_OUTPUT,
      onOutput: tell,
    });
    const number = (this.#of(key).at(-1)?.number ?? 0) + 1;
    const command: Command = { repositoryId, branchId, number, line, running, ended: undefined };
    this.#kept.push(command);
    this.#heard.set(command, listeners);
    void running.ended.then((ended) => {
      command.ended = ended;
      this.#forget(key);
      tell();
    });
    return command;
  }

  find(key: SpaceKey, number: number): Command | undefined {
    return this.#of(key).find((command) => command.number === number);
  }

  running(key: SpaceKey): Command[] {
    return this.#of(key).filter(({ ended }) => ended === undefined);
  }

  /** Numbers that are known of a branch, oldest first. */
  numbers(key: SpaceKey): number[] {
    return this.#of(key).map(({ number }) => number);
  }

  /** Waits for the end, for a text in the output, or until the time is over. */
  async wait(command: Command, ms: number, text?: string): Promise<void> {
    const isOver = (): boolean =>
      command.ended !== undefined || (text !== undefined && command.running.output().includes(text));
    const listeners = this.#heard.get(command);
    if (isOver() || listeners === undefined) return;
    let limit: NodeJS.Timeout | undefined;
    let look: NodeJS.Timeout | undefined;
    let hear = (): void => undefined;
    await new Promise<void>((resolve) => {
      const check = (): void => {
        look = undefined;
        if (isOver()) resolve();
      };
      hear = () => {
        if (command.ended) resolve();
        else if (text !== undefined) look ??= setTimeout(check, LOOK_MS);
      };
      listeners.add(hear);
      limit = setTimeout(resolve, ms);
    });
    clearTimeout(limit);
    clearTimeout(look);
    listeners.delete(hear);
  }

  #of({ repositoryId, branchId }: SpaceKey): Command[] {
    return this.#kept.filter((one) => one.repositoryId === repositoryId && one.branchId === branchId);
  }

  /** Forgets the oldest that have ended: of the branch, then of all. */
  #forget(key: SpaceKey): void {
    const drop = (among: readonly Command[], most: number): void => {
      const over = among.filter(({ ended }) => ended !== undefined).slice(0, Math.max(among.length - most, 0));
      for (const command of over) {
        this.#kept.splice(this.#kept.indexOf(command), 1);
        this.#heard.delete(command);
      }
    };
    drop(this.#of(key), MOST_KEPT);
    drop(this.#kept, MOST_KEPT_IN_ALL);
  }
}
