export interface Sabotage {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Test file of `npm test` in which a test fails. */
  readonly caughtBy: string;
}

export const sabotages: readonly Sabotage[];
