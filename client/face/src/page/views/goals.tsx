/** Goals: what is to be achieved, how far it is, and a new one. */
import { signal } from '@preact/signals';
import type { Goal, Operations, WorkUnit } from '@weft/studio-client';
import { useEffect, useState } from 'preact/hooks';
import { act } from '../core/act.js';
import { useQuery, useSteady } from '../core/query.js';
import { go, pathTo } from '../core/route.js';
import { isDemonstration } from '../core/session.js';
import { forecastOf } from '../parts/forecast.js';
import { More, useNewest } from '../parts/newest.js';
import { ProposalRow } from '../parts/proposal-row.js';
import { repositoryName } from '../parts/repository-name.js';
import { Prose, titleOf } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Choose, Does, Empty, Field, Heading, Read, State, count, many, money } from '../parts/ui.js';

export function Goals() {
  const [isAll, showAll] = useState(false);
  const [newest, more] = useNewest();
  const goals = useSteady(useQuery('goal.list', isAll ? { newest } : { newest, isOver: false }));
  return (
    <>
      <Heading title="Goals">
        <button type="button" aria-pressed={isAll} onClick={() => showAll(!isAll)}>
          Those that are over, too
        </button>
        <a class="button main" href="/goals/new">
          Set a goal
        </a>
      </Heading>
      <Read of={goals}>
        {({ goals: shown }) =>
          shown.length === 0 ? (
            <Empty>
              {isAll ? 'There is no goal yet.' : 'No goal is under way.'} <a href="/goals/new">Set one.</a>
            </Empty>
          ) : (
            <>
              <ul class="rows">
                {shown.toReversed().map((goal) => (
                  <li key={goal.goalId} class="row">
                    <State is={goal.status} />
                    <a class="grow cut" href={pathTo('goals', goal.goalId)}>
                      {titleOf(goal.goal)}
                    </a>
                    {goal.orchestratorStalled && <span class="state bad">nothing moves</span>}
                    <span class="quiet">{money(goal.usage?.costUsd ?? 0)}</span>
                    <When at={goal.updatedAt} />
                  </li>
                ))}
              </ul>
              <More shown={shown.length} newest={newest} onMore={more} />
            </>
          )
        }
      </Read>
    </>
  );
}

function isOver({ status }: Goal): boolean {
  return status === 'Converged' || status === 'Abandoned';
}

export function GoalView({ goalId }: { readonly goalId: string }) {
  const goals = useQuery('goal.list', { words: goalId });
  const units = useQuery('workunit.list', { goalId });
  const cost = useQuery('goal.guardrail', { workUnitId: goalId });
  const goal = goals.data?.goals.find((one) => one.goalId === goalId);
  return (
    <Read of={goals}>
      {() =>
        goal === undefined ? (
          <Empty>There is no goal {goalId}.</Empty>
        ) : (
          <>
            <Heading title={titleOf(goal.goal)}>
              <State is={goal.status} />
              {goal.status === 'Paused' ? (
                <Does
                  label="Go on"
                  kind="main"
                  operation="goal.resume"
                  input={{ goalId }}
                  done="It goes on"
                  undo={() => act('goal.pause', { goalId }, 'Paused again')}
                />
              ) : (
                !isOver(goal) && (
                  <Does
                    label="Pause"
                    operation="goal.pause"
                    input={{ goalId }}
                    done="Paused"
                    undo={() => act('goal.resume', { goalId }, 'It goes on')}
                  />
                )
              )}
              {!isOver(goal) && (
                <Does
                  label="Cancel"
                  kind="danger"
                  sure="Cancel all of its work?"
                  operation="external-goal.cancel"
                  input={{ goalId }}
                  done="Cancelled"
                />
              )}
              {goal.status === 'Abandoned' && (
                <Does label="Begin again" operation="external-goal.requeue" input={{ goalId }} done="It begins again" />
              )}
            </Heading>
            {goal.pauseReason !== null && <p>Paused: {titleOf(goal.pauseReason, 300)}</p>}
            {goal.goal.trim() !== titleOf(goal.goal) && <Prose text={goal.goal} lines={8} />}
            {cost.data && <Cost cost={cost.data} goal={goal} />}
            <h2>Work</h2>
            <Read of={units}>{(all) => <Tree units={all} root={goal.workUnitId} />}</Read>
            <Decided goalId={goalId} />
          </>
        )
      }
    </Read>
  );
}

