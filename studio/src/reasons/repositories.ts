/** Refusals of repositories and their files. */
import type { ReasonRow } from './reason-row.js';

export const repositoryReasons = {
  'reject.repository_not_found': {
    kind: 'missing',
    meaning: 'No repository with this id is registered.',
    recovery: ['List the repositories, or register this one.'],
  },
  'reject.repository_needed': {
    kind: 'invalid',
    meaning: 'Work needs a repository, and it does not follow which one is meant.',
    recovery: ['Register the folder to work in, or name one of the repositories in details as repositoryId.'],
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
  'reject.not_a_file': {
    kind: 'impossible',
    meaning: 'At this path there is a folder, a link or something else that is no plain file.',
    recovery: ['Name a file. Links are not followed: name what they lead to.'],
  },
  'reject.not_text': {
    kind: 'impossible',
    meaning: 'The file is no text.',
    recovery: ['Leave it as it is, or delete it and write another.'],
  },
  'reject.not_read': {
    kind: 'conflict',
    meaning: 'Whoever wants to overwrite the file does not know what is in it now.',
    recovery: ['Read the whole file, then write; or change a part of it with replace.'],
  },
  'reject.text_not_found': {
    kind: 'conflict',
    meaning: 'The text to be replaced is not there as often as was expected.',
    recovery: [
      'Read the file, and quote what is there; where a number of places is expected, details say how many there are.',
    ],
  },
  'reject.outside_file_scope': {
    kind: 'forbidden',
    meaning: 'The work unit may not change this file.',
    recovery: ['Stay within the globs in details, or ask for the file: an agent with scope_request, else a person.'],
  },
  'reject.branch_of_others': {
    kind: 'forbidden',
    meaning: 'An agent changes files on the branch of its own work unit alone.',
    recovery: ['Name your own work unit, or leave the branch out.'],
  },
  'reject.workspace_gone': {
    kind: 'conflict',
    meaning: 'The folder of the branch was taken away, and what was not saved with it.',
    recovery: ['Check the branch out again, which makes the folder anew with what was saved.'],
  },
  'reject.search_program_missing': {
    kind: 'impossible',
    meaning: 'This host has no ripgrep, which searching by patterns needs.',
    recovery: ['Search for a plain text, or install ripgrep on the host.'],
  },
  'reject.search_too_long': {
    kind: 'impossible',
    meaning: 'The search did not end in time.',
    recovery: ['Search below a folder, or for something more particular.'],
  },
  'reject.protocol_not_allowed': {
    kind: 'invalid',
    meaning: 'The repository would be fetched in a way that this host does not allow.',
    recovery: ['Name a folder of this machine, or allow the protocol when starting the studio (--remotes).'],
  },
  'reject.commit_not_found': {
    kind: 'missing',
    meaning: 'The repository has no such commit.',
    recovery: ['Name a commit, a branch or a tag that is there.'],
  },
  'reject.nested_repository': {
    kind: 'impossible',
    meaning: 'A folder of the workspace is a git repository of its own, whose files would be lost.',
    recovery: ['Remove the .git inside the folders named in details, or list these folders in .gitignore.'],
  },
  'reject.file_too_large': {
    kind: 'too-large',
    meaning: 'A file is larger than the studio keeps.',
    recovery: ['Remove the file named in details, or list it in .gitignore.'],
  },
  'reject.disk_quota': {
    kind: 'conflict',
    meaning: 'The workspaces on disk are as large as they may be.',
    recovery: ['Evict workspaces whose work is done, or allow more.'],
  },
  'reject.git_failed': {
    kind: 'impossible',
    meaning: 'git could not complete.',
    recovery: ['Read what git said in details, and repair the repository.'],
  },
} as const satisfies Record<string, ReasonRow>;
