/** Remotes over a real sshd, signatures by real keys, a host that is killed in the middle of a push or a clone, and a full disk. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appendFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeUnit, read } from '../../testing/doors/calls.js';
import { git } from '../../testing/git/git-repository.js';
import { seeded, startGitServer } from '../../testing/git/git-server.js';
import { withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';
import { type WeftProgram, startWeft } from '../../testing/models/weft-program.js';

const run = promisify(execFile);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** An sshd on this machine that takes one key; what the user's git says about it stands in a configuration of the user's. */
async function startSshd() {
  const folder = await tempFolder();
  const port = await freePort();
  for (const name of ['host', 'user'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  await writeFile(join(folder, 'authorized'), await readFile(join(folder, 'user.pub')));
  await writeFile(join(folder, 'known'), '');
  await writeFile(
    join(folder, 'sshd'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${join(folder, 'host')}`,
      `AuthorizedKeysFile ${join(folder, 'authorized')}`,
      `PidFile ${join(folder, 'pid')}`,
      ...[
        'StrictModes no',
        'PasswordAuthentication no',
        'KbdInteractiveAuthentication no',
        'PermitRootLogin yes',
        'UsePAM no',
      ],
    ].join('\n'),
  );
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const sshd = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(folder, 'sshd')], { stdio: 'ignore' });
  onTestFinished(() => void sshd.kill());
  await writeFile(
    join(folder, 'ssh'),
    `Host *\n  Port ${port}\n  IdentityFile ${join(folder, 'user')}\n  IdentitiesOnly yes\n  UserKnownHostsFile ${join(folder, 'known')}\n  GlobalKnownHostsFile /dev/null\n`,
  );
  const config = join(folder, 'gitconfig');
  await writeFile(config, `[core]\n  sshCommand = ssh -F ${join(folder, 'ssh')}\n`);
  const accept = async (): Promise<void> => {
    const key = (await readFile(join(folder, 'host.pub'), 'utf8')).split(' ').slice(0, 2).join(' ');
    await appendFile(join(folder, 'known'), `[127.0.0.1]:${port} ${key}\n`);
  };
  return { config, accept, user: userInfo().username };
}

it('a host of ssh is taken when its key is known, and is then cloned from, fetched from and pushed to', async () => {
  const { config, accept, user } = await startSshd();
  vi.stubEnv('GIT_CONFIG_GLOBAL', config);
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await startGitServer();
  const commit = await seeded(server, 'project', { a: '1\n' });
  const studio = await startTestStudio(undefined, { cloneProtocols: ['ssh'], remoteWaitsMs: [200, 200] });
  const folder = join(await tempFolder(), 'mine');
  const url = `${user}@127.0.0.1:${join(server.folder, 'project.git')}`;
  const clone = () => studio.call('POST', '/studio/repositories/clone', { body: { url, targetPath: folder } });
  // It may take sshd a moment to listen.
  const isUnknown = async (): Promise<boolean> => (await clone()).text.includes('reject.remote_host_unknown');
  await vi.waitUntil(isUnknown, { timeout: 20_000, interval: 200 });
  await accept();
  expect(await clone()).toMatchObject({ status: 200, json: { path: folder } });
  const { branch, post, repositoryId } = await withRepository(studio, folder, commit);
  await branch('idea', { a: '2\n' });
  expect((await post(`repositories/${repositoryId}/push`, { branchId: 'idea' })).json).toMatchObject({ moved: true });
  expect((await post(`repositories/${repositoryId}/fetch`)).json).toMatchObject({ branches: { main: commit } });
  expect(await git(join(server.folder, 'project.git'), 'show', 'idea:a')).toBe('2');
});

it('a clone says how far it is, in the words of git, and nothing of it once it is done', async () => {
  const server = await startGitServer();
  const textOf = (at: number): string => randomBytes(12_000).toString('base64') + at;
  await seeded(
    server,
    'project',
    Object.fromEntries(Array.from({ length: 60 }, (_none, at) => [`f${at}`, textOf(at)])),
  );
  let goOn = (): void => undefined;
  const isHeld = new Promise<void>((resolve) => (goOn = resolve));
  // Half of what is sent comes, and the rest when it is let go on.
  const passOn = async (answer: IncomingMessage, to: ServerResponse): Promise<void> => {
    to.writeHead(answer.statusCode ?? 500, answer.headers);
    let sent = 0;
    for await (const piece of answer as AsyncIterable<Buffer>) {
      if (sent > 400_000) await isHeld;
      sent += piece.length;
      to.write(piece);
    }
    to.end();
  };
  const front = createServer((from, to) => {
    const { method, headers, url } = from;
    from.pipe(request(`${server.origin}${url}`, { method, headers }, (answer) => void passOn(answer, to)));
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void front.close());
  const studio = await startTestStudio(undefined, { cloneProtocols: ['http'] });
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/project.git`;
  const targetPath = join(await tempFolder(), 'mine');
  const made = studio.call('POST', '/studio/repositories/clone', { body: { url, targetPath } });
  const transfers = async () =>
    (await studio.call('GET', '/studio/transfers')).json as { phase: string; percent: number }[];
  await vi.waitFor(async () => {
    expect(await transfers()).toEqual([
      {
        of: targetPath,
        kind: 'clone',
        address: url,
        since: expect.any(String),
        phase: 'Receiving objects',
        percent: expect.any(Number),
      },
    ]);
    expect((await transfers())[0]?.percent).toBeGreaterThan(10);
  }, 30_000);
  expect((await transfers())[0]?.percent).toBeLessThan(90);
  goOn();
  expect(await made).toMatchObject({ status: 200 });
  expect(await transfers()).toEqual([]);
});

it.each(['ssh', 'gpg'] as const)('work leaves with a signature by the key of the user: %s', async (sign) => {
  const home = await tempFolder();
  const config = join(home, 'gitconfig');
  const author = { name: 'Ada', email: 'ada@example.test' };
  if (sign === 'ssh') {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(home, 'key')]);
    await writeFile(join(home, 'signers'), `${author.email} ${await readFile(join(home, 'key.pub'), 'utf8')}`);
    await writeFile(
      config,
      `[user]\n  signingKey = ${join(home, 'key.pub')}\n[gpg "ssh"]\n  allowedSignersFile = ${join(home, 'signers')}\n`,
    );
  } else {
    await writeFile(config, `[user]\n  signingKey = ${author.email}\n`);
    const making = ['--batch', '--homedir', home, '--passphrase', '', '--quick-gen-key', `Ada <${author.email}>`];
    execFileSync('gpg', making, { stdio: 'ignore' });
    onTestFinished(() => void execFileSync('gpgconf', ['--homedir', home, '--kill', 'gpg-agent']));
  }
  vi.stubEnv('GIT_CONFIG_GLOBAL', config);
  vi.stubEnv('GNUPGHOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await startGitServer();
  const commit = await seeded(server, 'project', { a: '1\n' });
  const studio = await startTestStudio(undefined, { cloneProtocols: ['http'] });
  const folder = join(await tempFolder(), 'mine');
  await studio.call('POST', '/studio/repositories/clone', { body: { url: server.url('project'), targetPath: folder } });
  const { branch, post, repositoryId } = await withRepository(studio, folder, commit);
  await branch('idea', { a: '2\n' });
  await post(`repositories/${repositoryId}/fetch`);
  const body = { branchId: 'idea', shape: 'squash', sign, author };
  const pushed = (await post(`repositories/${repositoryId}/push`, body)).json as { commit: string };
  const bare = join(server.folder, 'project.git');
  const verified = (commit: string): Promise<string> =>
    git(bare, '-c', `gpg.format=${sign === 'gpg' ? 'openpgp' : 'ssh'}`, 'verify-commit', commit);
  // It fails where the signature is not good, or there is none.
  await verified(pushed.commit);
  for (const other of ['merge', 'rebase']) {
    const asked = { ...body, shape: other, branch: `as-${other}` };
    await verified(((await post(`repositories/${repositoryId}/push`, asked)).json as { commit: string }).commit);
  }
  // The settings of a goal are as good as what the call says, and are of that goal alone.
  await makeUnit(studio);
  const { goals } = await read<{ goals: { goalId: string }[] }>(studio, '/goals');
  const goalId = goals[0]!.goalId;
  const settings = { goalId, shape: 'squash', sign, author };
  await studio.call('PUT', `/studio/repositories/${repositoryId}/publishing`, { body: settings });
  const bySettings = async (branch: string, of: object): Promise<string> => {
    const asked = { branchId: 'idea', branch, title: 'By the settings', ...of };
    return ((await post(`repositories/${repositoryId}/push`, asked)).json as { commit: string }).commit;
  };
  await verified(await bySettings('of-the-goal', { goalId }));
  await expect(verified(await bySettings('of-no-goal', { shape: 'squash' }))).rejects.toThrow();
  // A second signature would be another commit.
  expect((await post(`repositories/${repositoryId}/push`, body)).json).toMatchObject({ ...pushed, moved: false });
  expect(await post(`repositories/${repositoryId}/push`, { ...body, signingKey: '/nowhere' })).toMatchObject({
    status: 422,
    json: { code: 'reject.signing_failed' },
  });
});

it('a host that is killed while it pushes or fetches does either once, after its next start', async () => {
  const server = await startGitServer();
  const commit = await seeded(server, 'project', { a: '1\n' });
  const bare = join(server.folder, 'project.git');
  const base = await tempFolder();
  const start = (): Promise<WeftProgram> => startWeft(base);
  let weft = await start();
  const made = await weft.post('/repositories/clone', { url: server.url('project'), targetPath: join(base, 'mine') });
  const path = `/repositories/${String(made.json['repositoryId'])}`;
  await weft.post('/branches', { name: 'idea', fromBranchId: 'main' });
  await weft.post('/branches/idea/resync-files', { files: [{ path: 'a', content: '2\n' }], deletedPaths: [] });
  await weft.post(`${path}/fetch`);
  const push = { branchId: 'idea', shape: 'squash', title: 'Once' };
  // The request that is under way when the host dies: refs of a push, its objects, refs of a fetch.
  for (const [kind, asked] of [
    ['push', 'service=git-receive-pack'],
    ['push', 'POST /project.git/git-receive-pack'],
    ['fetch', 'POST /project.git/git-upload-pack'],
  ] as const) {
    let killed: Promise<void> | undefined;
    server.before = async (request) => {
      if (killed === undefined && `${request.method} ${request.url}`.includes(asked)) await (killed = weft.kill());
      return false;
    };
    await weft.post(`${path}/${kind}`, kind === 'push' ? push : {}).catch(() => undefined);
    expect(killed, asked).toBeDefined();
    weft = await start();
  }
  server.before = () => false;
  const [one, two] = [await weft.post(`${path}/push`, push), await weft.post(`${path}/push`, push)];
  expect(two.json).toEqual({ ...one.json, moved: false });
  expect((await weft.post(`${path}/fetch`)).status).toBe(200);
  const commits = (await git(bare, 'log', '--format=%H', 'idea')).split('\n');
  expect(commits).toEqual([one.json['commit'], commit]);
  expect(await git(bare, 'for-each-ref', '--format=%(refname:short)')).toBe('idea\nmain');
});

/** All that runs below a process. */
async function below(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-e', '-o', 'pid=,ppid=']);
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const of = (parent: number): number[] =>
    pairs.filter(([, above]) => above === parent).flatMap(([child = 0]) => [child, ...of(child)]);
  return of(pid);
}

it('a clone that is killed with its host leaves its folder until the next start, and nothing behind it', async () => {
  const server = await startGitServer();
  await seeded(server, 'project', { a: '1\n' });
  const base = await tempFolder();
  const targetPath = join(base, 'mine');
  const weft = await startWeft(base);
  const isAsked = new Promise<void>((resolve) => {
    // It is never answered.
    server.before = ({ method }) => {
      if (method === 'POST') resolve();
      return method === 'POST';
    };
  });
  const made = weft.post('/repositories/clone', { url: server.url('project'), targetPath }).catch(() => undefined);
  await isAsked;
  const children = await below(weft.pid);
  expect(children.length).toBeGreaterThan(0);
  // Power goes for all of them at once.
  process.kill(weft.pid, 'SIGSTOP');
  for (const pid of children) process.kill(pid, 'SIGKILL');
  await weft.kill();
  await made;
  expect(await readdir(targetPath)).toEqual(['.git']);
  server.before = () => false;
  const again = await startWeft(base);
  expect(await readdir(base)).not.toContain('mine');
  const clone = await again.post('/repositories/clone', { url: server.url('project'), targetPath });
  expect(clone, JSON.stringify(clone.json)).toMatchObject({ status: 200 });
  await again.kill();
  await startWeft(base);
  expect((await readdir(targetPath)).sort()).toEqual(['.git', 'a']);
});

it('a clone for which the disk has no space leaves none of it taken', async () => {
  const server = await startGitServer();
  const large = Buffer.alloc(6 << 20);
  for (let at = 0; at < large.length; at += 32) createHash('sha256').update(`${at}`).digest().copy(large, at);
  await seeded(server, 'large', { a: large.toString('latin1') });
  await seeded(server, 'small', { a: Buffer.from(large.subarray(0, 1 << 20)).toString('latin1') });
  const base = await tempFolder();
  const disk = join(base, 'disk');
  await mkdir(disk);
  // A disk of its own, of five megabytes.
  const within = ['bwrap', '--dev-bind', '/', '/', '--size', String(5 << 20), '--tmpfs', disk, '--die-with-parent'];
  const weft = await startWeft(base, ['--agents', 'off'], {}, within);
  const clone = (name: string) =>
    weft.post('/repositories/clone', { url: server.url(name), targetPath: join(disk, 'mine') });
  for (let n = 0; n < 2; n++) {
    const refused = await clone('large');
    expect(refused.json, JSON.stringify(refused.json)).toMatchObject({ code: 'reject.disk_full' });
  }
  const made = await clone('small');
  expect(made.status, JSON.stringify(made.json)).toBe(200);
});
