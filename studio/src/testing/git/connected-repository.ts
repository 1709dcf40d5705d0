import { join } from 'node:path';
import { expect } from 'vitest';
import { git } from './git-repository.js';
import { type GitServer, seeded, startGitServer } from './git-server.js';
import { type StudioRepository, withRepository } from './studio-repository.js';
import { tempFolder } from '../temp-folder.js';
import { startTestStudio } from '../test-studio.js';

export interface Connected extends StudioRepository {
  readonly server: GitServer;
  /** The repository there. */
  readonly bare: string;
  /** A clone of somebody else's. */
  readonly theirs: string;
}

/** A studio with a clone of a repository that real git serves over HTTP. */
export async function connected(files: Readonly<Record<string, string>> = { a: '1\n', b: '2\n' }): Promise<Connected> {
  const server = await startGitServer();
  const commit = await seeded(server, 'team/project', files);
  const studio = await startTestStudio(undefined, { cloneProtocols: ['http'], remoteWaitsMs: [1, 1] });
  const base = await tempFolder();
  const [folder, theirs] = [join(base, 'mine'), join(base, 'theirs')];
  await git(base, 'clone', '--quiet', server.url('team/project'), theirs);
  const made = await studio.call('POST', '/studio/repositories/clone', {
    body: { url: server.url('team/project'), targetPath: folder },
  });
  expect(made.json).toMatchObject({ path: folder, leftOut: [] });
  const bare = join(server.folder, 'team/project.git');
  return { ...(await withRepository(studio, folder, commit)), server, bare, theirs };
}
