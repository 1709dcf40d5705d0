/** Runtime: lets a studio work on goals by itself, with agents and a coordinator. */
import { DEFAULT_OPTIONS, OPTIONS_ID } from './record/aggregates/options/options.js';
import type { AgentProfile } from './record/aggregates/agent-profile/state.js';
import type { Budgets } from './models/budgets.js';
import type { Speech } from './operations/kernel/speech.js';
import type { Fact } from './drivers/briefing/fact.js';
import { bothSides } from './drivers/briefing/both-sides.js';
import { orientation } from './drivers/briefing/orientation.js';
import { work } from './drivers/loop.js';
import type { ChooseModel, HostModels } from './models/chosen-model.js';
import { ProfileChoice } from './drivers/profile-choice.js';
import { Observers } from './drivers/observers.js';
import type { Tools } from './drivers/tools.js';
import { Lookout } from './drivers/lookout.js';
import { Scheduler } from './drivers/scheduler.js';
import type { Clock } from './clock.js';
import type { Times } from './drivers/keep-times.js';
import type { OperationParts } from './operations/kernel/context.js';
import type { WorkUnit } from './record/aggregates/work-unit/state.js';
import { COORDINATOR } from './rules/queue/reinvoke.js';
import type { ProgramHomes } from './workspace/programs/program-homes.js';
import { type ProgramDoor, Workplaces } from './drivers/executing/workplaces.js';
import type { Goal } from './record/aggregates/goal/goal.js';
import type { Records } from './record/views/records.js';
import { goalLimits } from './rules/goals/goal-limits.js';
import { goalOf } from './rules/goals/tree.js';
import { type SetUpTold, setUpFolder } from './rules/runs/set-up.js';
import { Coordinator } from './drivers/coordinator.js';

export interface AgentsOptions extends HostModels {
  /** Model selection. Default: the callers' choice. */
  readonly models?: ChooseModel;
  /** Budgets of goals, units and agents. Default: none. */
  readonly budgets?: Budgets;
  /** Concurrency by profile. Default: no limit but that of all. */
  readonly workersOf?: Readonly<Record<string, number>>;
}

export interface Runtime {
  /** Resolves when nothing is due; agents may still be at work. */
  settled(): Promise<void>;
  /** Stops all agents at once; their work continues after the next start. */
  stop(): Promise<void>;
}

export interface RuntimeParts extends OperationParts {
  readonly tools: Tools;
  /** Model selection of this host. */
  readonly choose: ChooseModel;
  readonly times: Times;
  readonly wall: Clock;
  readonly steady: Clock;
  readonly speech?: Speech | undefined;
  /** Homes and door of agent programs. Absent: none work here. */
  readonly programsAtWork?: { readonly homes: ProgramHomes; readonly door: ProgramDoor } | undefined;
}

export function startRuntime(parts: RuntimeParts, options: AgentsOptions): Runtime {
  const { budgets = {}, workersOf = {} } = options;
  const { ledger, records, credentials, times, steady, log, tools, choose: models } = parts;
  const context = {
    ...parts,
    change: <T>(run: Parameters<typeof ledger.change<T>>[1]) => ledger.change(COORDINATOR, run),
  };
  const unread =
    ({ workUnitId }: WorkUnit) =>
    (error: unknown): void => {
      const message = 'what an agent is told of its repository could not be read';
      log({ level: 'error', message, about: { workUnitId }, error });
    };
  const oriented = (unit: WorkUnit, profile: AgentProfile): Promise<readonly Fact[]> =>
    orientation(context, unit, profile).catch((error: unknown) => {
      unread(unit)(error);
      return [];
    });
  const { programsAtWork: atWork } = parts;
  const places = atWork && new Workplaces(context, atWork.homes, atWork.door);
  const loopParts = {
    places,
    speech: parts.speech,
    ledger,
    records,
    tools,
    models,
    orientation: oriented,
    bothSides: (unit: WorkUnit) => bothSides(context, unit, unread(unit)),
    setUp: (workUnitId: string, told: SetUpTold, signal: AbortSignal) => setUpFolder(context, workUnitId, told, signal),
    budgets: (workUnitId: string) => withLimits(budgets, records, goalOf(ledger.look, workUnitId)),
  };
  const choice = new ProfileChoice(loopParts);
  const coordinator = new Coordinator({ ...context, chooseProfile: (unit, among) => choice.choose(unit, among) });
  const observers = new Observers({ ...loopParts, log });
  const lookout = new Lookout(context);
  const scheduler = new Scheduler({
    ledger,
    records,
    times,
    steady,
    log,
    most: () => (records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS).maxConcurrentWorkers,
    mostOf: (profileId) => workersOf[profileId] ?? Number.POSITIVE_INFINITY,
    hasKey: (credentialRef) => credentials.has(credentialRef),
    work: async (item, signal) => {
      if (records.agentProfiles.get(item.profileId)?.stage === 'Orchestrate') await coordinator.take(item);
      else await work(loopParts, item, signal);
    },
  });
  return {
    settled: async () => {
      await coordinator.settled();
      await observers.settled();
    },
    stop: async () => {
      choice.stop();
      await Promise.all([scheduler.stop(), observers.stop(), lookout.stop()]);
      await coordinator.stop();
    },
  };
}

/** Budgets of this host, which the limits of a goal can only make narrower. */
function withLimits(budgets: Budgets, records: Records, goal: Goal | undefined): Budgets {
  const { maxGoalTokens, maxGoalMicroUsd } = goalLimits(records, goal ?? {});
  const tokens = narrower(maxGoalTokens, budgets.goal?.tokens);
  const microUsd = narrower(maxGoalMicroUsd, budgets.goal?.microUsd);
  return { ...budgets, goal: { ...budgets.goal, tokens, microUsd } };
}

function narrower(own: number | null, most: number | undefined): number | undefined {
  return own === null ? most : Math.min(own, most ?? Number.POSITIVE_INFINITY);
}
