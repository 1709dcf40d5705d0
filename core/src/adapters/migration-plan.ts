/** What it takes to bring a store to the format that this version writes. */
export interface MigrationPlan {
  /** Format of the store. */
  readonly from: number;
  /** Format that this version writes. */
  readonly to: number;
  /** What is done, in order; nothing where the store is read as it is. */
  readonly steps: readonly string[];
}
