/**
 * A whole machine with a systemd of its own, in which a test may install and start what it likes; nothing of it stays.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type WhenFinished, tempFolder } from './temp-folder.js';

const SCRIPT = fileURLToPath(new URL('machine.sh', import.meta.url));

export class Machine {
  readonly #pid: number;

  private constructor(pid: number) {
    this.#pid = pid;
  }

  /** Boots a machine; `seen` is a folder that it shares with the outside. */
  static async boot(seen: string, whenFinished: WhenFinished = onTestFinished): Promise<Machine> {
    const [folder, name] = [await tempFolder(whenFinished), `weft-test-${randomUUID()}`];
    const [mounts, images] = [join(folder, 'mounts'), join(folder, 'images')];
    await Promise.all([mkdir(mounts), mkdir(images)]);
    const own = ['--mount', '--pid', '--uts', '--ipc', '--net', '--fork', '--kill-child'];
    const child = spawn('unshare', [...own, 'sh', SCRIPT, mounts, seen, images, name], { stdio: 'ignore' });
    whenFinished(() => end(child, name));
    while (child.exitCode === null) {
      const pid = await childOf(child);
      const machine = pid === undefined ? undefined : new Machine(pid);
      if (machine && (await machine.#isUp())) return machine;
      await pause(50);
    }
    throw new Error('the machine did not start');
  }

  /** Output of a script for bash that starts in a folder; fails with all of it. */
  run(script: string, cwd = '/', network: 'own' | 'outside' = 'own'): Promise<string> {
    const spaces = ['--mount', '--pid', '--uts', '--ipc', '--cgroup', ...(network === 'own' ? ['--net'] : [])];
    const entered = ['--target', String(this.#pid), ...spaces, '--root', '--wd'];
    return said('nsenter', [...entered, 'bash', '-eu'], `cd ${cwd}\n${script}`);
  }

  #isUp(): Promise<boolean> {
    return this.run('systemctl is-active machine.target').then(...boolean);
  }
}

/**
 * Whether a machine can be booted here: that takes a root with nearly all of its rights, which in a container is rare.
 */
export function canBoot(): Promise<boolean> {
  return inGroups('mkdir "$0" && rmdir "$0"', `weft-test-${randomUUID()}`).then(...boolean);
}

const boolean = [() => true, () => false] as const;

async function end(child: ChildProcess, name: string): Promise<void> {
  // With its first process everything in it is gone, and only then does that end which has started it.
  const first = await childOf(child);
  if (first !== undefined) process.kill(first, 'SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  await inGroups('! test -e "$0" || find "$0" -depth -type d -exec rmdir {} +', name);
}

function inGroups(script: string, name: string): Promise<string> {
  const seen = 'mount -t cgroup2 cgroup2 /mnt && cd /mnt';
  return said('unshare', ['--mount', 'sh', '-c', `${seen} && ${script}`, name]);
}

async function childOf({ pid = 0 }: ChildProcess): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return children === '' ? undefined : Number(children.trim());
}

function said(program: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, (error, out, err) => {
      if (error) reject(new Error(`${error.message}\n${out}${err}`));
      else resolve(out + err);
    });
    child.stdin?.end(input);
  });
}
