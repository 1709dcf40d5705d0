/** Answer of an operation: its result, read by the output schema. */
export interface Answer {
  readonly data: unknown;
  /** Where a list goes on, if it does. */
  readonly next?: string;
}
