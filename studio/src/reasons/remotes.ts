/** Refusals of repositories elsewhere. */
import type { ReasonRow } from './reason-row.js';

export const remoteReasons = {
  'reject.remote_not_found': {
    kind: 'missing',
    meaning: 'The repository has no remote of this name.',
    recovery: ['List the remotes, or add this one with git in the folder of the repository.'],
  },
  'reject.remote_absent': {
    kind: 'missing',
    meaning: 'There is no repository or branch at the address, or none that these credentials may see.',
    recovery: ['Correct the address, or use credentials that may see it.'],
  },
  'reject.remote_denied': {
    kind: 'impossible',
    meaning: 'The other side does not accept the credentials of this host, or asks for some where there are none.',
    recovery: [
      'Try the same with git as the user who runs the studio; once that works without a question, this does.',
      'Store credentials in a helper of git, or a key in an agent that the studio was started with.',
    ],
  },
  'reject.remote_host_unknown': {
    kind: 'conflict',
    meaning: 'The host proves to be who it says with a key that nobody has accepted, or another than was accepted.',
    recovery: [
      'Over ssh: connect once as the user who runs the studio, compare the key, and accept it.',
      'Over https, with an authority of your own: git config --global http.sslCAInfo <file of its certificates>.',
    ],
  },
  'reject.remote_unreachable': {
    kind: 'conflict',
    meaning: 'The other side refused the connection, or did not answer, also when asked again.',
    recovery: ['Try again later; what has been done is not done twice.'],
    retryable: true,
  },
  'reject.remote_moved': {
    kind: 'conflict',
    meaning: 'The branch there is not where the caller last saw it.',
    recovery: ['Fetch, look at what has come, and push on top of it; or name the commit that may be replaced.'],
  },
  'reject.remote_refused': {
    kind: 'conflict',
    meaning: 'The other side has rules for this branch, and refuses what was sent.',
    recovery: ['Read what it said in details; push to another branch, and propose it there.'],
  },
  'reject.partial_clone': {
    kind: 'impossible',
    meaning: 'The repository is a partial clone: it lacks objects that its history names, and the studio fetches none.',
    recovery: ['Clone it whole, or shallow, with a depth.'],
  },
  'reject.signing_failed': {
    kind: 'impossible',
    meaning: 'git could not sign a commit with the key of the user.',
    recovery: [
      'Sign a commit with git as the user who runs the studio; once that works without a question, this does.',
    ],
  },
} as const satisfies Record<string, ReasonRow>;
