/** Spend: what goals and models have cost, beside what they may. */
import type { Goal, GoalGuardrailStatus, ModelUsage, SpendingDay } from '@weft/studio-client';
import { useQuery } from '../core/query.js';
import { pathTo } from '../core/route.js';
import { titleOf } from '../parts/text.js';
import { Empty, Heading, Read, count, money } from '../parts/ui.js';

export function Spend() {
  const goals = useQuery('goal.list', {});
  const limits = useQuery('goal.guardrails', {});
  const spending = useQuery('spending.list', { days: DAYS });
  return (
    <>
      <Heading title="Spend" />
      <Read of={goals}>
        {({ goals: all }) => {
          const spent = all.filter(({ parentGoalId, usage }) => parentGoalId === null && usage !== undefined);
          if (spent.length === 0) return <Empty>No model was paid yet.</Empty>;
          return (
            <>
              <dl class="figures">
                <div>
                  <dt>All goals</dt>
                  <dd>{money(total(spent, ({ usage }) => usage?.costUsd ?? 0))}</dd>
                </div>
                <div>
                  <dt>Tokens</dt>
                  <dd>{count(total(spent, ({ usage }) => usage?.tokens ?? 0))}</dd>
                </div>
                <div>
                  <dt>Questions to models</dt>
                  <dd>{count(total(spent, ({ usage }) => usage?.turns ?? 0))}</dd>
                </div>
              </dl>
              <ByGoal goals={spent} limits={limits.data ?? []} />
            </>
          );
        }}
      </Read>
      <Read of={limits}>{(all) => <Forecast limits={all} goals={goals.data?.goals ?? []} />}</Read>
      <Read of={spending}>
        {({ days, models }) => (
          <>
            <ByDay days={days} />
            <ByModel models={models} />
          </>
        )}
      </Read>
    </>
  );
}

/** Days that are shown. */
const DAYS = 30;

function total<Row>(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}

function ByGoal({
  goals,
  limits,
}: {
  readonly goals: readonly Goal[];
  readonly limits: readonly GoalGuardrailStatus[];
}) {
  const most = Math.max(...goals.map(({ usage }) => usage?.tokens ?? 0), 1);
  const sorted = goals.toSorted((a, b) => (b.usage?.tokens ?? 0) - (a.usage?.tokens ?? 0));
  return (
    <table class="numbers">
      <caption>By goal</caption>
      <thead>
        <tr>
          <th>Goal</th>
          <th>Cost</th>
          <th>Tokens</th>
          <th>Share</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map(({ goalId, goal, workUnitId, usage }) => {
          const limit = limits.find((one) => one.workUnitId === workUnitId)?.maxGoalTokens;
          const tokens = usage?.tokens ?? 0;
          return (
            <tr key={goalId}>
              <td>
                <a href={pathTo('goals', goalId)}>{titleOf(goal)}</a>
              </td>
              <td>{money(usage?.costUsd ?? 0)}</td>
              <td>
                {count(tokens)}
                {limit !== undefined && ` of ${count(limit)}`}
              </td>
              <td>
                <meter
                  min={0}
                  max={limit ?? most}
                  {...(limit === undefined ? {} : { high: limit * 0.8, low: 0 })}
                  value={tokens}
                  aria-label={`Tokens of ${titleOf(goal, 60)}`}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Goals that go on at the rate they have had: what an hour takes, and when a limit is reached. */
function Forecast({
  limits,
  goals,
}: {
  readonly limits: readonly GoalGuardrailStatus[];
  readonly goals: readonly Goal[];
}) {
  const rows = limits.flatMap((limit) => {
    const goal = goals.find(({ workUnitId, status }) => workUnitId === limit.workUnitId && GOES_ON.has(status));
    // A rate over less than a minute says nothing.
    return goal && limit.elapsedMinutes >= 1 && limit.totalTokens > 0 ? [{ goal, limit }] : [];
  });
  if (rows.length === 0) return null;
  return (
    <table class="numbers">
      <caption>Forecast, at the rate so far</caption>
      <thead>
        <tr>
          <th>Goal</th>
          <th>Tokens an hour</th>
          <th>Dollars an hour</th>
          <th>Ends at a limit</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ goal: { goalId, goal }, limit }) => (
          <tr key={goalId}>
            <td>
              <a href={pathTo('goals', goalId)}>{titleOf(goal)}</a>
            </td>
            <td>{count(Math.round((limit.totalTokens / limit.elapsedMinutes) * 60))}</td>
            <td>{money(((limit.usage?.costUsd ?? 0) / limit.elapsedMinutes) * 60)}</td>
            <td>{limitOf(limit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const GOES_ON: ReadonlySet<string> = new Set(['Exploring', 'Converging']);

/** What stops it first, and when. */
function limitOf(limit: GoalGuardrailStatus): string {
  const { totalTokens, maxGoalTokens, elapsedMinutes, maxGoalDurationMinutes } = limit;
  const minutesLeft = (left: number, each: number): number => Math.max(0, Math.round(left / each));
  const ends = [
    ...(maxGoalTokens === undefined
      ? []
      : [{ at: minutesLeft(maxGoalTokens - totalTokens, totalTokens / elapsedMinutes), by: 'its tokens' }]),
    ...(maxGoalDurationMinutes === undefined
      ? []
      : [{ at: minutesLeft(maxGoalDurationMinutes - elapsedMinutes, 1), by: 'its time' }]),
  ];
  const [first] = ends.sort((a, b) => a.at - b.at);
  if (!first) return 'it has none';
  return first.at === 0 ? `now, by ${first.by}` : `in ${first.at} min, by ${first.by}`;
}

function ByDay({ days }: { readonly days: readonly SpendingDay[] }) {
  if (days.length === 0) return null;
  const most = Math.max(...days.map(({ tokens }) => tokens), 1);
  return (
    <table class="numbers">
      <caption>By day, in UTC, of the last {DAYS}</caption>
      <thead>
        <tr>
          <th>Day</th>
          <th>Cost</th>
          <th>Tokens</th>
          <th>From the cache</th>
          <th>Share</th>
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map(({ day, costUsd, tokens, readTokens, cachedTokens }) => (
          <tr key={day}>
            <td>{day}</td>
            <td>{money(costUsd)}</td>
            <td>{count(tokens)}</td>
            <td>{readTokens === 0 ? '' : `${Math.round((cachedTokens / readTokens) * 100)} %`}</td>
            <td>
              <meter min={0} max={most} value={tokens} aria-label={`Tokens of ${day}`} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ByModel({ models }: { readonly models: readonly ModelUsage[] }) {
  if (models.length === 0) return null;
  return (
    <table class="numbers">
      <caption>By model, of the last {DAYS} days</caption>
      <thead>
        <tr>
          <th>Model</th>
          <th>Cost</th>
          <th>Tokens</th>
          <th>Questions</th>
        </tr>
      </thead>
      <tbody>
        {models.map(({ provider = '', model = '', costUsd, tokens, turns }) => {
          const name = [provider, model].filter((part) => part !== '').join(' ');
          return (
            <tr key={name}>
              <td>{titleOf(name === '' ? 'not named' : name)}</td>
              <td>{money(costUsd)}</td>
              <td>{count(tokens)}</td>
              <td>{count(turns)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
