/** Views of work by address, loaded together: whoever opens one goes to the others. */
import { Candidate } from './candidate.js';
import { GoalView, Goals, NewGoal } from './goals.js';
import { Recover } from './recover.js';
import { Repositories } from './repositories.js';
import { Unit } from './unit.js';

export interface AtAddress {
  /** What follows the name of the view in the address. */
  readonly rest: readonly string[];
}

export function GoalsView({ rest: [goalId] }: AtAddress) {
  if (goalId === undefined) return <Goals />;
  return goalId === 'new' ? <NewGoal /> : <GoalView key={goalId} goalId={goalId} />;
}

export function UnitsView({ rest: [workUnitId = '', tab] }: AtAddress) {
  return <Unit key={workUnitId} workUnitId={workUnitId} tab={tab} />;
}

export function RecoverView({ rest: [entryId] }: AtAddress) {
  return <Recover entryId={entryId} />;
}

export function CandidateView() {
  return <Candidate />;
}

export function RepositoriesView() {
  return <Repositories />;
}
