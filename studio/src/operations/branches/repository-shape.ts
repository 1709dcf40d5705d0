/** Shapes of repositories, as callers see them. */
import { z } from 'zod';

const repositoryId = z
  .string()
  .describe('Id of the repository, the same on every host that knows it: "repo-" and 32 hex digits.');
const path = z.string().describe('Absolute real path of the working tree on this host.');
const label = z.string().describe('Name for people, given when the repository was registered.');

export const RepositoryId = z.string().min(1).max(200).describe('Id of a registered repository.');

export const Repository = z
  .object({
    repositoryId,
    path,
    label: label.optional(),
    registeredAt: z.string().describe('When the repository was first registered, ISO 8601.'),
  })
  .meta({ id: 'Repository', description: 'A registered repository.' });

export const RepositoryPlace = z
  .object({ repositoryId, path, label: label.optional() })
  .meta({ id: 'RepositoryPlace', description: 'A repository and where it is.' });

export const ExternalRepository = z
  .object({ repositoryId, path, label: label.nullable().describe('Name for people, or null when none was given.') })
  .meta({ id: 'ExternalRepository', description: 'A repository, as outside tools see it.' });

export const RepositoryFiles = z
  .object({
    files: z.array(z.string()).describe('Paths relative to the root of the repository, sorted.'),
    truncated: z
      .boolean()
      .optional()
      .describe(
        'True when there are more files than are listed; narrow subPath or pattern. Absent when the list is whole.',
      ),
  })
  .meta({ id: 'RepositoryFiles', description: 'Files of a repository.' });

export const Identity = z
  .object({
    repositoryId,
    workgroupRepoId: z.string().nullable().describe('Id that the workgroup knows it by, or null while that is open.'),
    pendingDisambiguation: z
      .object({
        candidates: z
          .array(
            z.object({
              repoId: z.string().describe('Id of a repository that it may be.'),
              label: label.optional(),
              hints: z
                .object({
                  rootShas: z.array(z.string()).describe('First commits of its history.'),
                  remotes: z.array(z.string()).describe('Addresses that it is connected to.'),
                })
                .describe('What speaks for it.'),
            }),
          )
          .describe('Repositories that it may be.'),
      })
      .nullable()
      .describe('What is to be decided, or null when nothing is.'),
  })
  .meta({ id: 'RepositoryIdentity', description: 'Which repository of the workgroup one is.' });