function Cost({ cost, goal }: { readonly cost: Operations['goal.guardrail']['output']; readonly goal: Goal }) {
  const forecast = forecastOf(goal, cost);
  const { totalTokens, maxGoalTokens, elapsedMinutes, usage, byModel = [] } = cost;
  return (
    <dl class="figures">
      <div>
        <dt>Cost</dt>
        <dd>{money(usage?.costUsd ?? 0)}</dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>
          {count(totalTokens)}
          {maxGoalTokens !== undefined && ` of ${count(maxGoalTokens)}`}
        </dd>
      </div>
      <div>
        <dt>Time</dt>
        <dd>{many(Math.round(elapsedMinutes), 'minute')}</dd>
      </div>
      {forecast && (
        <>
          <div>
            <dt>An hour at this rate</dt>
            <dd>
              {count(forecast.tokensAnHour)} tokens, {money(forecast.dollarsAnHour)}
            </dd>
          </div>
          <div>
            <dt>Ends at a limit</dt>
            <dd>{forecast.ends}</dd>
          </div>
        </>
      )}
      {byModel.length > 0 && (
        <div>
          <dt>Models</dt>
          <dd>{byModel.map(({ model }) => titleOf(model ?? 'unnamed', 40)).join(', ')}</dd>
        </div>
      )}
    </dl>
  );
}

/** Units of a goal as a tree, with states and what their agents do now. What replaces a unit stands beside it. */
function Tree({ units, root }: { readonly units: readonly WorkUnit[]; readonly root: string }) {
  const agents = useQuery('agent.list', {});
  const activity = new Map((agents.data ?? []).map((one) => [one.workUnitId, one.currentActivity]));
  const byParent = Map.groupBy(units, ({ parentWorkUnitId = '' }) => parentWorkUnitId);
  const branch = (unit: WorkUnit, seen: ReadonlySet<string>) => {
    const parts = seen.has(unit.workUnitId) ? [] : (byParent.get(unit.workUnitId) ?? []);
    const deeper = new Set([...seen, unit.workUnitId]);
    return (
      <li key={unit.workUnitId}>
        <div class="row">
          <State is={unit.status} />
          <a class="grow cut" href={pathTo('units', unit.workUnitId)}>
            {titleOf(unit.goal)}
            {activity.get(unit.workUnitId) !== undefined && (
              <span class="quiet"> · {titleOf(activity.get(unit.workUnitId) ?? '', 80)}</span>
            )}
          </a>
          {unit.executionInfo.failureAttemptCount > 0 && (
            <span class="quiet">{many(unit.executionInfo.failureAttemptCount, 'failure')}</span>
          )}
          <When at={unit.updatedAt} />
        </div>
        {parts.length > 0 && <ul>{parts.map((part) => branch(part, deeper))}</ul>}
      </li>
    );
  };
  const roots = units.filter((unit) => unit.workUnitId === root || unit.replacesWorkUnitId === root);
  return <ul class="tree">{roots.map((unit) => branch(unit, new Set()))}</ul>;
}

