/**
 * Homes of agent programs: a folder for each work unit, in which its program keeps settings and sessions, and beside it a note of the
 * session, which the program cannot write to. Both are of this machine alone, as the sessions are.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { removeTree } from '../files/remove-tree.js';

const Used = z.object({
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  cacheWriteTokens: z.number().optional(),
  outputTokens: z.number(),
  microUsd: z.number().optional(),
});

const Kept = z.object({
  workUnitId: z.string(),
  /** Conversation of the unit that the session is of. */
  run: z.number(),
  executor: z.string(),
  session: z.string().optional(),
  /** Commit of the branch when the program ended its last turn. */
  commit: z.string().optional(),
  /** What the session had told by then that it has used. */
  used: Used.optional(),
  /** Whether a turn has begun and not ended. */
  isOpen: z.boolean(),
});
export type KeptSession = z.infer<typeof Kept>;

export class ProgramHomes {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes the homes of units that need none any more. */
  async sweep(isNeeded: (workUnitId: string) => boolean): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#folder)) {
      const kept = await this.#read(join(this.#folder, name));
      if (kept && isNeeded(kept.workUnitId)) continue;
      await removeTree(join(this.#folder, name));
    }
  }

  /** Home of a unit's program, made when there is none. */
  async homeOf(workUnitId: string): Promise<string> {
    const home = join(this.#rootOf(workUnitId), 'home');
    await mkdir(home, { recursive: true, mode: 0o700 });
    return home;
  }

  /** Session of a unit; undefined where none is kept, or it is of another conversation or another kind of program. */
  async session({ workUnitId, run, executor }: Pick<KeptSession, 'workUnitId' | 'run' | 'executor'>) {
    const kept = await this.#read(this.#rootOf(workUnitId));
    return kept?.run === run && kept.executor === executor ? kept : undefined;
  }

  async keep(kept: KeptSession): Promise<void> {
    const path = join(this.#rootOf(kept.workUnitId), 'session.json');
    await writeFile(`${path}.new`, JSON.stringify(kept), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  async #read(root: string): Promise<KeptSession | undefined> {
    try {
      return Kept.parse(JSON.parse(await readFile(join(root, 'session.json'), 'utf8')));
    } catch {
      // None is kept, or it is not to be read: then the program begins anew, and is told everything.
      return undefined;
    }
  }

  #rootOf(workUnitId: string): string {
    return join(this.#folder, createHash('sha256').update(workUnitId).digest('hex').slice(0, 32));
  }
}
