/** Spend: what goals and models have cost, beside what they may. */
import type { Goal, GoalGuardrailStatus, ModelUsage, SpendingDay } from '@weft/studio-client';
import { useQuery, useSteady } from '../core/query.js';
import { pathTo } from '../core/route.js';
import { Bar } from '../parts/bar.js';
import { forecastOf } from '../parts/forecast.js';
import { More, useNewest } from '../parts/newest.js';
import { titleOf } from '../parts/text.js';
import { Empty, Heading, Read, count, money } from '../parts/ui.js';

export function Spend() {
  const [newest, more] = useNewest();
  const goals = useSteady(useQuery('goal.list', { newest }));
  const limits = useSteady(useQuery('goal.guardrails', { newest }));
  const spending = useQuery('spending.list', { days: DAYS });
  // Totals of all time, whichever goals are listed.
  const everything = useQuery('spending.list', {});
  return (
    <>
      <Heading title="Spend" />
      <Read of={goals}>
        {({ goals: all }) => {
          const spent = all.filter(({ parentGoalId, usage }) => parentGoalId === null && usage !== undefined);
          if (spent.length === 0 && all.length < newest) return <Empty>No model was paid yet.</Empty>;
          return (
            <>
              {everything.data && <Totals models={everything.data.models} />}
              <ByGoal goals={spent} limits={limits.data ?? []} />
              <More shown={all.length} newest={newest} onMore={more} />
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

function Totals({ models }: { readonly models: readonly ModelUsage[] }) {
  return (
    <dl class="figures">
      <div>
        <dt>All work</dt>
        <dd>{money(total(models, ({ costUsd }) => costUsd))}</dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>{count(total(models, ({ tokens }) => tokens))}</dd>
      </div>
      <div>
        <dt>Questions to models</dt>
        <dd>{count(total(models, ({ turns }) => turns))}</dd>
      </div>
    </dl>
  );
}

function ByGoal({
  goals,
  limits,
}: {
  readonly goals: readonly Goal[];
  readonly limits: readonly GoalGuardrailStatus[];
}) {
  const limitOf = ({ workUnitId }: Goal): number | undefined =>
    limits.find((one) => one.workUnitId === workUnitId)?.maxGoalTokens;
  const most = Math.max(...goals.map((goal) => Math.max(goal.usage?.tokens ?? 0, limitOf(goal) ?? 0)), 1);
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
        {sorted.map((row) => {
          const { goalId, goal, usage } = row;
          const limit = limitOf(row);
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
                <Bar value={tokens} most={most} limit={limit} label={`Tokens of ${titleOf(goal, 60)}`} />
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
    const goal = goals.find(({ workUnitId }) => workUnitId === limit.workUnitId);
    const forecast = goal && forecastOf(goal, limit);
    return forecast ? [{ goal, forecast }] : [];
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
        {rows.map(({ goal: { goalId, goal }, forecast: { tokensAnHour, dollarsAnHour, ends } }) => (
          <tr key={goalId}>
            <td>
              <a href={pathTo('goals', goalId)}>{titleOf(goal)}</a>
            </td>
            <td>{count(tokensAnHour)}</td>
            <td>{money(dollarsAnHour)}</td>
            <td>{ends}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
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
              <Bar value={tokens} most={most} label={`Tokens of ${day}`} />
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
