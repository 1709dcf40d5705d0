/** Programs in the sandbox of this machine, which bubblewrap makes. */
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { NodeProcesses, type ProcessOptions } from './node-processes.js';
import { nodeRunner } from './node-runner.js';
import { markedWith } from './process-identity.js';
import type { Program } from './runner.js';

async function begun(options: ProcessOptions = {}) {
  const base = await tempFolder();
  const folder = join(base, 'work');
  await mkdir(folder);
  const processes = new NodeProcesses(join(base, 'studio'), { graceMs: 200, ...options });
  await processes.recover();
  onTestFinished(() => processes.close());
  const runner = nodeRunner(processes);
  const run = (command: string, more: Partial<Program> = {}) =>
    runner.run({ folder, command, timeoutMs: 20_000, mostBytes: 4096, ...more });
  const ended = async (command: string, more: Partial<Program> = {}) => (await run(command, more)).ended;
  return { base, folder, run, ended };
}

describe('a sandbox', () => {
  const sandbox = (hidden: string[]) => ({ program: 'bwrap', hidden, network: false });

  it('lets a program write to its folder alone, and hides what it is told to', async () => {
    const { base } = await begun();
    const secret = join(base, 'studio');
    const boxed = await begun({ sandbox: sandbox([secret]) });
    await writeFile(join(secret, 'token'), 'secret');
    expect(await boxed.ended('echo in > inside && cat inside')).toMatchObject({ exitCode: 0, stdOut: 'in\n' });
    expect(await readFile(join(boxed.folder, 'inside'), 'utf8')).toBe('in\n');
    expect(await boxed.ended(`cat ${secret}/token`)).toMatchObject({ exitCode: 1, stdOut: '' });
    expect((await boxed.ended('echo x > /usr/weft-was-here')).exitCode).not.toBe(0);
  });

  it('mounts no link: one below the folder leads nowhere, whoever has put it there', async () => {
    const { base } = await begun();
    const secret = join(base, 'secret');
    await mkdir(secret);
    await writeFile(join(secret, 'token'), 'secret');
    const boxed = await begun({ sandbox: sandbox([secret]) });
    await symlink(secret, join(boxed.folder, 'out'));
    const read = 'cat token; echo x > token; echo x > beside';
    await expect(boxed.run(read, { below: 'out' })).rejects.toMatchObject({ reason: 'reject.path_outside_repository' });
    expect(await boxed.ended(`cd out; ${read}`)).toMatchObject({ stdOut: '' });
    expect(await readFile(join(secret, 'token'), 'utf8')).toBe('secret');
    expect(await readdir(secret)).toEqual(['token']);
    await mkdir(join(boxed.folder, 'sub'));
    expect(await boxed.ended('pwd', { below: 'sub' })).toMatchObject({ stdOut: `${boxed.folder}/sub\n` });
  });

  it('ends with all that is in it', async () => {
    const { run, folder } = await begun({ sandbox: sandbox([]) });
    let hear = (): void => undefined;
    const heard = new Promise<void>((resolve) => (hear = resolve));
    const environment = { WHOSE: folder };
    const running = await run('setsid sleep 1000 & echo begun; sleep 1000', { onOutput: () => hear(), environment });
    await heard;
    expect((await markedWith('WHOSE', folder)).length).toBeGreaterThan(1);
    await running.stop();
    expect(await running.ended).toMatchObject({ why: 'stopped' });
    expect(await markedWith('WHOSE', folder)).toEqual([]);
  });
});
