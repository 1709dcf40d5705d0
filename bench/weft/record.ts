// Writes what a studio records into its room as another host would, without asking the studio.
import type { Host } from '@weft/core';
import { WORKGROUP_ROOM } from '@weft/studio';

const AT_ONCE = 500;
/** Events of an agent. */
const STEPS = 10;

interface Written {
  readonly key: string;
  readonly value: object;
}

function event(aggregate: string, id: string, n: number, said: object, workUnitId: string): Written {
  const meta = { at: new Date().toISOString(), by: 'bench', workUnitId };
  return { key: `studio/${aggregate}/${id}/${n}`, value: { v: 1, ...said, meta } };
}

async function write(host: Host, events: readonly Written[]): Promise<void> {
  const room = await host.room(WORKGROUP_ROOM);
  await room.transact(() => ({ writes: events as never, result: undefined }));
}

/** Agents of a record: at work to its end, or gone when they have said what they do. */
export type AgentsLeft = 'at work' | 'gone';

/** A unit and its goal, and agents that say what they do. */
export async function fillRecord(
  host: Host,
  events: number,
  units: number,
  left: AgentsLeft = 'at work',
): Promise<void> {
  const all = Array.from({ length: units }, (_, n) => {
    const [workUnitId, goal] = [`wu-bench-${n}`, `Goal number ${n} of the bench.`];
    const given = { workUnitId, goal, branchId: `work-${n}`, owner: 'bench' };
    const policies = { taskReviewPolicy: 'HumanRequired', workspaceReviewPolicy: 'HumanRequired' };
    const more = { dependsOn: [], fileScope: [], bypassPromotionBranch: false, expectedOutputKind: 'FileChange' };
    return [
      event('work-unit', workUnitId, 0, { type: 'WorkUnitCreated', ...given, ...policies, ...more }, workUnitId),
      event('goal', workUnitId, 0, { type: 'GoalCreated', goalId: workUnitId, ...given }, workUnitId),
    ];
  }).flat();
  for (let n = 0; all.length < events; n++) {
    const [agentId, workUnitId] = [`agent-bench-${n}`, `wu-bench-${n % units}`];
    const about = { agentId, agentType: 'worker', workUnitId, profileId: 'worker' };
    all.push(event('agent', agentId, 0, { type: 'AgentSpawned', ...about }, workUnitId));
    for (let step = 1; step < STEPS && all.length < events; step++) {
      const isLast = left === 'gone' && step === STEPS - 1;
      const said = isLast ? { type: 'AgentStopped' } : { type: 'AgentActivityChanged', activity: `step ${step}` };
      all.push(event('agent', agentId, step, { ...said, agentId }, workUnitId));
    }
  }
  for (let from = 0; from < all.length; from += AT_ONCE) await write(host, all.slice(from, from + AT_ONCE));
}

let round = 0;

/** At a steady rate; each says when it was told, in milliseconds. */
export async function tellEvents(host: Host, count: number, perSecond: number): Promise<void> {
  const [agentId, workUnitId] = [`agent-told-${process.pid}-${++round}`, 'wu-bench-0'];
  const about = { agentId, agentType: 'worker', workUnitId, profileId: 'worker' };
  await write(host, [event('agent', agentId, 0, { type: 'AgentSpawned', ...about }, workUnitId)]);
  const began = Date.now();
  for (let told = 0; told < count;) {
    const due = Math.min(count, Math.floor(((Date.now() - began) * perSecond) / 1000));
    const now = Date.now();
    const events = Array.from({ length: due - told }, (_, n) =>
      event(
        'agent',
        agentId,
        told + n + 1,
        { type: 'AgentActivityChanged', agentId, activity: `${now} ${told + n}` },
        workUnitId,
      ),
    );
    if (events.length > 0) await write(host, events);
    told = due;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const agentAtWork = (n: number): string => `agent-at-work-${n}`;

/** Agents at work, each on one of the units that fill the record. */
export async function spawnAgents(host: Host, count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, n) => {
    const [agentId, workUnitId] = [agentAtWork(n), `wu-bench-${n}`];
    const about = { agentId, agentType: 'worker', workUnitId, profileId: 'worker' };
    return [
      event('agent', agentId, 0, { type: 'AgentSpawned', ...about }, workUnitId),
      event('agent', agentId, 1, { type: 'AgentActivityChanged', agentId, activity: `${agentId} begins` }, workUnitId),
    ];
  }).flat();
  for (let from = 0; from < all.length; from += AT_ONCE) await write(host, all.slice(from, from + AT_ONCE));
}

/** At a steady rate, the agents of `spawnAgents` in turn: what each is said to do is the number of the event. Answers when each was told. */
export async function tellOfAgents(host: Host, agents: number, count: number, perSecond: number): Promise<number[]> {
  const began = Date.now();
  const told: number[] = [];
  while (told.length < count) {
    const now = Date.now();
    const due = Math.min(count, Math.floor(((now - began) * perSecond) / 1000));
    const events: Written[] = [];
    for (; told.length < due; told.push(now)) {
      const number = told.length;
      const [agentId, workUnitId] = [agentAtWork(number % agents), `wu-bench-${number % agents}`];
      const said = { type: 'AgentActivityChanged', agentId, activity: `event ${number}` };
      events.push(event('agent', agentId, 2 + Math.floor(number / agents), said, workUnitId));
    }
    if (events.length > 0) await write(host, events);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return told;
}
