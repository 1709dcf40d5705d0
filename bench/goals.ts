// What a bench is to reach, judged by the figures of one run.
import type { Row } from './row.js';

/** Goal for the figure of a row: at most or at least so much, or so many times that of another row. */
export interface Goal {
  readonly figure: string;
  readonly of: string;
  readonly most?: number;
  readonly least?: number;
  readonly times?: string;
}

/** Lines for the goals whose figures are there; the first row of a library counts. */
export function judge(rows: readonly Row[], goals: readonly Goal[]): string[] {
  return goals.flatMap((goal) => {
    const { figure, of, times } = goal;
    const found = figureOf(rows, of, figure);
    const beside = times === undefined ? 1 : figureOf(rows, times, figure);
    if (found === undefined || beside === undefined) return [];
    const reached = found / beside;
    const isReached = goal.most === undefined ? reached >= (goal.least ?? 0) : reached <= goal.most;
    const bound = goal.most === undefined ? `≥ ${goal.least}` : `≤ ${goal.most}`;
    const measure = times === undefined ? '' : `× ${times}`;
    return [
      `${isReached ? 'reached' : 'MISSED '}  ${of}, ${figure}: ${Number(reached.toPrecision(3))}${measure} (goal ${bound}${measure})`,
    ];
  });
}

function figureOf(rows: readonly Row[], lib: string, figure: string): number | undefined {
  return rows.find((row) => row.lib === lib)?.figures[figure];
}
