/** A process that merges children until it is killed, and what must be there afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createHost, createReplica, generateKeys } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';

const script = fileURLToPath(new URL('promote-until-killed.mjs', import.meta.url));
const ROUNDS = 4;
const WITHIN_MS = 400;

async function prepare(folder: string): Promise<void> {
  const host = createHost({ store: levelStore(folder) });
  const parent = await host.room('parent');
  await parent.set('k', 0);
  const wanted = {
    ...{ child_room_id: 'child', child_purpose: 'p', promotion_policy_id: 'promotion-based' },
    parent_checkpoint: { canonical_hash: parent.stateHash, frontier: parent.heads.frontier },
  };
  await host.submit({ room_id: 'parent', command: { CreateTopologyChild: wanted } });
  await host.close();
}

/** Kills the process some time after it has begun with its second promotion. */
async function runAndKill(folder: string, first: number): Promise<{ begun: string[]; done: string[] }> {
  const child = spawn(process.execPath, [script, folder, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const gone = once(child, 'exit');
  const [begun, done] = [[] as string[], [] as string[]];
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, proposal = ''] = line.split(' ');
    if (what === 'applied') done.push(proposal);
    if (what === 'applying' && begun.push(proposal) === 2)
      setTimeout(() => child.kill('SIGKILL'), Math.random() * WITHIN_MS);
  }
  await gone;
  return { begun, done };
}

it('[TP4] of a promotion there is all or nothing when its process is killed', async () => {
  const folder = await tempFolder();
  await prepare(folder);
  const [begun, done] = [new Set<string>(), new Set<string>()];
  for (let round = 0; round < ROUNDS; round++) {
    const ran = await runAndKill(folder, round * 100);
    for (const proposal of ran.begun) begun.add(proposal);
    for (const proposal of ran.done) done.add(proposal);
  }
  const host = createHost({ store: levelStore(folder) });
  onTestFinished(() => host.close());
  const parent = await host.room('parent');
  for (const proposal of begun) {
    const isApplied = parent.get(`_topology/promotion/${proposal}`) !== undefined;
    if (done.has(proposal)) expect(isApplied).toBe(true);
    const { state } = parent.get(`\0promotion/${proposal}`) as { readonly state: string };
    expect(state).toBe(isApplied ? 'applied' : 'validated');
    // What a later one brought counts for those before, since each is of all that the child had by then.
    if (isApplied) expect([...parent.entries(`${proposal}/`)]).toHaveLength(10);
    await host.submit({ room_id: 'parent', command: { ApplyTopologyPromotion: { proposal_id: proposal } } });
    expect([...parent.entries(`${proposal}/`)]).toHaveLength(10);
  }
  const replica = await createReplica({ genesis: parent.genesis.pack, keys: generateKeys() });
  for (const pack of parent.packs()) expect((await replica.receive(pack)).refused).toEqual([]);
  expect(replica.stateHash).toBe(parent.stateHash);
}, 120_000);
