import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isAlive } from '../../testing/is-alive.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { NodeProcesses, type ProcessOptions } from './node-processes.js';
import { nodeRunner } from './node-runner.js';
import { startOf } from './process-identity.js';
import { MARK } from './run-environment.js';
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
  return { base, folder, processes, run, ended, notes: () => readdir(join(base, 'studio', 'runs')) };
}

/** What `setsid` does, which is not on every machine: starts a program of Node in a session of its own, and says its number. */
const APART = `const { spawn } = require('node:child_process');
const [, , ...args] = process.argv;
console.log(spawn(process.execPath, args, { detached: true, stdio: 'ignore' }).pid);`;

/** Number in a file, when it is written. */
async function numberIn(path: string): Promise<number> {
  const text = (): Promise<string> => readFile(path, 'utf8').catch(() => '');
  await expect.poll(text, { message: `a number in ${path}` }).toMatch(/\n$/);
  return Number(await text());
}

async function untilGone(...pids: number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive), { message: `those that are left of ${pids.join(', ')}` }).toEqual([]);
}

describe('a program', () => {
  it.skipIf(process.platform === 'win32')(
    'yields to what else runs, from its first moment on and with all that it begins',
    async () => {
      const { ended } = await begun();
      const yields = `${Math.min(getPriority() + 10, 19)}\n`;
      const said = await Promise.all(Array.from({ length: 20 }, () => ended('(nice; sleep 0.1; nice) & nice; wait')));
      expect(said.map(({ stdOut }) => stdOut)).toEqual(said.map(() => yields.repeat(3)));
    },
  );

  it('answers what it wrote and how it ended', async () => {
    const { ended, folder, notes } = await begun();
    expect(await ended('pwd; echo bad >&2; exit 3')).toEqual({
      exitCode: 3,
      why: 'exited',
      stdOut: `${folder}\n`,
      stdErr: 'bad\n',
      truncated: false,
    });
    expect(await ended('kill -9 $$')).toMatchObject({ exitCode: 137 });
    expect(await notes()).toEqual([]);
  });

  it('is told as it comes what it writes', async () => {
    const { run } = await begun();
    let heard = '';
    let hear = (): void => undefined;
    const first = new Promise<void>((resolve) => (hear = resolve));
    const onOutput = (text: string): void => {
      heard += text;
      hear();
    };
    const running = await run('echo one; read never < /dev/zero', { onOutput });
    await first;
    expect(heard).toBe('one\n');
    expect(running.output()).toBe('one\n');
    await running.stop();
    expect(await running.ended).toMatchObject({ why: 'stopped', stdOut: 'one\n' });
  });

  it('knows nothing secret of the host', async () => {
    const { ended, folder } = await begun();
    process.env['SOME_API_KEY'] = 'secret-1';
    process.env['HTTPS_PROXY'] = 'http://me:secret-2@127.0.0.1:1';
    onTestFinished(() => {
      delete process.env['SOME_API_KEY'];
      delete process.env['HTTPS_PROXY'];
    });
    const { stdOut } = await ended('env', { environment: { GIVEN: 'yes', GIT_CEILING_DIRECTORIES: '/' } });
    expect(stdOut).not.toContain('secret-');
    expect(stdOut).toContain('GIVEN=yes');
    expect(stdOut).toContain(`GIT_CEILING_DIRECTORIES=${join(folder, '..')}\n`);
  });

  it('fault 11: takes its children with it, and frees their ports, also those that have left its group', async () => {
    const { ended, folder } = await begun();
    const server = `require('net').createServer().listen(0, '127.0.0.1', function () {
      require('fs').writeFileSync(process.argv[1], process.pid + ' ' + this.address().port) })`;
    await writeFile(join(folder, 'server.js'), server.replace('process.argv[1]', 'process.argv[2]'));
    await writeFile(join(folder, 'apart.js'), APART);
    // One stays in its group, one leaves it, and one stays and forgets all that it was told.
    const servers = 'node server.js one & node apart.js server.js two & env -i "$(command -v node)" server.js three &';
    const script = `${servers} until [ -s one ] && [ -s two ] && [ -s three ]; do sleep 0.02; done`;
    // Longer than the test may take: nothing but its end ends the rest.
    expect(await ended(script, { timeoutMs: 600_000 })).toMatchObject({ exitCode: 0 });
    for (const name of ['one', 'two', 'three']) {
      const [pid = 0, port = 0] = (await readFile(join(folder, name), 'utf8')).split(' ').map(Number);
      await untilGone(pid);
      const again = createServer().listen(port, '127.0.0.1');
      await once(again, 'listening');
      again.close();
    }
  });

  it('fault 13: may flood its output', async () => {
    const { run } = await begun();
    const running = await run('echo first; head -c 30000000 /dev/zero; echo; echo last');
    const { stdOut, truncated } = await running.ended;
    expect(running.output().length).toBeLessThan(10_000);
    expect(truncated).toBe(true);
    expect(stdOut.length).toBeLessThan(5000);
    expect(stdOut).toMatch(/^first\n[^]*bytes left out[^]*last\n$/);
  });

  it('fault 14: is killed when it takes too long and ignores that it is asked to end, and leaves no zombie', async () => {
    const { run } = await begun();
    const running = await run("trap '' TERM; while :; do sleep 0.05; done", { timeoutMs: 300 });
    expect(await running.ended).toMatchObject({ exitCode: 124, why: 'timed-out' });
    expect(await startOf(running.pid)).toBeUndefined();
  });

  it('that cannot be started is refused', async () => {
    const { processes, folder, notes } = await begun();
    await expect(
      processes.start({ folder, program: 'no-such-program', args: [], hear: () => undefined }),
    ).rejects.toMatchObject({
      reason: 'reject.program_not_started',
    });
    expect(await notes()).toEqual([]);
    await processes.close();
    await expect(processes.start({ folder, program: 'true', args: [], hear: () => undefined })).rejects.toMatchObject({
      reason: 'reject.stopping',
    });
  });
});

