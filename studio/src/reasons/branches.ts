/** Refusals of branches, merges and what is known to be good. */
import type { ReasonRow } from './reason-row.js';

export const branchReasons = {
  'reject.branch_not_found': {
    kind: 'missing',
    meaning: 'No branch has this id.',
    recovery: ['List the branches, or create this one.'],
  },
  'reject.branch_exists': {
    kind: 'conflict',
    meaning: 'There is a branch with this id already.',
    recovery: ['Work on that branch, or choose another name.'],
  },
  'reject.branch_reserved': {
    kind: 'invalid',
    meaning: 'The studio keeps this branch itself.',
    recovery: ['Choose another name, or work on another branch.'],
  },
  'reject.branch_unknown_repository': {
    kind: 'invalid',
    meaning: 'It does not follow from the branch which repository is meant.',
    recovery: ['Give repositoryId.'],
  },
  'reject.branch_moved': {
    kind: 'conflict',
    meaning: 'Others have moved the branch meanwhile.',
    recovery: ['Try again.'],
    retryable: true,
  },
  'reject.objects_missing': {
    kind: 'impossible',
    meaning: 'The files that the record names are not on this host.',
    recovery: ['Ask the host that recorded them, or register the repository that holds them.'],
  },
  'reject.live_set_incomplete': {
    kind: 'conflict',
    meaning: 'Something that the record names is not on this host, so nothing can be said to be needed no more.',
    recovery: ['Bring the objects here, then try again.'],
  },
  'reject.file_not_found': {
    kind: 'missing',
    meaning: 'There is no file at this path.',
    recovery: ['List the files.'],
  },
  'reject.file_held': {
    kind: 'conflict',
    meaning: 'Another work unit has the file, and the caller does not wait for it.',
    recovery: ['Do the rest without the file, and propose that.'],
  },
  'reject.workspace_conflict': {
    kind: 'conflict',
    meaning: 'The files in the workspace and the branch were both changed, in the same places.',
    recovery: ['Bring the files named in details together in the workspace, then try again.'],
  },
  'reject.nothing_changed': {
    kind: 'conflict',
    meaning: 'The proposal would change no file.',
    recovery: ['Change files on the branch first, or say in noFileChangesJustification why none has to change.'],
  },
  'reject.proposal_not_found': {
    kind: 'missing',
    meaning: 'No merge proposal has this id.',
    recovery: ['List the merge proposals, or read the results of the goal.'],
  },
  'reject.submodule': {
    kind: 'impossible',
    meaning: 'The branch moves a submodule, which the studio does not merge.',
    recovery: ['Take the submodule back to what the target has, and let a person move it.'],
  },
  'reject.too_many_files': {
    kind: 'impossible',
    meaning: 'The branch changes so many files that their names do not fit into a record of 512 KiB.',
    recovery: ['Have git ignore what programs make, or offer the work in parts, on branches of their own.'],
  },
  'reject.own_proposal': {
    kind: 'forbidden',
    meaning: 'An agent does not review what it has proposed itself.',
    recovery: ['Leave the review to another agent, or to a person.'],
  },
  'reject.review_required': {
    kind: 'conflict',
    meaning: 'A person must approve this; an agent has.',
    recovery: ['Ask a person to review the proposal.'],
  },
  'reject.merge_conflict': {
    kind: 'conflict',
    meaning: 'Others have changed the same places of the target.',
    recovery: ['Reconcile or resolve the conflict named in details, or reject the proposal to have it done anew.'],
  },
  'reject.conflict_not_found': {
    kind: 'missing',
    meaning: 'No conflict has this id.',
    recovery: ['List the conflicts.'],
  },
  'reject.conflict_unresolved': {
    kind: 'impossible',
    meaning: 'None of the ways that were tried brings both sides together.',
    recovery: ['Give the contents that the file is to hold, or reconcile the conflict of the proposals.'],
  },
  'reject.snapshot_gone': {
    kind: 'gone',
    meaning: 'The snapshot was on this host once, and is not any more.',
    recovery: ['Ask the host that made it, or name another one.'],
  },
  'reject.state_not_found': {
    kind: 'missing',
    meaning: 'No known-good state has this id.',
    recovery: ['List the known-good states of the branch.'],
  },
  'reject.folder_dirty': {
    kind: 'conflict',
    meaning: 'The folder of the repository has changes that are not committed, and nothing may happen underneath them.',
    recovery: ['Commit or stash the changes in that folder, then try again.'],
    retryable: true,
  },
  'reject.folder_busy': {
    kind: 'conflict',
    meaning: 'Something else is at work in the folder of the repository.',
    recovery: [
      'Wait until it has ended. A merge, cherry-pick or rebase that was begun there has to be finished or given up.',
      'Where details name a lock file and no git is at work there, remove that file.',
    ],
    retryable: true,
  },
  'reject.branch_checked_out': {
    kind: 'conflict',
    meaning: 'The branch is checked out in another folder, which must not change underneath whoever works there.',
    recovery: ['Check out another branch in the folder named in details, then try again.'],
    retryable: true,
  },
  'reject.merge_taken_back': {
    kind: 'conflict',
    meaning: 'It landed, broke the build or the tests of the target, and was taken back.',
    recovery: ['Read the result named in details, repair the work, and offer it anew.'],
  },
  'reject.gate_failed': {
    kind: 'conflict',
    meaning: 'What is to be promoted does not pass its checks.',
    recovery: ['See which proposal breaks it in details; reject it or have it repaired.'],
  },
} as const satisfies Record<string, ReasonRow>;
