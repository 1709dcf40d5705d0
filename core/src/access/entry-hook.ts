/**
 * Authentication hook: whoever embeds the host decides who may enter a room, and with which rights. [AU10]
 *
 * It is asked of peers that show no token of our own keys. It fails closed: one that throws, answers something else or takes too
 * long lets nobody in, and the peer is told when to come back.
 */
import type { Clock } from '../ports/clock.js';
import { ComeBack, Rejection } from '../rejection.js';
import { TokenExpired } from './token-expired.js';

/** Request by which a connection came, as its transport knows it. */
export interface EntryRequest {
  readonly room: string;
  /** Address of the other end of the socket: where there is a proxy, the proxy's. */
  readonly address: string | undefined;
  /** Headers of the request, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a hello says of its peer. */
export interface EntryHello {
  /** Public key that it names, hex. */
  readonly pubkey: string | undefined;
  /** Whether it has proved that it holds that key. */
  readonly proven: boolean;
  readonly peerId: string | undefined;
  readonly peerType: string | undefined;
  /** Whether it is in the room already, and is asked about again: an answer that was kept will not do. */
  readonly isRecheck: boolean;
  /** Credential of the application's own, or of an identity provider, exactly as the peer sent it. */
  readonly token: unknown;
}

/** Rights in the one room. Capabilities need a proof of key, as those of tokens do. */
export interface EntryGrant {
  readonly caps: readonly string[];
  /** Unix seconds at which the session ends if no other token has come; an hour from now when absent. */
  readonly expiry?: number;
  /** Who it is, for operators, and for who revokes. */
  readonly subject?: string;
  /** Unix seconds at which the credential was made, so that those before a time can be revoked; now when absent. */
  readonly issuedAt?: number;
  /** Seconds after which the hook is asked again. */
  readonly recheckAfter?: number;
}

/**
 * Answer of the hook. `expired` is said of a credential that held once, so that its holder comes with another one; `pass` leaves
 * the peer to the rules that hold without a hook: locks, and what the server requires.
 */
export type EntryAnswer = { readonly grant: EntryGrant } | { readonly deny: string } | 'expired' | 'pass';

export type AuthenticateHook = (
  request: EntryRequest,
  hello: EntryHello,
  signal: AbortSignal,
) => Promise<EntryAnswer> | EntryAnswer;

/** Milliseconds for which the hook may think. */
const HOOK_MS = 5000;

/** Seconds for which a grant holds that names no end. */
const GRANT_SECONDS = 3600;

/** Shortest and longest time between two questions about one session, seconds. */
const LEAST_RECHECK = 1;
const MOST_RECHECK = 86_400;

/** Who could not be asked about comes back within so many milliseconds. */
const COME_BACK_MS = 5000;

export interface EntryHookParts {
  readonly authenticate: AuthenticateHook;
  readonly timeoutMs?: number | undefined;
  readonly clock: Clock;
  /** Told why nobody could be asked. */
  readonly onFault: (error: unknown, where: { readonly room: string }) => void;
}

export class EntryHook {
  readonly #parts: EntryHookParts;

  constructor(parts: EntryHookParts) {
    this.#parts = parts;
  }

  /** Grant of the hook, complete; undefined when it passes. Rejects where it denies, and with `ComeBack` where it cannot say. */
  async ask(request: EntryRequest, hello: EntryHello): Promise<CompleteGrant | undefined> {
    const answer = await this.#answer(request, hello);
    if (answer === 'pass') return undefined;
    if (answer === 'expired') throw new TokenExpired();
    if ('deny' in answer) throw new Rejection('auth', `auth: ${answer.deny}`);
    const { caps, expiry, recheckAfter, ...who } = answer.grant;
    const seconds = recheckAfter === undefined ? undefined : within(recheckAfter, LEAST_RECHECK, MOST_RECHECK);
    const now = Math.floor(this.#parts.clock.now() / 1000);
    return {
      issuedAt: now,
      ...who,
      ...(seconds === undefined ? {} : { recheckAfter: seconds }),
      caps,
      expiry: expiry ?? now + GRANT_SECONDS,
    };
  }

  async #answer(request: EntryRequest, hello: EntryHello): Promise<EntryAnswer> {
    const { authenticate, clock, timeoutMs = HOOK_MS, onFault } = this.#parts;
    const late = new AbortController();
    const cancel = clock.after(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs} ms`)));
    try {
      const lateness = new Promise<never>((_resolve, reject) => {
        late.signal.addEventListener('abort', () => reject(late.signal.reason), { once: true });
      });
      const asked = (async () => authenticate(request, hello, late.signal))();
      return checked(await Promise.race([asked, lateness]));
    } catch (error) {
      if (error instanceof Rejection) throw error;
      onFault(new Error('the authentication hook could not decide', { cause: error }), { room: request.room });
      const wait = Math.ceil(COME_BACK_MS * (0.2 + 0.8 * Math.random()));
      throw new ComeBack('auth-unavailable', 'auth: it cannot be decided just now who may enter', wait);
    } finally {
      cancel();
    }
  }
}

export type CompleteGrant = EntryGrant & { readonly expiry: number; readonly issuedAt: number };

const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** The answer, if it is one: a hook may be code without types, or a program on another machine. */
function checked(answer: EntryAnswer): EntryAnswer {
  const given: unknown = answer;
  if (given === 'pass' || given === 'expired') return given;
  if (typeof given !== 'object' || given === null) throw new TypeError(WHAT_IT_MUST_BE);
  if ('deny' in given && typeof given.deny === 'string') return { deny: given.deny.slice(0, 200) };
  if ('grant' in given && isGrant(given.grant)) return { grant: given.grant };
  throw new TypeError(WHAT_IT_MUST_BE);
}

const WHAT_IT_MUST_BE = "the hook must answer { grant: { caps: [...] } }, { deny: 'why' }, 'expired' or 'pass'";

function isGrant(value: unknown): value is EntryGrant {
  if (typeof value !== 'object' || value === null || !('caps' in value) || !areCaps(value.caps)) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const subject = fields.get('subject');
  const isText = subject === undefined || (typeof subject === 'string' && subject.length <= 512);
  return isText && ['expiry', 'issuedAt', 'recheckAfter'].every((name) => isSeconds(fields.get(name)));
}

const isSeconds = (value: unknown): boolean =>
  value === undefined || (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER);

/** Whether it is a list of capabilities as tokens hold them: printable ASCII without spaces. */
export function areCaps(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((cap) => typeof cap === 'string' && /^[\x21-\x7e]{1,512}$/.test(cap));
}
