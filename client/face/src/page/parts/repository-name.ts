import type { Repository } from '@weft/studio-client';
import { titleOf } from './text.js';

/** Name of a repository for people: that which it was given, or that of its folder. */
export function repositoryName({ label, path }: Pick<Repository, 'label' | 'path'>): string {
  return titleOf(label ?? path.split(/[\\/]/).findLast((part) => part !== '') ?? path);
}
