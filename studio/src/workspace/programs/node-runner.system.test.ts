/** Programs confined on this machine, by bubblewrap. */
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { CACHES } from '../sandbox/caches.js';
import { findConfinement } from '../sandbox/node-confinement.js';
import { NodeProcesses } from './node-processes.js';
import { nodeRunner } from './node-runner.js';
import { markedWith } from './process-identity.js';
import type { Program } from './runner.js';

async function begun() {
  const base = await tempFolder();
  const folder = join(base, 'work');
  await mkdir(folder);
  const own = join(base, 'studio');
  const confinement = await findConfinement(own);
  expect(confinement.kind).toBe('bubblewrap');
  const processes = new NodeProcesses(own, { graceMs: 200, confinement });
  await processes.recover();
  onTestFinished(() => processes.close());
  const runner = nodeRunner(processes);
  const run = (command: string, more: Partial<Program> = {}) =>
    runner.run({ folder, command, timeoutMs: 20_000, mostBytes: 16_384, caches: 'repo-1', ...more });
  const ended = async (command: string, more: Partial<Program> = {}) => (await run(command, more)).ended;
  return { base, own, folder, run, ended };
}

describe('a confined program', () => {
  it('writes to its folder alone, and sees a list of the machine in place of all', async () => {
    const { base, folder, ended } = await begun();
    await writeFile(join(base, 'token'), 'secret');
    expect(await ended('echo in > inside && cat inside')).toMatchObject({ exitCode: 0, stdOut: 'in\n' });
    expect(await readFile(join(folder, 'inside'), 'utf8')).toBe('in\n');
    for (const path of [
      `${base}/token`,
      '/etc/shadow',
      homedir(),
      '/var/run/docker.sock',
      '/run',
      '/root',
      '/weft-home/.ssh',
    ])
      expect((await ended(`cat '${path}' || ls '${path}/'*`)).stdOut, path).toBe('');
    for (const path of ['/usr/weft-was-here', '/etc/weft-was-here', `${base}/beside`, '/weft-was-here'])
      expect((await ended(`echo x > ${path}`)).exitCode !== 0 || !(await readdir(base)).includes('beside'), path).toBe(
        true,
      );
    expect(await readdir(base)).toEqual(['studio', 'token', 'work']);
    expect((await ended('ls /; env; id -u; node --version && git --version')).exitCode).toBe(0);
  });

  it('gets nothing of the environment that could be a secret, and a home of its own', async () => {
    const { ended } = await begun();
    process.env['WEFT_CANARY'] = 'secret';
    onTestFinished(() => void delete process.env['WEFT_CANARY']);
    const { stdOut } = await ended('env; ls -A $HOME');
    expect(stdOut).toContain('HOME=/weft-home\n');
    expect(stdOut).not.toContain('secret');
    expect(stdOut).not.toMatch(/TOKEN|SECRET|_KEY|PROXY/);
  });

  it('keeps caches between programs of one repository, and no settings', async () => {
    const { ended } = await begun();
    for (const name of CACHES) expect((await ended(`echo kept > ~/${name}/one`)).exitCode, name).toBe(0);
    await ended('echo script-shell=/tmp/evil > ~/.npmrc; mkdir -p ~/.config/git; echo x > ~/.config/git/config');
    expect(
      await ended(`cd ~ && cat ${CACHES.map((name) => `${name}/one`).join(' ')} | sort -u; ls .npmrc .config`),
    ).toMatchObject({
      stdOut: 'kept\n',
      exitCode: 2,
    });
    expect((await ended('cat ~/.npm/one', { caches: 'repo-2' })).exitCode).not.toBe(0);
  });

  it('reaches no network, not even this machine', async () => {
    const { ended } = await begun();
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const ask = `node -e "fetch('http://127.0.0.1:${port}').then(()=>console.log('out'),()=>console.log('no'))"`;
    expect(await ended(ask)).toMatchObject({ stdOut: 'no\n' });
    expect(asked).toBe(0);
  });

  it('sees no process of others, and signals none', async () => {
    const { ended } = await begun();
    const { stdOut } = await ended(
      `ls /proc | grep -c '^[0-9]'; kill -0 ${process.pid} 2>&1; cat /proc/${process.pid}/environ 2>&1`,
    );
    expect(Number(stdOut.split('\n')[0])).toBeLessThan(10);
    expect(stdOut).toMatch(/[Nn]o such process/);
  });

  it('is bounded in memory, files and processes', async () => {
    const { ended } = await begun();
    const grow = 'node -e "const a=[];for(;;)a.push(Buffer.alloc(1<<30))"';
    expect((await ended(grow)).exitCode).not.toBe(0);
    expect((await ended('ulimit -a')).stdOut).toMatch(/core file size.* 0\n|coredump.* 0\n/);
    expect((await ended('truncate -s 3G big')).exitCode).not.toBe(0);
  });

  it('has no memory that is a folder without a bound', async () => {
    const { ended } = await begun();
    const { stdOut } = await ended('df -Pk --type=tmpfs | tail -n +2');
    const shown = stdOut
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/));
    const sizes = new Map(shown.map(([, kilobytes, , , , path]) => [path, Number(kilobytes)]));
    expect([...sizes.keys()]).toEqual(expect.arrayContaining(['/tmp', '/dev/shm', '/run', '/weft-home']));
    for (const [path, kilobytes] of sizes) {
      const isWritable = (await ended(`touch ${path}/weft-was-here`)).exitCode === 0;
      expect(isWritable && kilobytes > 2 << 20, path).toBe(false);
    }
    expect((await ended('touch /weft-was-here /dev/weft-was-here')).stdErr.match(/Read-only/g)).toHaveLength(2);
    expect((await ended('echo x > /dev/null && head -c 1 /dev/urandom && node -p 1')).exitCode).toBe(0);
  });

  it('mounts no link: one below the folder leads nowhere, whoever has put it there', async () => {
    const { base, folder, run, ended } = await begun();
    const secret = join(base, 'secret');
    await mkdir(secret);
    await writeFile(join(secret, 'token'), 'secret');
    await symlink(secret, join(folder, 'out'));
    const look = 'cat token; echo x > token; echo x > beside';
    await expect(run(look, { below: 'out' })).rejects.toMatchObject({ reason: 'reject.path_outside_repository' });
    expect(await ended(`cd out; ${look}`)).toMatchObject({ stdOut: '' });
    expect(await readFile(join(secret, 'token'), 'utf8')).toBe('secret');
    expect(await readdir(secret)).toEqual(['token']);
    await mkdir(join(folder, 'sub'));
    expect(await ended('pwd', { below: 'sub' })).toMatchObject({ stdOut: `${folder}/sub\n` });
  });

  it('ends with all that it has started', async () => {
    const { run, folder } = await begun();
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
