/**
 * Disk of a simulated process: repositories, stores and workspaces that outlive it, asked in simulated time. A call may take a while
 * before it does anything, and again before it answers; it may fail; and one whose process has died never answers, whether it was
 * done or not.
 */
import { refusal } from '../../../studio/src/reasons.js';
import type { MemoryDisk } from '../../../studio/src/testing/memory-git/memory-disk.js';
import type { Clock } from '../../../studio/src/clock.js';
import type { Random } from '../../convergence/random.js';

export interface GitFaults {
  /** So many calls of a hundred fail. */
  failing: number;
  /** So many of a hundred take a while, before they are done and again behind it. */
  slow: number;
  /** Longest while. */
  mostMs: number;
}

export interface InTime {
  readonly random: Random;
  /** Clock of the process: what it was asked for never comes when the process is over. */
  readonly clock: Pick<Clock, 'after'>;
  readonly faults: GitFaults;
}

/** What a failing call says; the world knows it by that. */
export const GIT_FAILS = 'the simulated disk does not let git work';

export function inTime(disk: MemoryDisk, time: InTime): Pick<MemoryDisk, 'spaces' | 'user' | 'git' | 'stores'> {
  const stores = new Map<string, ReturnType<MemoryDisk['stores']['of']>>();
  return {
    spaces: slowly(disk.spaces, time),
    user: slowly(disk.user, time),
    git: slowly(disk.git, time),
    stores: {
      of: (repositoryId) => {
        const known = stores.get(repositoryId) ?? disk.stores.of(repositoryId).then((store) => slowly(store, time));
        stores.set(repositoryId, known);
        return known;
      },
    },
  };
}

function slowly<Port extends object>(port: Port, { random, clock, faults }: InTime): Port {
  const aWhile = async (): Promise<void> => {
    const ms = 1 + random.below(faults.mostMs);
    if (random.chance(faults.slow)) await new Promise<void>((resolve) => clock.after(ms, resolve));
  };
  return new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]): Promise<unknown> => {
        await aWhile();
        if (random.chance(faults.failing)) throw refusal('reject.git_failed', GIT_FAILS);
        const answer: unknown = await member.apply(target, given);
        await aWhile();
        return answer;
      };
    },
  });
}
