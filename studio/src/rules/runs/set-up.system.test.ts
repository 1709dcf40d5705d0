/** A set-up confined for real: what its script sees of the machine, and what comes of it in the next folder. */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeUnit, post, queue } from '../../testing/doors/calls.js';
import { git, gitRepository } from '../../testing/git/git-repository.js';
import { scriptedModels } from '../../testing/models/scripted-models.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

const LOCK = {
  name: 'app',
  lockfileVersion: 3,
  packages: {
    '': { name: 'app', dependencies: { dep: 'file:dep' } },
    dep: { version: '1.0.0' },
    'node_modules/dep': { resolved: 'dep', link: true },
  },
};

it.each([false, true])('npm ci sets up two folders once, confined; online: %s', async (isOnline) => {
  const base = await tempFolder();
  const [user, secret] = [join(base, 'user'), join(base, 'secret')];
  await writeFile(secret, 'secret');
  const server = createServer((socket) => void socket.end()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await vi.waitFor(() => expect(server.listening).toBe(true));
  const { port } = server.address() as AddressInfo;
  await gitRepository(user, {
    '.gitignore': 'node_modules/\nseen\n',
    'package.json': JSON.stringify({ name: 'app', dependencies: { dep: 'file:dep' } }),
    'package-lock.json': JSON.stringify(LOCK),
    'dep/package.json': JSON.stringify({ name: 'dep', version: '1.0.0' }),
  });
  const connect = `node -e 'require("net").connect(${port}, "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(1))'`;
  const script = [
    'npm ci --no-audit --no-fund',
    `{ cat ${secret} 2>/dev/null; ${connect} && echo online || echo offline; } > seen`,
    'head -c 16 /dev/urandom | od -An -tx1 >> seen',
  ].join(' && ');
  const told: string[] = [];
  const models = scriptedModels(({ said }) => {
    told.push(said);
    return { calls: [['clarification_request', { question: 'Which?' }]] };
  });
  const setUp = { repository: user, script, lockfiles: ['package-lock.json'], seconds: 300, isOnline };
  const studio = await startTestStudio(undefined, { agents: { models }, setUps: [setUp], confinement: {} });
  await post(studio, '/repositories', { path: user });
  await queue(studio, await makeUnit(studio));
  await queue(studio, await makeUnit(studio));
  await vi.waitFor(() => expect(told).toHaveLength(2), { timeout: 120_000, interval: 50 });
  for (const said of told) expect(said).toContain('It left node_modules, seen');
  const spaces = join(studio.branches, 'workspaces');
  const all = (await readdir(spaces)).map((name) => join(spaces, name));
  const [one = '', other] = await Promise.all(all.map((folder) => readFile(join(folder, 'seen'), 'utf8')));
  expect(one).toBe(other);
  expect(one.split('\n')[0]).toBe(isOnline ? 'online' : 'offline');
  for (const folder of all)
    expect(await readFile(join(folder, 'node_modules/dep/package.json'), 'utf8')).toContain('dep');
});

it('what programs of agents leave in caches is there for the next of them, and for no script that sets a folder up', async () => {
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, { '.gitignore': 'seen\n', lock: 'one' });
  const poisoned = '~/.npm/poisoned';
  const look = `if [ -e ${poisoned} ]; then echo poisoned; else echo clean; fi`;
  const results: string[] = [];
  const models = scriptedModels(({ turn, request }) => {
    const last = request.messages.at(-1);
    if (last?.role === 'tool') results.push(JSON.stringify(last));
    if (turn === 0) return { calls: [['run', { command: `${look}; touch ${poisoned}` }]] };
    return { calls: [['clarification_request', { question: 'Which?' }]] };
  });
  const setUp = { repository: user, script: `${look} > seen`, lockfiles: ['lock'], seconds: 300, isOnline: false };
  const studio = await startTestStudio(undefined, { agents: { models }, setUps: [setUp], confinement: {} });
  await post(studio, '/repositories', { path: user });
  const asked = async (count: number): Promise<void> => {
    await queue(studio, await makeUnit(studio));
    await vi.waitFor(() => expect(results).toHaveLength(count), { timeout: 120_000, interval: 50 });
  };
  await asked(1);
  // Another lockfile: the folder of the next is set up anew.
  await writeFile(join(user, 'lock'), 'two');
  await git(user, 'commit', '--quiet', '--all', '--message', 'another lock');
  await asked(2);
  expect(results[0]).toContain('clean');
  expect(results[1]).toContain('poisoned');
  const spaces = join(studio.branches, 'workspaces');
  const seen = (await readdir(spaces)).map((name) => readFile(join(spaces, name, 'seen'), 'utf8'));
  expect(await Promise.all(seen)).toEqual(['clean\n', 'clean\n']);
});
