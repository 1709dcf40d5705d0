/** Who calls. What a token allows is checked at the door; handlers ask only where the answer depends on who asks. */
export const SCOPES = ['read', 'operate', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Caller {
  /** Names the token in the record; never the token itself. */
  readonly name: string;
  readonly kind: 'person' | 'agent' | 'host';
  readonly scope: Scope;
  /** Whether the tools that agents use are for this caller. */
  readonly internal: boolean;
  /** The agent that the token was made for. */
  readonly agentId?: string;
  /** Tools that a person has named for this agent, and not just left to all. */
  readonly granted?: readonly string[];
}

const RANK: Readonly<Record<Scope, number>> = { read: 0, operate: 1, admin: 2 };

export function reaches(held: Scope, needed: Scope): boolean {
  return RANK[held] >= RANK[needed];
}
