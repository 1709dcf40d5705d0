import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Plain git, as a user would call it, with a fixed author so that commits can be compared. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const when = '2024-01-01T00:00:00Z';
  const { stdout } = await run('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args], {
    cwd: folder,
    env: { ...process.env, GIT_AUTHOR_DATE: when, GIT_COMMITTER_DATE: when },
  });
  return stdout.trim();
}

/** A repository with one commit that holds the given files; answers the commit. */
export async function gitRepository(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  await mkdir(folder, { recursive: true });
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await writeFiles(folder, files);
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--allow-empty', '--message=first');
  return git(folder, 'rev-parse', 'HEAD');
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
