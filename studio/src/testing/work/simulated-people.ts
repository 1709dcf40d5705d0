/** People of a simulated host: what they do to work under way, and what they do so that it goes on. */
import { heldUpIn } from '../../rules/goals/held-up.js';
import type { Records } from '../../record/views/records.js';
import type { Chance } from '../chance.js';
import { FILES, SHARED, sharedText } from '../models/simulated-models.js';

export interface Person {
  readonly records: Records;
  readonly chance: Chance;
  call(id: string, input: object): Promise<unknown>;
}

export async function stateGoal({ call, chance }: Person, goal: string): Promise<void> {
  const wanted = { goal, expectedOutputKind: 'KnowledgeArtifact' };
  const { workUnitId } = (await call('workunit.create', wanted)) as { workUnitId: string };
  await call('session.start', { rootWorkUnitId: workUnitId, profileIds: ['orchestrator', 'worker'] });
  const key = chance.happens(`key of ${goal}`, 40) ? { credentialRef: 'mine', apiKey: 'first' } : {};
  await call('scheduler.enqueue', { workUnitId, profileId: 'orchestrator', ...key });
}

/** A goal that changes files of a repository, under any policy. */
export async function stateFileGoal({ call, chance }: Person, about: string, repositoryId: string): Promise<void> {
  const goal = FILES + about;
  const policy = (what: string): string =>
    chance.pick(`${what} of ${goal}`, ['AgentApproval', 'AgentApproval', 'Hybrid', 'HumanRequired']);
  const wanted = {
    goal,
    repositoryId,
    taskReviewPolicy: policy('task policy'),
    workspaceReviewPolicy: policy('policy'),
    ...(chance.happens(`scope of ${goal}`, 30) ? { fileScope: ['src/**'] } : {}),
  };
  const { workUnitId } = (await call('workunit.create', wanted)) as { workUnitId: string };
  await call('session.start', { rootWorkUnitId: workUnitId, profileIds: ['orchestrator', 'worker'] });
  // Parts of a person may change the same files at once; those of a plan run one after the other then.
  const parts = chance.happens(`divided ${goal}`, 50) ? [0, 1, 2] : [];
  for (const i of parts) await call('workunit.create', { goal: `${goal} piece ${i}`, parentWorkUnitId: workUnitId });
  const profiles = parts.length > 0 ? ['orchestrator'] : ['orchestrator', 'worker'];
  await call('scheduler.enqueue', { workUnitId, profileId: chance.pick(`who ${goal}`, profiles) });
}

/** Anything that a person may do at any time. */
export async function disturb(person: Person, round: number): Promise<unknown> {
  const { records, chance, call } = person;
  const pick = <T>(of: readonly T[]): T | undefined => (of.length === 0 ? undefined : chance.pick(`pick ${round}`, of));
  const goalId = pick(records.goals.all())?.goalId;
  const agentId = pick(records.agents.all())?.agentId;
  const workUnitId = pick(records.workUnits.all())?.workUnitId;
  switch (chance.number(`act ${round}`, 16)) {
    case 0:
      return call('goal.pause', { goalId });
    case 1:
      return call('goal.resume', { goalId, steering: `quicker, ${round}` });
    case 2:
      return call('agent.stop', { agentId });
    case 3:
      return call('agent.pause', { agentId });
    case 4:
      return call('workunit.cancel', { workUnitId });
    case 5:
      return call('requeue.requeue', { workUnitId, notes: 'again' });
    case 6:
      return call('steering.redirect', { workUnitId, agentId, injectedConstraint: `otherwise, ${round}` });
    case 7: {
      const needed = chance.pick(`needed ${round}`, records.workUnits.all()).workUnitId;
      const part = { goal: `more ${round}`, expectedOutputKind: 'KnowledgeArtifact', parentWorkUnitId: workUnitId };
      return call('workunit.create', { ...part, dependsOn: [needed] });
    }
    default:
      return help(person);
  }
}

/** One thing that a person can do so that work goes on; undefined when there is none. */
export async function help(person: Person): Promise<unknown> {
  const { records, chance, call } = person;
  const { clarifications, deadLetters, goals, agents, workUnits } = records;
  const asked = clarifications.all().find(({ status }) => status === 'open');
  if (asked) {
    const { workUnitId, requestId } = asked;
    return call('clarification.respond', { workUnitId, requestId, response: 'yes' });
  }
  const failure = deadLetters.all().find(({ resolution }) => resolution === undefined);
  if (failure) {
    const { entryId, kind } = failure;
    if (kind === 'MaxIterationsExceeded') return call('dead-letter.goOn', { entryId });
    if (chance.happens(`replan ${entryId}`, 20)) return call('dead-letter.replan', { entryId });
    return call('dead-letter.retryWithContext', { entryId, steeringContext: 'do it simply' });
  }
  const paused = goals.all().find(({ status }) => status === 'Paused');
  if (paused) return call('goal.resume', { goalId: paused.goalId });
  const resting = agents.all().find(({ status }) => status === 'paused');
  if (resting) return call('agent.resume', { agentId: resting.agentId });
  const parked = records.scheduledItems.where('place', 'parked');
  if (parked.some(({ parkedFor }) => parkedFor === 'Resume')) return call('scheduler.resumeAll', {});
  const locked = parked.find(({ parkedFor }) => parkedFor === 'Credentials');
  if (locked) {
    const { workUnitId, credentialRef } = locked;
    return call('scheduler.resume', { workUnitId, credentialRef, apiKey: 'another' });
  }
  const spent = parked.find(({ parkedFor, limited }) => parkedFor === 'Limit' && limited?.until === undefined);
  if (spent) return call('scheduler.resume', { workUnitId: spent.workUnitId });
  for (const { goalId, workUnitId: root } of goals.all()) {
    const [held] = heldUpIn(records, { workUnitId: root });
    if (!held) continue;
    const { workUnitId } = held.unit;
    const isPlannedAnew = chance.happens(`again ${workUnitId}`, 50);
    return isPlannedAnew
      ? call('external-goal.recover', { goalId, action: 'replan' })
      : call('workunit.cancel', { workUnitId });
  }
  const isDecided = await decide(person);
  if (isDecided) return isDecided;
  const created = workUnits.all().find((unit) => unit.status === 'Created' && unit.parentWorkUnitId === undefined);
  if (created) return call('scheduler.enqueue', { workUnitId: created.workUnitId, profileId: 'orchestrator' });
  return undefined;
}

interface Wanted {
  readonly kind: string;
  readonly actions: readonly {
    readonly operation: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly asks: readonly string[];
  }[];
}

/** Does what the attention list says that a person may do about a proposal or a conflict. */
async function decide({ call, chance }: Person): Promise<unknown> {
  const { items } = (await call('attention.list', {})) as { items: readonly Wanted[] };
  const found = items.find(({ kind, actions }) => ['review', 'land', 'conflict'].includes(kind) && actions.length > 0);
  if (!found) return undefined;
  const about = JSON.stringify(found.actions[0]!.input);
  const { operation, input, asks } = chance.happens(`other way ${about}`, 15)
    ? chance.pick(`way ${about}`, found.actions)
    : found.actions[0]!;
  const files = asks.includes('files')
    ? { files: Object.fromEntries(SHARED.map((path) => [path, sharedText('me 1')])) }
    : {};
  return call(operation, { ...input, ...(asks.includes('notes') ? { notes: 'not so' } : {}), ...files });
}
