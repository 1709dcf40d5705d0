/** Refusals of repositories and their files. */
import type { ReasonRow } from './reason-row.js';

export const repositoryReasons = {
  'reject.repository_not_found': {
    kind: 'missing',
    meaning: 'No repository with this id is registered.',
    recovery: ['List the repositories, or register this one.'],
  },
  'reject.repository_path_unusable': {
    kind: 'invalid',
    meaning: 'The path cannot be registered as a repository.',
    recovery: ['Name the absolute path of a git repository, of an empty folder, or of a folder still to be made.'],
  },
  'reject.repository_registered_elsewhere': {
    kind: 'conflict',
    meaning: 'The same repository is registered at another path that still holds it.',
    recovery: ['Work at the path named in details, or move that folder away and register again.'],
  },
  'reject.repository_folder_missing': {
    kind: 'impossible',
    meaning: 'The registered path no longer holds this repository.',
    recovery: ['Put the folder back, or register the repository at its new path.'],
  },
  'reject.path_outside_repository': {
    kind: 'invalid',
    meaning: 'The path leads out of the repository.',
    recovery: ['Give a path relative to the root of the repository, without "..".'],
  },
  'reject.git_failed': {
    kind: 'impossible',
    meaning: 'git could not complete.',
    recovery: ['Read what git said in details, and repair the repository.'],
  },
} as const satisfies Record<string, ReasonRow>;