describe('a host that comes after another', () => {
  const stranger = (folder: string): ChildProcess => spawn('sleep', ['1000'], { cwd: folder, detached: true });

  it('fault 12: ends what the other has left running, and never a stranger that has its number', async () => {
    const { base, folder, processes } = await begun();
    await writeFile(join(folder, 'apart.js'), APART);
    await writeFile(join(folder, 'sleep.js'), 'setTimeout(() => undefined, 1_000_000);');
    const args = ['-c', 'node apart.js sleep.js > away & env -i sleep 1000 & echo $! > bare; sleep 1000'];
    // Nobody waits for this one: its host is gone.
    const mark = 'e'.repeat(32);
    const orphan = spawn('sh', args, { cwd: folder, detached: true, env: { ...process.env, [MARK]: mark } });
    const numbers = await Promise.all(['away', 'bare'].map((name) => numberIn(join(folder, name))));
    const left = await processes.start({ folder, program: 'sleep', args: ['1000'], hear: () => undefined });
    const pids = [left.pid, orphan.pid ?? 0, ...numbers];
    const other = stranger(folder);
    onTestFinished(() => void other.kill('SIGKILL'));
    const notes = join(base, 'studio', 'runs');
    const [name = ''] = await readdir(notes);
    const note = JSON.parse(await readFile(join(notes, name), 'utf8')) as object;
    const started = await startOf(orphan.pid ?? 0);
    await writeFile(join(notes, `${mark}.json`), JSON.stringify({ ...note, mark, pid: orphan.pid, started }));
    const reused = { mark: 'f'.repeat(32), pid: other.pid, started: 'long ago' };
    await writeFile(join(notes, `${reused.mark}.json`), JSON.stringify(reused));
    await writeFile(join(notes, 'half.json'), '{"mar');
    const next = new NodeProcesses(join(base, 'studio'));
    expect(await next.recover()).toBe(2);
    await untilGone(...pids);
    expect(isAlive(other.pid ?? 0)).toBe(true);
    expect(await readdir(notes)).toEqual([]);
  });
});
