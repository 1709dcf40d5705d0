/**
 * Whose a token is: one of the host's own file, one that a person made, or one that an agent was given for its run.
 *
 * Only digests are compared, in constant time and against all of them, so that time tells nothing. What an agent was given
 * is kept nowhere: it ends with the process, as the agent does.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Caller, SCOPES } from '../../operations/kernel/caller.js';
import type { StudioTokens } from '../../tokens.js';
import type { Records } from '../../record/views/records.js';

export interface Secret {
  readonly secret: string;
  /** SHA-256 of it, in hex. */
  readonly digest: string;
}

export interface AgentToken {
  readonly secret: string;
  revoke(): void;
}

interface Known {
  readonly digest: string;
  readonly caller: Caller;
  /** Id of a token that a person made. */
  readonly tokenId?: string;
  /** Milliseconds since 1970. */
  readonly endsAt?: number;
  /** Whether what it was given for still holds. */
  readonly isHeld?: () => boolean;
}

export interface AgentTokenFor {
  readonly lifetimeMs?: number;
  /** Work unit that it is for: it changes nothing of others, and ends with the lease. */
  readonly workUnitId?: string;
  /** The only tools that it is for, without their prefix. Default: all that are dispatched. */
  readonly tools?: readonly string[];
  readonly isHeld?: () => boolean;
}

const AGENT_LIFETIME_MS = 6 * 3_600_000;

export class TokenBook {
  readonly #own: readonly Known[];
  readonly #tokens: Records['tokens'];
  readonly #now: () => string;
  readonly #agents = new Set<Known>();

  constructor(own: StudioTokens, tokens: Records['tokens'], now: () => string) {
    this.#own = SCOPES.map((scope) => ({
      digest: digestOf(own[scope]),
      caller: { name: scope, kind: 'person', scope, internal: scope === 'admin' },
    }));
    this.#tokens = tokens;
    this.#now = now;
  }

  callerOf(secret: string): Caller | undefined {
    return this.#find(secret)?.caller;
  }

  /** Says, whenever it is asked, whether a secret still opens what it opens now. Asked often, by many. */
  watch(secret: string): () => boolean {
    const found = this.#find(secret);
    if (!found) return () => false;
    const { digest, tokenId, endsAt, isHeld: isLeased = always } = found;
    const isHeld = (): boolean => {
      if (tokenId !== undefined) return this.#tokens.get(tokenId)?.digest === digest;
      return this.#own.includes(found) || this.#agents.has(found);
    };
    return () => isHeld() && isLeased() && (endsAt === undefined || endsAt > Date.parse(this.#now()));
  }

  #find(secret: string): Known | undefined {
    const now = Date.parse(this.#now());
    this.#forget(now);
    const wanted = Buffer.from(digestOf(secret));
    const matches = [...this.#own, ...this.#made(), ...this.#agents].filter(({ digest }) =>
      timingSafeEqual(Buffer.from(digest), wanted),
    );
    return matches.find(({ endsAt = Number.POSITIVE_INFINITY, isHeld = always }) => endsAt > now && isHeld());
  }

  /** A token with which an agent reaches what is dispatched to agents, for as long as its run may take. */
  mintFor(
    agentId: string,
    { lifetimeMs = AGENT_LIFETIME_MS, workUnitId, tools, isHeld = always }: AgentTokenFor = {},
  ): AgentToken {
    const { secret, digest } = newSecret();
    const name = `agent:${agentId}`;
    const caller: Caller = {
      name,
      kind: 'agent',
      scope: 'operate',
      internal: true,
      agentId,
      ...(tools === undefined ? {} : { tools, granted: tools }),
      ...(workUnitId === undefined ? {} : { workUnitId }),
    };
    const known = { digest, caller, isHeld, endsAt: Date.parse(this.#now()) + lifetimeMs };
    this.#agents.add(known);
    return { secret, revoke: () => void this.#agents.delete(known) };
  }

  #made(): Known[] {
    return this.#tokens.all().map(({ tokenId, digest, scope, internal, expiresAt }) => ({
      digest,
      tokenId,
      caller: { name: tokenId, kind: 'person', scope, internal: internal || scope === 'admin' },
      ...(expiresAt === undefined ? {} : { endsAt: Date.parse(expiresAt) }),
    }));
  }

  #forget(now: number): void {
    for (const known of this.#agents)
      if ((known.endsAt ?? now) <= now || known.isHeld?.() === false) this.#agents.delete(known);
  }
}

function always(): boolean {
  return true;
}

export function newSecret(): Secret {
  const secret = randomBytes(32).toString('hex');
  return { secret, digest: digestOf(secret) };
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
