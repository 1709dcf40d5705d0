/** Refusal: what it means, and what the caller can do about it. */
export interface ReasonRow {
  /** Kind of refusal; each door maps it to its own status. */
  readonly kind: ReasonKind;
  readonly meaning: string;
  readonly recovery: readonly string[];
  /** True when the very same call may succeed later. */
  readonly retryable?: true;
}

export type ReasonKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  /** Conflict with something that the caller can see: a state, a limit, a lost race. */
  | 'conflict'
  /** It existed, and was removed on purpose. */
  | 'gone'
  | 'stale'
  | 'too-large'
  | 'not-json'
  /** The request was valid but could not be completed. */
  | 'impossible'
  | 'limited'
  | 'stopping'
  /** What the host stands on fails. */
  | 'failing'
  | 'full';
