/** Repositories: the folders that the studio works on. */
import { z } from 'zod';
import { basesOf } from '../../rules/branches/bases.js';
import { planRegistration, registerFolder } from '../../rules/branches/register.js';
import { refusal } from '../../reasons.js';
import { listFiles as listFilesIn } from '../../workspace/files/list-files.js';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';
import { ExternalRepository, Repository, RepositoryFiles, RepositoryId, RepositoryPlace } from './repository-shape.js';

export const register = operation({
  summary: 'Register a git repository, or create one in a folder.',
  scope: 'operate',
  in: z.object({
    path: z.string().min(1).max(4096).describe('Absolute path of a repository, an empty folder, or one to create.'),
    label: z.string().min(1).max(200).optional().describe('Name for people. The label given first stays.'),
  }),
  out: RepositoryPlace,
  rest: { route: 'POST /studio/repositories' },
  tool: 'repository_register',
  external: {
    name: 'repo_register',
    out: ExternalRepository,
    result: ({ label = null, ...place }) => ({ ...place, label }),
  },
  dispatch: true,
  granted: true,
  refuses: [
    'reject.repository_path_unusable',
    'reject.repository_registered_elsewhere',
    'reject.partial_clone',
    'reject.git_failed',
  ],
  annotations: SETS,
}).run((context, { path, label }) => registerFolder(context, path, label));

export const plan = operation({
  summary: 'Say what registering a folder would do, without doing it.',
  scope: 'read',
  in: z.object({ path: z.string().min(1).max(4096).describe('Absolute path of the folder.') }),
  out: z.object({
    path: z.string().describe('Real path of the folder, as far as it is there.'),
    kind: z
      .enum(['repository', 'new', 'kept'])
      .describe('A git repository already, one that would be made, or a folder whose history the studio would keep.'),
    does: z.string().describe('What would be done, as one sentence says it.'),
    files: z.number().describe('Files that would be taken in; none but for a kept folder.'),
    secrets: z.array(z.string()).describe('Files that would be left out since their names are those of secrets.'),
  }),
  rest: { route: 'GET /studio/repositories/plan', query: ['path'] },
  refuses: [
    'reject.repository_path_unusable',
    'reject.repository_registered_elsewhere',
    'reject.partial_clone',
    'reject.git_failed',
  ],
  annotations: READS,
}).run((context, { path }) => planRegistration(context, path));

export const list = operation({
  summary: 'List the registered repositories, oldest first.',
  scope: 'read',
  in: z.object({}),
  out: z.array(Repository),
  rest: { route: 'GET /studio/repositories' },
  list: 'repositoryId',
  tool: 'repository_list',
  external: {
    name: 'repo_list',
    out: z.object({ repositories: z.array(ExternalRepository).describe('The registered repositories.') }),
    result: (found) => ({
      repositories: found.map(({ repositoryId, path, label = null }) => ({ repositoryId, path, label })),
    }),
  },
  dispatch: true,
  refuses: [],
  annotations: READS,
}).run((context) => context.records.repositories.all());

export const bases = operation({
  summary: 'List the branches that the result of a goal may be for.',
  scope: 'read',
  in: z.object({ repositoryId: RepositoryId }),
  out: z.object({
    landing: z.string().describe("The user's own branch, where work begins and lands."),
    remote: z.string().nullable().describe('Remote that the others are at; null where the repository has none.'),
    there: z
      .array(z.string())
      .describe('Branches there, as they were last fetched: a result for one moves nothing here.'),
  }),
  rest: { route: 'GET /studio/repositories/{repositoryId}/bases' },
  refuses: ['reject.repository_not_found', 'reject.repository_folder_missing', 'reject.git_failed'],
  annotations: READS,
}).run(async (context, { repositoryId }) => {
  const { there, ...found } = await basesOf(context, repositoryId);
  return { ...found, there: [...there] };
});

export const listFiles = operation({
  summary: 'List the tracked and the untracked, not ignored files of a repository.',
  scope: 'read',
  in: z.object({
    repositoryId: RepositoryId,
    subPath: z
      .string()
      .max(4096)
      .optional()
      .describe('Folder to list, relative to the root. Default: the whole repository.'),
    pattern: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe(
        'Glob: * and ? within one name, ** across folders. Without a slash it is matched against file names, ' +
          'with one against whole paths from the root of the repository.',
      ),
  }),
  out: RepositoryFiles,
  rest: { route: 'GET /studio/repositories/{repositoryId}/files', query: ['subPath', 'pattern'] },
  tool: 'repository_list_files',
  dispatch: true,
  refuses: [
    'reject.repository_not_found',
    'reject.repository_folder_missing',
    'reject.path_outside_repository',
    'reject.git_failed',
  ],
  annotations: READS,
}).run(async (context, { repositoryId, ...query }) => {
  const found = context.records.repositories.get(repositoryId);
  if (found === undefined) {
    throw refusal('reject.repository_not_found', `no repository ${repositoryId} is registered`);
  }
  if (!(await context.git.holds(found.path, found.rootCommits))) {
    throw refusal('reject.repository_folder_missing', `${found.path} no longer holds ${repositoryId}`);
  }
  const { files, truncated } = await listFilesIn(context.git, found.path, query);
  return truncated ? { files, truncated } : { files };
});
