// What a bench is to reach, judged by the figures of one run.
import type { Row } from './row.js';

/** Goal for the figure of a row: at most or at least so much, or so many times that of another row. */
export interface Goal {
  readonly figure: string;
  readonly of: string;
  readonly most?: number;
  readonly least?: number;
  readonly times?: string;
  /** Figure of the other row, where it is not called the same. */
  readonly timesFigure?: string;
  /** Scenario, and form of the row of `of`; the first row of a library counts without. */
  readonly trace?: string;
  readonly form?: string;
}

/** Lines for the goals whose figures are there. */
export function judge(rows: readonly Row[], goals: readonly Goal[]): string[] {
  return goals.flatMap((goal) => {
    const { figure, of, times, timesFigure = figure, trace, form } = goal;
    const found = figureOf(rows, { lib: of, trace, form }, figure);
    const beside = times === undefined ? 1 : figureOf(rows, { lib: times, trace }, timesFigure);
    if (found === undefined || beside === undefined) return [];
    const reached = found / beside;
    const isReached = goal.most === undefined ? reached >= (goal.least ?? 0) : reached <= goal.most;
    const bound = goal.most === undefined ? `≥ ${goal.least}` : `≤ ${goal.most}`;
    const their = timesFigure === figure ? '' : `, ${timesFigure}`;
    const measure = times === undefined ? '' : `× ${times}${their}`;
    const named = [of, form, trace, figure].filter((word) => word !== undefined).join(', ');
    return [
      `${isReached ? 'reached' : 'MISSED '}  ${named}: ${Number(reached.toPrecision(3))}${measure} (goal ${bound}${measure})`,
    ];
  });
}

interface Wanted {
  readonly lib: string;
  readonly trace?: string | undefined;
  readonly form?: string | undefined;
}

function figureOf(rows: readonly Row[], { lib, trace, form }: Wanted, figure: string): number | undefined {
  const found = rows.find(
    (row) => row.lib === lib && row.trace === (trace ?? row.trace) && row.form === (form ?? row.form),
  );
  return found?.figures[figure];
}
