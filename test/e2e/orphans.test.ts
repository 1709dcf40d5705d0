/** A studio that is killed leaves nothing running for long: the next one on its folder ends what it finds. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

const SERVER = `require('net').createServer().listen(0, '127.0.0.1', function () {
  require('fs').writeFileSync('port', String(this.address().port)); console.log('up') })`;
/** What `setsid` does, which is not on every machine: starts the server in a session of its own. */
const APART = "require('child_process').spawn('node', ['server.cjs'], { detached: true, stdio: 'ignore' })";

async function start(store: string) {
  const studio = new WeftProcess(['studio', '--listen', '127.0.0.1:0', '--store', store]);
  const [at = ''] = await studio.line(/^http:\S+$/);
  const { operate } = JSON.parse(await readFile(join(store, 'studio.tokens.json'), 'utf8')) as { operate: string };
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${operate}`, 'content-type': 'application/json' };
    const answer = await fetch(`${at}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status, path).toBe(200);
    return (await answer.json()) as Record<string, unknown>;
  };
  return { studio, post };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

it('studio fault 12: a server that a killed studio left running is ended by the next one', async () => {
  const store = await tempFolder();
  const user = join(store, 'user');
  await mkdir(user);
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: user });
  await writeFile(join(user, 'server.cjs'), SERVER);
  await writeFile(join(user, 'apart.cjs'), APART);
  execFileSync('git', ['add', '--all'], { cwd: user });
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', 'commit', '--quiet', '--message=x'], {
    cwd: user,
  });
  const { studio, post } = await start(store);
  await post('/repositories', { path: user });
  await post('/branches', { name: 'fix' });
  const { workingDirectory } = (await post('/branches/fix/checkout', {})) as { workingDirectory: string };
  const run = { runCommand: 'node apart.cjs & node server.cjs', timeoutSeconds: 2 };
  expect(await post('/workspace/run?branchId=fix', run)).toMatchObject({ running: true });
  const port = Number(await readFile(join(workingDirectory, 'port'), 'utf8'));
  process.kill(studio.pid, 'SIGKILL');
  await studio.exited;
  expect(await answers(port)).toBe(true);
  await start(store);
  while (await answers(port)) await new Promise((resolve) => setTimeout(resolve, 10));
});
