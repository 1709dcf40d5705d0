/**
 * Repository identity: the id that every host derives for the same repository.
 *
 * It follows from the root commits alone, so clones agree without communication. A history without a known root (no commit yet,
 * or a shallow clone, whose oldest commit is only where it was cut) has no such id.
 */
import { createHash } from 'node:crypto';

export function repositoryIdOf(rootCommits: readonly string[]): string | undefined {
  if (rootCommits.length === 0) return undefined;
  const text = [...new Set(rootCommits)].sort().join('\n');
  return `repo-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
