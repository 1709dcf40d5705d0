/** Budgets of one connection. What a client must know of them is in `welcome.limits`. [LM1] */
export interface Limits {
  /** Longest frame. */
  readonly frameBytes: number;
  /** Received and not yet processed. */
  readonly inboxBytes: number;
  /** Waiting to be sent, history not counted. */
  readonly outboxBytes: number;
  /** From connecting to a valid hello. */
  readonly helloMs: number;
  /** Since the socket last took something while more waits. */
  readonly stalledMs: number;
}

export const LIMITS: Limits = {
  frameBytes: 16 * 1024 * 1024,
  inboxBytes: 64 * 1024 * 1024,
  outboxBytes: 4 * 1024 * 1024,
  helloMs: 15_000,
  stalledMs: 15_000,
};
