/** What went wrong between here and a repository elsewhere, from what git said. */
import { refusal } from '../../../reasons.js';
import type { StudioReason } from '../../../reasons.js';

interface Fault {
  readonly reason: StudioReason;
  readonly message: string;
  readonly pattern: RegExp;
}

/** The first that fits counts. */
const FAULTS: readonly Fault[] = [
  {
    reason: 'reject.disk_full',
    message: 'there is no space left on the disk here; nothing of it stays',
    // What begins so is said of the disk there.
    pattern: /^(?!remote:).*(No space left on device|Disk quota exceeded)/m,
  },
  {
    reason: 'reject.remote_host_unknown',
    message: 'the key or certificate of the host is not known, or not the one that was known',
    pattern:
      /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|certificate (verif|problem|subject)|SSL: ?cert|SSL cert|SEC_E_|certificate is NOT trusted/i,
  },
  {
    reason: 'reject.remote_moved',
    message: 'the branch there has commits that are not known here',
    pattern:
      /\(stale info\)|\(fetch first\)|\(non-fast-forward\)|\(needs force\)|cannot lock ref|reference already exists/,
  },
  {
    reason: 'reject.remote_refused',
    message: 'the other side refuses what was sent',
    pattern: /\[remote rejected\]|\[remote failure\]|pre-receive hook declined|protected branch/i,
  },
  {
    reason: 'reject.remote_denied',
    message: 'the other side does not accept these credentials, or there are none',
    pattern:
      /Authentication failed|could not read (Username|Password)|Permission denied|Access denied|terminal prompts disabled|returned error: 40[13]|HTTP 40[13]/i,
  },
  {
    reason: 'reject.remote_absent',
    message: 'there is no repository at this address, or none that these credentials may see',
    pattern:
      /repository .*not found|not appear to be a git repository|returned error: 404|does not exist|Remote branch .* not found/i,
  },
];

/** No connection at all: more likely a mistake than a moment, so whoever asks is told at once. */
const REFUSED = /Connection refused|(Couldn't|Could not) connect to server/i;

/** What may be otherwise a moment later. */
const PASSING =
  /Could not resolve host|Temporary failure in name|Connection (timed out|reset)|Failed to connect|Operation timed out|early EOF|unexpected disconnect|hung up unexpectedly|RPC failed|returned error: (429|5\d\d)|Empty reply|Recv failure|Network is unreachable|TLS connection was non-properly/i;

export function isPassing(said: string): boolean {
  return PASSING.test(said) && !REFUSED.test(said) && !FAULTS.some(({ pattern }) => pattern.test(said));
}

/** Refusal for a git that has failed at this address, which is shown without its secrets. */
export function remoteFault(said: string, address: string, what: string): Error {
  const details = { address, said: withoutSecrets(said) };
  const found = FAULTS.find(({ pattern }) => pattern.test(said));
  if (found) return refusal(found.reason, `${what} ${address}: ${found.message}`, details);
  if (REFUSED.test(said)) {
    const next = `git ls-remote '${address.replaceAll("'", String.raw`'\''`)}'`;
    const why = `no connection could be made, nothing listens there or is let through. ${next} asks it, too`;
    return refusal('reject.remote_unreachable', `${what} ${address}: ${why}`, details);
  }
  if (PASSING.test(said))
    return refusal('reject.remote_unreachable', `${what} ${address}: it does not answer`, details);
  return refusal('reject.git_failed', `${what} ${address}: git could not complete`, details);
}

function withoutSecrets(said: string): string {
  return said.replace(/([a-z][a-z0-9+.-]*:\/\/)[^@/\s']*@/gi, '$1').trim();
}
