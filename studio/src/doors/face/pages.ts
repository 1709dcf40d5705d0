/** Pages that are let in by links: a code is exchanged for the key of a page, which the browser holds in two halves. */
import { randomBytes } from 'node:crypto';
import { loadFace } from '@weft/face';
import { type Caller, type Scope, reaches } from '../../operations/kernel/caller.js';
import type { OperationParts } from '../../operations/kernel/context.js';
import { endPage, keepPage } from '../../operations/host/page-tokens.js';
import { refusal } from '../../reasons.js';
import type { OneTimeCodes } from '../entry/one-time-codes.js';
import { endedCookie, newPageKey } from '../entry/page-key.js';
import { digestOf } from '../entry/token-book.js';

/** How long a page stays let in. */
const LIFETIME_S = 7 * 86_400;

export interface Entered {
  readonly cookie: string;
  /** The half that the page keeps, what it may do, and until when. */
  readonly body: {
    readonly page: string;
    readonly scope: Scope;
    readonly endsAt: string;
    /** Whether this studio is a demonstration. */
    readonly isDemonstration: boolean;
  };
}

type Parts = Pick<OperationParts, 'ledger' | 'records' | 'now' | 'newId' | 'demonstration'>;

export class Pages {
  readonly #codes: OneTimeCodes;
  readonly #parts: Parts;

  constructor(codes: OneTimeCodes, parts: Parts) {
    this.#codes = codes;
    this.#parts = parts;
  }

  /** Code for a further page, which may do no more than whoever asks for it. */
  issue({ kind, scope: held }: Caller, needed: Scope = held): string {
    if (kind === 'agent') throw refusal('reject.human_only', 'links to the page are for people');
    if (!reaches(held, needed))
      throw refusal('reject.scope_missing', `a link of scope ${needed} needs a token of that scope`, { needed, held });
    return this.newCode(needed);
  }

  /** Code of the host itself. The files of the page are there by the time that somebody opens the link. */
  newCode(scope: Scope): string {
    loadFace().catch(() => undefined); // who opens it is told
    return this.#codes.issue(scope);
  }

  async enter(code: string, request: Request): Promise<Entered> {
    const scope = this.#codes.redeem(code);
    const { secret, shown, cookie } = newPageKey(() => randomBytes(32).toString('hex'), request, LIFETIME_S);
    const endsAt = new Date(Date.parse(this.#parts.now()) + LIFETIME_S * 1000).toISOString();
    await keepPage(this.#parts, { digest: digestOf(secret), scope, expiresAt: endsAt });
    const isDemonstration = this.#parts.demonstration()?.stand().state === 'this';
    return { cookie, body: { page: shown, scope, endsAt, isDemonstration } };
  }

  /** Ends the page that asks for it. Answers the cookie that takes the place of its own. */
  async leave({ name }: Caller, request: Request): Promise<string> {
    await endPage(this.#parts, name);
    return endedCookie(request);
  }
}
