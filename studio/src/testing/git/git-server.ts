import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type GitServer, openGitServer } from '../../demo/forge/http-git.js';
import { git, shell } from './git-repository.js';
import { tempFolder } from '../temp-folder.js';

export type { GitServer } from '../../demo/forge/http-git.js';

/** Real git over HTTP, which ends with the test. */
export async function startGitServer(): Promise<GitServer> {
  const server = await openGitServer(await tempFolder());
  onTestFinished(() => server.close());
  return server;
}

/** A repository there with one commit of these files, on `main`; answers the commit. */
export async function seeded(
  server: GitServer,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const bare = await server.make(name);
  const folder = await tempFolder();
  await git(folder, 'init', '--quiet', '--initial-branch=main', '--template=');
  return commitThere(bare, folder, files, 'first');
}

/** Adds a commit to `main` there, as somebody else would, from a clone of theirs; answers it. */
export async function commitThere(
  bare: string,
  folder: string,
  files: Readonly<Record<string, string>>,
  message: string,
): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await shell(
    folder,
    'git add --all && git commit --quiet --message="$0" && git push --quiet "$1" HEAD:main',
    message,
    bare,
  );
  return git(folder, 'rev-parse', 'HEAD');
}
