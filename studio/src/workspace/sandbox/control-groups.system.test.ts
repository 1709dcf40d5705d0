/** Programs in control groups of this machine, made by the kernel's rules: what wants more than its share does not get it, at any moment. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rmdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { NodeProcesses } from '../programs/node-processes.js';
import { nodeRunner } from '../programs/node-runner.js';
import { type GroupParent, endGroups, entering, findGroupParents, groupsText, makeGroup } from './control-groups.js';
import { findConfinement } from './node-confinement.js';
import { WHOLE_LIMITS, type WholeLimits } from './whole-limits.js';

/** Parents of this test alone: other tests make groups at the same time. */
async function parentsOfOwn(): Promise<GroupParent[]> {
  const parents = await findGroupParents();
  return Promise.all(
    parents.map(async (parent) => {
      const folder = join(parent.folder, `weft-test-${randomUUID()}`);
      await mkdir(folder);
      onTestFinished(() => rmdir(folder));
      if (parent.version === 2)
        await writeFile(join(folder, 'cgroup.subtree_control'), parent.controllers.map((name) => `+${name}`).join(' '));
      return { ...parent, folder };
    }),
  );
}

async function begun(limits: Partial<WholeLimits> = {}) {
  const base = await tempFolder();
  const [folder, own] = [join(base, 'work'), join(base, 'studio')];
  await mkdir(folder);
  const groups = await parentsOfOwn();
  // Nothing is looked at while these run: what holds is the kernel.
  const whole = { ...WHOLE_LIMITS, everyMs: 600_000, ...limits };
  const processes = new NodeProcesses(own, { graceMs: 200, confinement: await findConfinement(own), whole, groups });
  await processes.recover();
  onTestFinished(() => processes.close());
  const run = (command: string) =>
    nodeRunner(processes).run({ folder, timeoutMs: 60_000, mostBytes: 16_384, environment: {}, command });
  const ended = async (command: string) => (await run(command)).ended;
  const left = async (): Promise<string[]> =>
    (await Promise.all(groups.map((parent) => readdir(parent.folder))))
      .flat()
      .filter((name) => name.startsWith('weft-'));
  return { groups, ended, left };
}

describe('a program in a control group', () => {
  it('is told to people as what holds', async () => {
    const { groups } = await begun();
    expect(groups.flatMap(({ controllers }) => controllers).toSorted()).toEqual(['cpu', 'memory', 'pids']);
    expect(groupsText(groups)).toMatch(
      /^control groups hold memory, processes, processor time \([\d.]+ of \d+ cores\)/,
    );
    expect(groupsText([])).toContain('no control group may be made here');
  });

  it('gets no more processes than it may have, and nothing of it is left', async () => {
    const { ended, left } = await begun({ processes: 30 });
    const bomb = 'f() { sleep 60 & n=$((n+1)); [ $n -gt 200 ] || f; }; n=0; f';
    const { stdErr } = await ended(bomb);
    expect(stdErr).toMatch(/[Cc]annot fork|Resource temporarily unavailable/);
    expect(stdErr).toContain('weft: the program was over a limit: it was refused more than 30 processes\n');
    expect(await left()).toEqual([]);
  });

  it('is ended by the kernel where its processes hold too much together, each within its own limit', async () => {
    const { ended, left } = await begun({ memory: 150 * 2 ** 20 });
    const hog = `node -e "const b = Buffer.alloc(60 << 20, 1); setTimeout(() => b, 2000)"`;
    const { stdErr } = await ended(`${`${hog} & `.repeat(4)} wait; echo over`);
    expect(stdErr).toContain('its processes held more than 150 MiB of memory together');
    expect(await left()).toEqual([]);
  });

  it('has the share of the processor that is written to its group, with all that it begins', async () => {
    const groups = await findGroupParents();
    const group = (await makeGroup(groups, 'a'.repeat(32), WHOLE_LIMITS))!;
    onTestFinished(async () => void (await group.end()));
    const cpu = groups.find(({ controllers }) => controllers.includes('cpu'))!;
    const at = join(cpu.folder, `weft-${'a'.repeat(32)}`);
    const said =
      cpu.version === 2
        ? (await readFile(join(at, 'cpu.max'), 'utf8')).trim()
        : `${(await readFile(join(at, 'cpu.cfs_quota_us'), 'utf8')).trim()} 100000`;
    const cores = Math.max(1, availableParallelism() - 0.5);
    expect(said).toBe(`${cores * 100_000} 100000`);
  });

  it('that an earlier host has left is ended by the next', async () => {
    const groups = await findGroupParents();
    const group = (await makeGroup(groups, 'b'.repeat(32), WHOLE_LIMITS))!;
    expect(group.entries.length).toBeGreaterThan(0);
    await endGroups(groups, ['b'.repeat(32)]);
    for (const { folder } of groups) expect(await readdir(folder)).not.toContain(`weft-${'b'.repeat(32)}`);
  });

  it('of one studio is not that of another that begins, runs and ends on this machine at the same time', async () => {
    const found = await Promise.all([findGroupParents(), findGroupParents()]);
    expect(found[0]).toEqual(found[1]);
    expect(found[0].length).toBeGreaterThan(0);
    const marks = ['c'.repeat(32), 'd'.repeat(32)] as const;
    const [one, other] = await Promise.all(
      marks.map(async (mark, index) => (await makeGroup(found[index]!, mark, WHOLE_LIMITS))!),
    );
    onTestFinished(async () => void (await other!.end()));
    const child = spawn('/bin/sh', entering(other!, ['sleep', ['60']])[1], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const inside = async () => (await readFile(other!.entries[0]!, 'utf8')).trim();
    await vi.waitFor(async () => expect(await inside()).toBe(String(child.pid)));
    expect(await one!.end()).toBe(true);
    await endGroups(found[0], [marks[0]]);
    expect(await inside()).toBe(String(child.pid));
    for (const { folder } of found[0])
      expect((await readdir(folder)).filter((name) => name.includes('trial'))).toEqual([]);
  });

  it('is as any other where nothing is bounded: its output and its end', async () => {
    const { ended, left } = await begun();
    expect(await ended('echo out; cat /proc/self/cgroup >/dev/null; nice; exit 3')).toMatchObject({
      exitCode: 3,
      stdOut: 'out\n10\n',
    });
    expect(await left()).toEqual([]);
  });
});
