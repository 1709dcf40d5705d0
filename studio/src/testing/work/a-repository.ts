/** Registers a repository in the record alone, for goals of a test that never touch its files. */
import { repository } from '../../record/aggregates/repository/repository.js';
import type { OpenRecord } from '../record/open-record.js';

export async function aRepository({ change }: Pick<OpenRecord, 'change'>, repositoryId = 'repo-1'): Promise<string> {
  await change((open) =>
    open.run(repository, repositoryId, 'register', { repositoryId, path: `/nowhere/${repositoryId}`, rootCommits: [] }),
  );
  return repositoryId;
}
