/** Default repository: the one that was named, or the only one there is. */
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';

export function repositoryMeant({ repositories }: Records, wanted: string | undefined): string {
  const [only, ...others] = repositories.all();
  const repositoryId = wanted ?? (others.length === 0 ? only?.repositoryId : undefined);
  if (repositoryId === undefined)
    throw refusal('reject.invalid_input', 'repositoryId: say which repository is meant', [
      { field: 'repositoryId', message: 'is needed unless exactly one repository is registered' },
    ]);
  if (repositories.get(repositoryId)) return repositoryId;
  throw refusal('reject.repository_not_found', `no repository ${repositoryId} is registered`, { repositoryId });
}
