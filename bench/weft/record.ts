// Writes what a studio records into its room as another host would, without asking the studio.
import type { Host } from '@weft/core';
import { WORKGROUP_ROOM } from '@weft/studio';

const AT_ONCE = 500;

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

/** A unit and its goal, and agents that say what they do. */
export async function fillRecord(host: Host, events: number, units: number): Promise<void> {
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
    for (let step = 1; step < 10 && all.length < events; step++)
      all.push(
        event('agent', agentId, step, { type: 'AgentActivityChanged', agentId, activity: `step ${step}` }, workUnitId),
      );
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
