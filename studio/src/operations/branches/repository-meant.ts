/** Which repository a caller means: by its id, by its folder, or the only one there is. */
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';

/** Repositories that a refusal lists. */
const MOST_LISTED = 20;

export function repositoryMeant({ repositories }: Records, wanted: string | undefined): string {
  const all = repositories.all();
  const repositoryId = wanted ?? (all.length === 1 ? all[0]?.repositoryId : undefined);
  if (repositoryId === undefined) {
    if (all.length === 0)
      throw refusal('reject.repository_needed', 'no repository is registered that could be worked on', {
        repositories: [],
      });
    const listed = all.slice(0, MOST_LISTED).map(({ repositoryId: id, path }) => ({ repositoryId: id, path }));
    const named = listed.map(({ repositoryId: id, path }) => `${id} (${path})`).join(', ');
    throw refusal(
      'reject.repository_needed',
      `${all.length} repositories are registered, and none is named as repositoryId: ${named}`,
      { repositories: listed },
    );
  }
  if (repositories.get(repositoryId)) return repositoryId;
  throw refusal('reject.repository_not_found', `no repository ${repositoryId} is registered`, { repositoryId });
}

export interface NamedRepository {
  readonly repositoryId?: string | undefined;
  readonly repositoryPath?: string | undefined;
}

/** Repository that is named by id, by folder, or by both, which have to be one; undefined when neither is. */
export function repositoryNamed(
  { repositories }: Records,
  { repositoryId, repositoryPath }: NamedRepository,
): string | undefined {
  if (repositoryPath === undefined) return repositoryId;
  const found = repositories.atPath(repositoryPath);
  if (!found)
    throw refusal('reject.repository_not_found', `no repository is registered at ${repositoryPath}`, {
      repositoryPath,
    });
  if (repositoryId === undefined || repositoryId === found.repositoryId) return found.repositoryId;
  const message = `is the folder of ${found.repositoryId}, and repositoryId names ${repositoryId}: give one of the two`;
  throw refusal('reject.invalid_input', `repositoryPath: ${message}`, [{ field: 'repositoryPath', message }]);
}
