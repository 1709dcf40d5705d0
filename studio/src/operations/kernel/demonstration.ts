/** Demonstration port: a passing studio beside this one, whose agents say what a script says. Nothing of it is in this one's record. */

/** Goal that its script knows. */
export interface DemonstrationGoal {
  readonly goal: string;
  readonly successCriteria: string;
  readonly shape: 'auto' | 'single' | 'planned';
}

export interface DemonstrationStanding {
  /** None is offered here, it is offered, it is under way beside this studio, or this studio is it. */
  readonly state: 'none' | 'offered' | 'running' | 'this';
  readonly goal?: DemonstrationGoal | undefined;
  /** Address of the studio that it is played beside, as that one knows it. */
  readonly home?: string | undefined;
}

export interface Demonstration {
  stand(): DemonstrationStanding;
  /** Begins it, or goes on with the one that is under way. Answers a link that opens its page once. */
  play(): Promise<string>;
  /** Ends it, and removes all of it. */
  end(): Promise<void>;
}
