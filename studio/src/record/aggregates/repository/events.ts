/** Events of a repository, its only persisted shapes. A shape that was written is never changed, only joined by a `v: 2`. */
import { z } from 'zod';

const CommitId = z.string().regex(/^[0-9a-f]{40,64}$/);

/**
 * Claim number: how often the path had changed hands before. Version 1 does not say, and means that nobody was known to hold
 * it.
 */
const turn = { v: z.union([z.literal(1), z.literal(2)]), turn: z.number().optional() };

export const repositoryEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('RepositoryRegistered'),
    ...turn,
    repositoryId: z.string(),
    path: z.string(),
    label: z.string().optional(),
    rootCommits: z.array(CommitId),
  }),
  z.object({
    type: z.literal('RepositoryIdentityResolved'),
    v: z.literal(1),
    repositoryId: z.string(),
    workgroupRepoId: z.string(),
  }),
  z.object({
    type: z.literal('RepositoryMoved'),
    ...turn,
    repositoryId: z.string(),
    path: z.string(),
  }),
]);

export type RepositoryEvent = z.infer<typeof repositoryEvent>;
