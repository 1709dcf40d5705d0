/** A process that merges children until it is killed, and how that is run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { onTestFinished } from 'vitest';

const script = fileURLToPath(new URL('promote-until-killed.mjs', import.meta.url));

/** A parent, and a child of it that may be promoted. */
export async function prepareFamily(folder: string): Promise<void> {
  const host = createHost({ store: levelStore(folder) });
  const parent = await host.room('parent');
  await parent.set('k', 0);
  const wanted = {
    child_room_id: 'child',
    child_purpose: 'p',
    promotion_policy_id: 'promotion-based',
    parent_checkpoint: { canonical_hash: parent.stateHash, frontier: parent.heads.frontier },
  };
  await host.submit({ room_id: 'parent', command: { CreateTopologyChild: wanted } });
  await host.close();
}

export interface Kill {
  /** Number of the first proposal. */
  readonly first: number;
  /** Values of a proposal; every other one has values of a megabyte. */
  readonly parts: number;
  /** Promotion in which the process is killed, and the time in ms within which that happens. */
  readonly during: number;
  readonly within: number;
}

/** Kills a process that promotes; answers what was begun, and what was done, before the end. */
export async function promoteAndKill(
  folder: string,
  { first, parts, during, within }: Kill,
): Promise<{ begun: string[]; done: string[] }> {
  const child = spawn(process.execPath, [script, folder, String(first), String(parts)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const gone = once(child, 'exit');
  const [begun, done] = [[] as string[], [] as string[]];
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, proposal = ''] = line.split(' ');
    if (what === 'applied') done.push(proposal);
    if (what === 'applying' && begun.push(proposal) === during)
      setTimeout(() => child.kill('SIGKILL'), Math.random() * within);
  }
  await gone;
  return { begun, done };
}
