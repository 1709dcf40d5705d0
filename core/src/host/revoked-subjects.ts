/**
 * Revoked subjects: whose credentials, made before a time, let nobody in any more. [AU12]
 *
 * It is for credentials that somebody else has made (an identity provider's hold until they expire, whatever happens there). They
 * stand in the host's own room, and so outlive it.
 */
import type { CompleteGrant } from '../access/entry-hook.js';
import { Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';

const PREFIX = 'revoked-subject/';

export class RevokedSubjects {
  /** Unix seconds by subject. */
  readonly #before = new Map<string, number>();

  /** Refuses a grant by a credential that was revoked. */
  check({ subject, issuedAt }: Pick<CompleteGrant, 'subject' | 'issuedAt'>): void {
    if (subject !== undefined && issuedAt < (this.#before.get(subject) ?? 0))
      throw new Rejection('auth', 'auth: token revoked');
  }

  /** Answers the time that holds: of several the latest. */
  revoke(subject: string, before: number): number {
    const latest = Math.max(before, this.#before.get(subject) ?? 0);
    this.#before.set(subject, latest);
    return latest;
  }

  /** Answers what is new, by subject. */
  read(own: Room): ReadonlyMap<string, number> {
    const fresh = new Map<string, number>();
    for (const [key, value] of own.entries(PREFIX)) {
      const subject = key.slice(PREFIX.length);
      if (typeof value === 'number' && value > (this.#before.get(subject) ?? 0))
        fresh.set(subject, this.revoke(subject, value));
    }
    return fresh;
  }

  async note(own: Room, subject: string, before: number): Promise<void> {
    await own.set(PREFIX + subject, before);
  }
}
