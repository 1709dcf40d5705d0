/**
 * Priority of programs of agents: what people and the studio do has the processor first. They are begun under `nice`, so that it holds from
 * their first moment on, and for all that they begin.
 */
import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

type Command = readonly [file: string, argv: readonly string[]];

/** How much it yields, of 19. */
const YIELDS = 10;
const NICE = ['/usr/bin/nice', '/bin/nice'].find((path) => existsSync(path));

/** The command under `nice`; as it is where there is none, or no such program, which is seen at once only so. */
export async function yielding(command: Command, where: { readonly path: string; readonly cwd: string }) {
  const [file, argv] = command;
  if (NICE === undefined || !(await isThere(file, where))) return command;
  return [NICE, ['-n', String(YIELDS), file, ...argv]] as const;
}

/** Tells a program that was begun without `nice`: what it has begun by then does not yield. */
export function tellToYield([file]: Command, pid: number | undefined): void {
  if (pid === undefined || file === NICE) return;
  try {
    setPriority(pid, YIELDS);
  } catch {
    // It has ended, or this machine does not know of it.
  }
}

async function isThere(file: string, { path, cwd }: { readonly path: string; readonly cwd: string }): Promise<boolean> {
  const places = file.includes('/') ? [resolve(cwd, file)] : path.split(delimiter).map((one) => join(one, file));
  for (const place of places) if (await access(place, constants.X_OK).then(always, never)) return true;
  return false;
}

const always = (): boolean => true;
const never = (): boolean => false;
