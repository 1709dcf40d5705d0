/** Forecast of a goal that goes on at the rate that it has had: what an hour takes, and by which limit it ends when. */
import type { Goal, GoalGuardrailStatus } from '@weft/studio-client';

const GOES_ON: ReadonlySet<Goal['status']> = new Set(['Exploring', 'Converging']);

export interface Forecast {
  readonly tokensAnHour: number;
  readonly dollarsAnHour: number;
  /** What stops it first, and when, in words. */
  readonly ends: string;
}

/** Undefined where nothing goes on, and for less than a minute: a rate over that says nothing. */
export function forecastOf({ status }: Pick<Goal, 'status'>, limit: GoalGuardrailStatus): Forecast | undefined {
  const { totalTokens, elapsedMinutes, usage } = limit;
  if (!GOES_ON.has(status) || elapsedMinutes < 1 || totalTokens === 0) return undefined;
  return {
    tokensAnHour: Math.round((totalTokens / elapsedMinutes) * 60),
    dollarsAnHour: ((usage?.costUsd ?? 0) / elapsedMinutes) * 60,
    ends: endOf(limit),
  };
}

function endOf(limit: GoalGuardrailStatus): string {
  const { totalTokens, maxGoalTokens, elapsedMinutes, maxGoalDurationMinutes, maxGoalDollars, usage } = limit;
  const dollars = usage?.costUsd ?? 0;
  const minutesLeft = (left: number, each: number): number => Math.max(0, Math.round(left / each));
  const ends = [
    ...(maxGoalTokens === undefined
      ? []
      : [{ at: minutesLeft(maxGoalTokens - totalTokens, totalTokens / elapsedMinutes), by: 'its tokens' }]),
    ...(maxGoalDollars === undefined || dollars === 0
      ? []
      : [{ at: minutesLeft(maxGoalDollars - dollars, dollars / elapsedMinutes), by: 'its dollars' }]),
    ...(maxGoalDurationMinutes === undefined
      ? []
      : [{ at: minutesLeft(maxGoalDurationMinutes - elapsedMinutes, 1), by: 'its time' }]),
  ];
  const [first] = ends.sort((a, b) => a.at - b.at);
  if (!first) return 'it has none';
  return first.at === 0 ? `now, by ${first.by}` : `in ${first.at} min, by ${first.by}`;
}
