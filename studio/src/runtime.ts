/** Runtime: lets a studio work on goals by itself, with agents and a coordinator. */
import { DEFAULT_OPTIONS, OPTIONS_ID } from './record/aggregates/options/options.js';
import type { Budgets } from './models/budgets.js';
import { type Fact, rulesFact } from './drivers/briefing.js';
import { work } from './drivers/loop.js';
import type { ChooseModel, HostModels } from './models/chosen-model.js';
import { ProfileChoice } from './drivers/profile-choice.js';
import { Observers } from './drivers/observers.js';
import { newestProposal } from './drivers/stage-end.js';
import type { Tools } from './drivers/tools.js';
import { Scheduler } from './drivers/scheduler.js';
import type { Clock } from './clock.js';
import type { Times } from './drivers/keep-times.js';
import type { OperationParts } from './operations/kernel/context.js';
import type { WorkUnit } from './record/aggregates/work-unit/state.js';
import { forPeople } from './rules/proposals/patch.js';
import { troublesOf } from './rules/proposals/troubles.js';
import { type Rules, rulesFor } from './rules/branches/guidance.js';
import { COORDINATOR } from './rules/queue/reinvoke.js';
import type { Records } from './record/views/records.js';
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
}

/** Bytes of a patch shown to its reviewer. */
const LONGEST_PATCH = 100_000;

export function startRuntime(parts: RuntimeParts, options: AgentsOptions): Runtime {
  const { budgets = {}, workersOf = {} } = options;
  const { ledger, records, credentials, times, steady, log, tools, choose: models } = parts;
  const context = {
    ...parts,
    change: <T>(run: Parameters<typeof ledger.change<T>>[1]) => ledger.change(COORDINATOR, run),
  };
  const patchOf = async (workUnitId: string): Promise<string | undefined> => {
    const proposal = newestProposal(records, { workUnitId });
    if (!proposal) return undefined;
    const { proposalId, summary, changeDescription, repositoryId, baseCommit, headCommit } = proposal;
    const store = await parts.disk.stores.of(repositoryId);
    const patch = forPeople(await store.patch(baseCommit, headCommit, LONGEST_PATCH));
    const failed = troublesOf(records, proposal).map(({ kind, text }) => `- ${kind}: ${text}\n`);
    const troubles = failed.length === 0 ? '' : `What failed on the way, and is not mended:\n${failed.join('')}\n`;
    return `Proposal ${proposalId}: ${summary}\n${changeDescription}\n\n${troubles}${patch}`;
  };
  const orientation = async (unit: WorkUnit, stage: string): Promise<Fact[]> => {
    const shown = stage === 'Review' ? await patchOf(unit.workUnitId) : undefined;
    const rules = (await rulesOf(unit)).map(rulesFact);
    return [...rules, ...(shown === undefined ? [] : [{ id: 'proposal', text: `To be reviewed:\n${shown}` }])];
  };
  const rulesOf = (unit: WorkUnit): Promise<readonly Rules[]> =>
    rulesFor(context, unit).catch((error: unknown) => {
      const { workUnitId } = unit;
      log({
        level: 'error',
        message: 'what a repository says to agents could not be read',
        about: { workUnitId },
        error,
      });
      return [];
    });
  const loopParts = { ledger, records, tools, models, orientation, budgets: () => withOptions(budgets, records) };
  const choice = new ProfileChoice(loopParts);
  const coordinator = new Coordinator({ ...context, chooseProfile: (unit, among) => choice.choose(unit, among) });
  const observers = new Observers({ ...loopParts, log });
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
      await Promise.all([scheduler.stop(), observers.stop()]);
      await coordinator.stop();
    },
  };
}

/** Combines the workgroup's goal limits with this host's budgets. */
function withOptions(budgets: Budgets, { options }: Records): Budgets {
  const { maxGoalTokens } = options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  if (maxGoalTokens === null) return budgets;
  const tokens = Math.min(maxGoalTokens, budgets.goal?.tokens ?? Number.POSITIVE_INFINITY);
  return { ...budgets, goal: { ...budgets.goal, tokens } };
}
