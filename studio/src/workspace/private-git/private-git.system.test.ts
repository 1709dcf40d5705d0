/**
 * Private repositories, confined for real: what a program of an agent finds by git, and what it sets there in order to reach the host.
 * The host's own calls about that folder come afterwards; none runs anything of it, and no ref but the branch's is moved.
 */
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeUnit, post, read } from '../../testing/doors/calls.js';
import { git, gitRepository, shell } from '../../testing/git/git-repository.js';
import { storeOf, withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

async function atWork() {
  const studio = await startTestStudio(undefined, { confinement: {} });
  const user = join(await tempFolder(), 'user');
  const commit = await gitRepository(user, { a: '1\n', b: '2\n', 'run.sh': '#!/bin/sh\ntrue\n' });
  await shell(
    user,
    'git tag -a -m one v1.2.3; git config core.sshCommand of-the-user; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit',
  );
  const repository = await withRepository(studio, user, commit);
  const unit = await makeUnit(studio);
  const run = async (buildCommand: string): Promise<{ exitCode: number; stdOut: string; stdErr: string }> => {
    const { status, json } = await studio.call('POST', `/studio/workspace/build?workUnitId=${unit.workUnitId}`, {
      body: { buildCommand, timeoutSeconds: 60 },
    });
    expect(status).toBe(200);
    return (json as { builds: { exitCode: number; stdOut: string; stdErr: string }[] }).builds[0]!;
  };
  const folderOf = async (): Promise<string> =>
    (await read<{ workingDirectory: string }>(studio, `/workspace/path?branchId=${unit.branchId}`)).workingDirectory;
  return { ...repository, user, unit, run, folderOf };
}

it('a confined program finds the repository of its folder, with what it needs and nothing more', async () => {
  const { run, commit } = await atWork();
  expect(
    await run('git describe && git rev-parse HEAD && git status --porcelain && git log --oneline | wc -l'),
  ).toMatchObject({
    exitCode: 0,
    stdOut: `v1.2.3\n${commit}\n1\n`,
  });
  const { stdOut } = await run(
    'git config --list; git remote; ls -A "$(git rev-parse --git-dir)/hooks"; git var GIT_AUTHOR_IDENT',
  );
  expect(stdOut).not.toContain('of-the-user');
  expect(stdOut).toMatch(/^Agent <agent@localhost>/m);
  expect((await run('touch /weft-git-objects/x || rm -rf /weft-git-objects/*')).exitCode).not.toBe(0);
  // What it sets up lasts from one program to the next: hooks of its project run, in here.
  expect(
    await run(
      'printf "#!/bin/sh\\necho hooked\\n" > $(git rev-parse --git-dir)/hooks/pre-commit && chmod +x $(git rev-parse --git-dir)/hooks/pre-commit',
    ),
  ).toMatchObject({ exitCode: 0 });
  const made = await run('echo more > a && git commit -qam mine 2>&1 && git status --porcelain && git describe');
  expect(made.stdOut).toMatch(/^hooked\nv1\.2\.3-1-g/);
  expect(await run('git log --format=%s -1')).toMatchObject({ stdOut: 'mine\n' });
});

it('the main branch and candidates are run with tags too', async () => {
  const { studio } = await atWork();
  const { json } = await studio.call('POST', '/studio/workspace/build?branchId=main', {
    body: { buildCommand: 'git describe', timeoutSeconds: 60 },
  });
  expect(json).toMatchObject({ builds: [{ exitCode: 0, stdOut: 'v1.2.3\n' }] });
});

it('nothing that a program sets there runs on the host, or moves a ref of anybody', async () => {
  const { studio, user, unit, run, folderOf, post: call } = await atWork();
  const outside = await tempFolder();
  const canary = join(outside, 'ran');
  await run('true');
  const store = await storeOf(studio);
  // All but the branch that it works on.
  const refs = async (): Promise<string[]> => [
    ...(await git(store, 'for-each-ref')).split('\n').filter((line) => !line.includes('refs/weft/branches/')),
    await git(user, 'for-each-ref'),
  ];
  const before = await refs();
  // The program cannot see where this leads, and so only the host could ever make it.
  const evil = join(outside, 'evil.sh');
  await writeFile(evil, `#!/bin/sh\ntouch ${canary}\nexec cat\n`, { mode: 0o755 });
  const hostile = [
    `git config core.fsmonitor ${evil}`,
    `git config core.sshCommand ${evil}`,
    `git config core.pager ${evil}`,
    `git config core.editor ${evil}`,
    `git config core.hooksPath ${outside}`,
    `git config diff.external ${evil}`,
    `git config filter.evil.clean ${evil}`,
    `git config filter.evil.smudge ${evil}`,
    `git config merge.evil.driver ${evil}`,
    `git config diff.evil.textconv ${evil}`,
    `git config gpg.program ${evil}`,
    'git config commit.gpgSign true',
    `git config credential.helper '!${evil}'`,
    `git config alias.status '!${evil}'`,
    `git config includeIf.gitdir:/.path ${outside}/config`,
    `git config include.path ${outside}/config`,
    'printf "* filter=evil diff=evil merge=evil\\n" > .gitattributes',
    `echo ${user}/.git/objects > $(git rev-parse --git-dir)/objects/info/alternates; echo /weft-git-objects >> $(git rev-parse --git-dir)/objects/info/alternates`,
    `for h in pre-commit post-checkout post-index-change reference-transaction update; do printf '#!/bin/sh\\ntouch ${canary}\\n' > $(git rev-parse --git-dir)/hooks/$h; chmod +x $(git rev-parse --git-dir)/hooks/$h; done`,
    'git -c commit.gpgSign=false commit --no-verify -qam mine; git branch main; git tag -f v1.2.3; git update-ref refs/weft/branches/main HEAD',
    `git push -f ${user} HEAD:main; git push -f ${store} HEAD:refs/heads/main; git fetch ${user}`,
  ];
  await run('echo changed > a');
  for (const command of hostile) await run(command);
  await writeFile(join(outside, 'config'), `[core]\nfsmonitor = ${evil}\n[alias]\nx = !${evil}\n`);

  // The host: saving, comparing, searching, offering, bringing up, landing.
  const folder = await folderOf();
  expect(await readFile(join(folder, '.git'), 'utf8')).toBe('gitdir: /weft-git\n');
  await read(studio, `/workspace-status?branchId=${unit.branchId}`);
  await read(studio, `/workspace-summary?branchId=${unit.branchId}`);
  expect(await refs()).toEqual(before);
  await post(studio, '/branches', { name: 'beside', fromBranchId: 'main' });
  await post(studio, '/branches/beside/resync-files', { files: [{ path: 'b', content: 'beside\n' }] });
  const { proposalId } = await post<{ proposalId: string }>(studio, '/merges', {
    sourceBranch: unit.branchId,
    targetBranch: 'beside',
    summary: 'take it',
  });
  const proposal = await read<{ filesTouched: string[] }>(studio, `/merges/${proposalId}`);
  expect(proposal.filesTouched.toSorted()).toEqual(['.gitattributes', 'a']);
  await post(studio, `/merges/${proposalId}/review`, { decision: 'Approved' });
  await call(`merges/${proposalId}/apply`);
  await run('git status --porcelain > /dev/null; true');
  await expect(access(canary)).rejects.toThrow();
  expect(await git(user, 'log', '--format=%s', 'main')).toBe('first');
});
