/**
 * What a confined program leaves in its folder for whoever comes after it: the host that saves, compares and lands, and programs of
 * other units. Each is run by the door, and is in the record with its words and its end; then the host does all that it does with
 * such a folder, and answers or refuses. Nothing outside is changed, and nobody waits.
 */
import { spawn } from 'node:child_process';
import { lstat, readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect, it, onTestFinished } from 'vitest';
import { makeUnit, post, read } from '../../testing/doors/calls.js';
import { git, gitRepository } from '../../testing/git/git-repository.js';
import { withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

interface Around {
  /** Program that leaves a mark outside; no confined one can see it. */
  readonly evil: string;
  readonly outside: string;
  readonly user: string;
  /** Folder of another unit. */
  readonly beside: string;
  /** Process that is this user's and no part of any sandbox. */
  readonly victim: number;
}

interface Row {
  readonly way: string;
  readonly command: (around: Around) => string;
  /** What it writes, as far as it must. */
  readonly said?: RegExp;
}

const inotify = (path: string): string =>
  `perl -e 'my $p = "${path}\\0"; my $f = syscall(${process.arch === 'x64' ? 294 : 26}, 0); print syscall(${process.arch === 'x64' ? 254 : 27}, $f, $p, 0xfff) < 0 ? "none\\n" : "watched\\n"'`;

const ROWS: readonly Row[] = [
  {
    way: 'settings of git in a repository in place of its own: fsmonitor, hooks, a folder elsewhere',
    command: ({ evil, outside }) =>
      `rm -f .git; git init -q . && git config core.fsmonitor ${evil} && git config core.hooksPath ${outside} && git config core.worktree ${outside} && echo set`,
  },
  {
    way: 'a command for ssh, and a remote that asks for it',
    command: ({ evil }) =>
      `git config core.sshCommand ${evil}; git remote add origin ssh://host/x 2>/dev/null; git fetch origin 2>&1 | grep -c evil.sh`,
  },
  {
    way: 'settings that are included where a folder is here',
    command: ({ outside }) =>
      `git config includeIf.gitdir:/**.path ${outside}/config; printf '[include]\\npath = ${outside}/config\\n' > ~/.gitconfig; echo set`,
    said: /^set/,
  },
  {
    way: 'hooks in the private repository',
    command: ({ evil }) =>
      `d=$(git rev-parse --git-dir)/hooks; mkdir -p $d; for h in pre-commit post-checkout reference-transaction post-merge pre-auto-gc; do cp /bin/true $d/$h; printf '#!/bin/sh\\n${evil}\\n' > $d/$h; done; ls $d | wc -l`,
  },
  {
    way: 'helpers of credentials',
    command: ({ evil }) =>
      `git config credential.helper '!${evil}'; git config --global credential.helper '!${evil}'; printf 'host=example.test\\nprotocol=https\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill 2>&1 | grep -c password=`,
    said: /^0\n/,
  },
  {
    way: 'filters by attributes, here and in a repository below',
    command: ({ evil }) =>
      `printf '* filter=evil diff=evil merge=evil\\n' > .gitattributes; mkdir -p sub && cd sub && git init -q . && git config filter.evil.clean ${evil} && git config filter.evil.process ${evil} && git config core.fsmonitor ${evil} && echo x > b && echo set`,
    said: /^set/,
  },
  {
    way: 'hard links to files of others, and across its own mounts',
    command: ({ user, outside }) =>
      `ln ${user}/.git/config a1 2>&1; ln ${outside}/secret a2 2>&1; ln ~/.npm/x a3 2>&1; ls a1 a2 a3 2>/dev/null | wc -l`,
    said: /0\n$/,
  },
  {
    way: 'a watch on the folder of another unit',
    command: ({ beside, user }) => `${inotify(beside)}; ${inotify(user)}`,
    said: /^none\nnone\n$/,
  },
  {
    way: 'a socket in the abstract namespace, of the studio or of another program',
    command: () =>
      `node -e "require('net').connect('\\0weft-planted').on('connect',()=>console.log('out')).on('error',()=>console.log('none'))"; cut -d' ' -f8 /proc/net/unix | grep -c planted`,
    said: /^none\n0\n/,
  },
  {
    way: 'ptrace of the studio, and of a program of its user',
    command: ({ victim }) =>
      [process.pid, victim]
        .map(
          (pid) =>
            `perl -e 'print syscall(${process.arch === 'x64' ? 101 : 117}, 16, ${pid}, 0, 0) < 0 ? "none\\n" : "traced\\n"'; kill -STOP ${pid} 2>/dev/null && echo stopped`,
        )
        .join('; '),
    said: /^none\nnone\n$/,
  },
  {
    way: 'memory that is shared by name, which the next program finds',
    command: () => `ls /dev/shm | wc -l; echo planted > /dev/shm/planted; echo planted > /tmp/planted-for-all`,
    said: /^0\n/,
  },
  {
    way: 'a program that takes the rights of its owner',
    command: () => `cp /bin/sh rights && chmod 6755 rights && echo made`,
    said: /^made/,
  },
  {
    way: 'folders that are nested deeper than a path may be long',
    command: () =>
      `perl -e 'my $n = "d" x 200; for (1..200) { mkdir $n or last; chdir $n or last } open(my $f, ">", "end"); chdir $ENV{TMPDIR}; for (1..200) { mkdir $n or last; chdir $n or last } print "made\\n"'`,
    said: /^made/,
  },
  {
    way: 'a file that is huge, and has no bytes on the disk',
    command: () => `truncate -s 2147483647 huge && ls -l huge | wc -l`,
    said: /^1\n/,
  },
];

it.each(ROWS)('$way', async ({ command, said }) => {
  const host = createHost({ store: memoryStore() });
  onTestFinished(() => host.close());
  const folder = await tempFolder();
  const studio = await startTestStudio(host, { folder, confinement: {} });
  const user = join(await tempFolder(), 'user');
  const commit = await gitRepository(user, { a: '1\n' });
  const { post: call } = await withRepository(studio, user, commit);
  const outside = await tempFolder();
  const [evil, ran] = [join(outside, 'evil.sh'), join(outside, 'ran')];
  await writeFile(evil, `#!/bin/sh\ntouch ${ran}\nexec cat\n`, { mode: 0o755 });
  for (const hook of ['pre-commit', 'post-checkout', 'reference-transaction'])
    await writeFile(join(outside, hook), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  await writeFile(join(outside, 'config'), `[core]\nfsmonitor = ${evil}\nsshCommand = ${evil}\n`);
  await writeFile(join(outside, 'secret'), 'a canary\n');
  const abstract = createServer();
  await new Promise<void>((resolve) => abstract.listen('\0weft-planted', resolve));
  onTestFinished(() => void abstract.close());
  const victim = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void victim.kill('SIGKILL'));
  const [unit, other] = [await makeUnit(studio), await makeUnit(studio)];
  const at = (of: typeof unit): string => `?workUnitId=${of.workUnitId}`;
  const run = (of: typeof unit, buildCommand: string) =>
    post<{ resultId: string }>(studio, `/workspace/exec${at(of)}`, { build: true, buildCommand, timeoutSeconds: 60 });
  await run(other, 'true');
  const folderOf = async (of: typeof unit): Promise<string> =>
    (await read<{ workingDirectory: string }>(studio, `/workspace/path?branchId=${of.branchId}`)).workingDirectory;
  const beside = await folderOf(other);
  const [there, theirs, config] = [
    (await readdir(outside)).toSorted(),
    await readdir(beside),
    await readFile(join(user, '.git', 'config'), 'utf8'),
  ];

  const tried = command({ evil, outside, user, beside, victim: victim.pid! });
  const { resultId } = await run(unit, tried);
  type Output = { entries: { command: string; exitCode: number; stdOut: string; stdErr: string }[] };
  const output = await read<Output>(
    studio,
    `/workspace/exec/output${at(unit)}&resultId=${encodeURIComponent(resultId)}`,
  );
  expect(output.entries).toMatchObject([{ command: tried, exitCode: expect.any(Number) as number }]);
  if (said) expect(output.entries[0]!.stdOut).toMatch(said);
  expect(output.entries[0]!.stdOut + output.entries[0]!.stdErr).not.toContain('a canary');
  // The one that follows finds nothing of it in what all programs share.
  const next = await run(other, 'ls /dev/shm /tmp | grep -c planted; git config --get-regexp "evil|include" ; true');
  const seen = await read<Output>(
    studio,
    `/workspace/exec/output${at(other)}&resultId=${encodeURIComponent(next.resultId)}`,
  );
  expect(seen.entries[0]!.stdOut).toBe('0\n');

  // Whatever the host does with the folder: it is done, or refused in words.
  const proposed = { sourceBranch: unit.branchId, targetBranch: 'main', summary: 'take it' };
  for (const [how, path, body] of [
    ['GET', `workspace-status?branchId=${unit.branchId}`, undefined],
    ['GET', `branches/${unit.branchId}/status`, undefined],
    ['GET', `workspace/search${at(unit)}&query=x`, undefined],
    ['POST', 'merges', proposed],
  ] as const) {
    const { status, json, text } = await studio.call(how, `/studio/${path}`, { body });
    expect(status, `${path}: ${text}`).toBeLessThan(500);
    if (how !== 'POST' || status !== 200) continue;
    const { proposalId } = json as { proposalId: string };
    await post(studio, `/merges/${proposalId}/review`, { decision: 'Approved' });
    expect((await call(`merges/${proposalId}/land`)).status).toBeLessThan(500);
  }
  // Others go on, and the unit can be ended with all that it has left.
  expect((await call(`workunits/${other.workUnitId}/cancel`)).status).toBeLessThan(500);
  expect((await readdir(outside)).toSorted()).toEqual(there);
  expect(await readdir(beside).catch(() => theirs)).toEqual(theirs);
  expect(await readFile(join(user, '.git', 'config'), 'utf8')).toBe(config);
  expect(await git(user, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  expect(victim.exitCode ?? victim.signalCode).toBeNull();
  // What landed has the rights of any file, and no more.
  for (const name of await readdir(user)) {
    const found = await lstat(join(user, name));
    if (found.isFile()) expect([name, found.mode & 0o7000, found.nlink]).toEqual([name, 0, 1]);
  }
  // The next start clears away what programs have left.
  await studio.close();
  const again = await startTestStudio(host, { folder, confinement: {} });
  expect(await again.call('GET', '/studio/health')).toMatchObject({ status: 200 });
});