function Decided({ goalId }: { readonly goalId: string }) {
  const results = useQuery('external-result.get', { goalId });
  const proposals = results.data?.proposals ?? [];
  return (
    <>
      <h2>Results</h2>
      {proposals.length === 0 ? (
        <Empty>Nothing was proposed yet.</Empty>
      ) : (
        <ul class="rows">
          {proposals.map((one) => (
            <ProposalRow key={one.proposalId} of={one} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Policy that is said; the empty one leaves it to the studio. */
type Policy = NonNullable<Operations['external-goal.run']['input']['reviewPolicy']> | '';
type Shape = NonNullable<Operations['external-goal.run']['input']['shape']>;

const POLICIES: readonly (readonly [Policy, string])[] = [
  ['', 'A person the whole, agents its parts'],
  ['HumanRequired', 'A person the whole, and each part'],
  ['Hybrid', 'Agents first, a person in the end'],
  ['AgentApproval', 'Agents approve'],
];
const SHAPES: readonly (readonly [Shape, string])[] = [
  ['auto', 'By how much it is'],
  ['single', 'One agent does all of it'],
  ['planned', 'A planner divides it first'],
];

type GoalLimits = Pick<
  Operations['external-goal.run']['input'],
  'maxGoalDollars' | 'maxGoalTokens' | 'maxGoalDurationMinutes'
>;

/** A whole number that somebody has written, nothing for no limit, or that it is none. */
function limitIn(text: string): number | undefined | 'wrong' {
  if (text.trim() === '') return undefined;
  return /^[1-9]\d{0,11}$/.test(text.trim()) ? Number(text) : 'wrong';
}

/** What was begun to be written: it outlives a look elsewhere, such as where a repository is registered. */
const written = signal('');

/** Branch that the result is for: the user's own, or one at the remote of the repository. */
function Base(props: {
  readonly repositoryId: string;
  readonly base: string;
  readonly onChoose: (base: string) => void;
}) {
  const { repositoryId, base, onChoose } = props;
  return (
    <Read of={useQuery('repository.bases', { repositoryId })}>
      {({ landing, remote, there }) => (
        <Choose
          label="Base branch"
          name="base"
          value={base}
          options={[['', landing], ...there.map((name) => [name, `${name}, at ${remote ?? ''}`] as const)]}
          onChange={onChoose}
          hint={
            base === ''
              ? 'Work begins at its newest commit, and lands there.'
              : `Work begins at ${landing}. Its result is for ${base} at ${remote ?? ''}: as a pull request, or by weft push. Nothing moves here.`
          }
        />
      )}
    </Read>
  );
}

export function NewGoal() {
  const repositories = useQuery('repository.list', {});
  const goal = written.value;
  const setGoal = (text: string): void => void (written.value = text);
  const [criteria, setCriteria] = useState('');
  const played = useQuery('demonstration.get', {}, isDemonstration.value).data?.goal;
  const [chosen, choose] = useState('');
  const [base, setBase] = useState('');
  const [policy, setPolicy] = useState<Policy>('');
  const [shape, setShape] = useState<Shape>('auto');
  const [dollars, setDollars] = useState('');
  const [tokens, setTokens] = useState('');
  const [minutes, setMinutes] = useState('');
  const limits = {
    maxGoalDollars: limitIn(dollars),
    maxGoalTokens: limitIn(tokens),
    maxGoalDurationMinutes: limitIn(minutes),
  };
  const isLimited = Object.values(limits).every((limit) => limit !== 'wrong');
  useEffect(() => {
    if (!played) return;
    written.value = played.goal;
    setCriteria(played.successCriteria);
    setShape(played.shape);
  }, [played === undefined]);
  const repositoryId = chosen === '' ? (repositories.data?.[0]?.repositoryId ?? '') : chosen;
  return (
    <>
      <Heading title="Set a goal" />
      <div class="form">
        <Field label="What is to be achieved" name="goal" lines={5} value={goal} onInput={setGoal} />
        <Field label="How to tell that it is done" name="criteria" lines={2} value={criteria} onInput={setCriteria} />
        <Read of={repositories}>
          {(all) =>
            all.length === 0 ? (
              <Empty>
                No repository is registered. <a href="/repositories">Register one.</a>
              </Empty>
            ) : (
              <Choose
                label="Repository"
                name="repository"
                value={repositoryId}
                options={all.map((one) => [one.repositoryId, repositoryName(one)] as const)}
                onChange={(one) => {
                  choose(one);
                  setBase('');
                }}
              />
            )
          }
        </Read>
        {repositoryId !== '' && <Base key={repositoryId} repositoryId={repositoryId} base={base} onChoose={setBase} />}
        {isDemonstration.value ? (
          <p class="quiet">
            The script knows this goal alone: a planner divides it, agents approve the parts, and you approve the whole.
          </p>
        ) : (
          <>
            <Choose
              label="Who approves what comes of it"
              value={policy}
              options={POLICIES}
              onChange={(value) => setPolicy(POLICIES.find(([one]) => one === value)?.[0] ?? '')}
            />
            <Choose
              label="How it is done"
              value={shape}
              options={SHAPES}
              onChange={(value) => setShape(SHAPES.find(([one]) => one === value)?.[0] ?? 'auto')}
            />
          </>
        )}
        <details>
          <summary>Limits of its own</summary>
          <div class="form">
            <Field label="Dollars" name="dollars" value={dollars} onInput={setDollars} hint="Empty: as in Settings." />
            <Field label="Tokens" name="tokens" value={tokens} onInput={setTokens} />
            <Field label="Minutes" name="minutes" value={minutes} onInput={setMinutes} />
          </div>
        </details>
        <Does
          label="Begin"
          kind="main"
          operation="external-goal.run"
          disabled={goal.trim() === '' || repositoryId === '' || !isLimited}
          input={{
            goal,
            repositoryId,
            shape,
            ...(isLimited ? (limits as GoalLimits) : {}),
            ...(base === '' ? {} : { base }),
            ...(policy === '' ? {} : { reviewPolicy: policy }),
            ...(criteria.trim() === '' ? {} : { successCriteria: criteria }),
          }}
          done="It has begun"
          after={(made) => {
            setGoal('');
            go(pathTo('goals', made.goalId));
          }}
        />
      </div>
    </>
  );
}
