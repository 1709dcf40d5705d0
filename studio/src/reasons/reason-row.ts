/** One way to say no: what it means, and what the caller can do about it. */
export interface ReasonRow {
  /** What kind of no it is; the doors know how theirs says that. */
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
  /** Something stands in the way that the caller can see: a state, a cap, a lost race. */
  | 'conflict'
  /** It was there, and was taken away on purpose. */
  | 'gone'
  | 'stale'
  | 'too-large'
  | 'not-json'
  /** Understood, and could not be completed. */
  | 'impossible'
  | 'limited'
  | 'stopping';
