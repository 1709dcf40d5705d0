/** Agents on two hosts of one workgroup, which do not hear of each other for a while. */
import { type Host, createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect, it, onTestFinished } from 'vitest';
import { WORKGROUP_ROOM } from '../studio.js';
import { type AgentsAtWork, agentsAtWork } from '../testing/work/agents-at-work.js';
import { deliverAll, linked } from '../testing/record/linked-rooms.js';
import { scriptedModels } from '../testing/models/scripted-models.js';
import { ProviderError } from '../models/provider.js';

/** A model that answers when it is let go, and notes when it is told to stop. */
function patient() {
  let letGo = (): void => undefined;
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const seen = { stopped: 0 };
  const models = scriptedModels(async (_asked, signal) => {
    begin();
    await new Promise<void>((resolve) => {
      letGo = resolve;
      signal.addEventListener('abort', () => resolve());
    });
    if (signal.aborted) {
      seen.stopped += 1;
      throw new ProviderError('stopped', 'stopped');
    }
    return { calls: [['artifact_record', { type: 'Research', title: 'Found', body: 'it' }]] };
  });
  return { models, begun, seen, letGo: () => letGo() };
}

const openHost = (): Host => {
  const host = createHost({ store: memoryStore() });
  onTestFinished(() => host.close());
  return host;
};

/** Everything that is shown, whatever order it came in. */
function shown({ records }: AgentsAtWork): Record<string, string[]> {
  const { agents, artifacts, conversationEntries, goals, scheduledItems, workUnits } = records;
  const collections = { agents, artifacts, conversationEntries, goals, scheduledItems, workUnits };
  const texts = (all: readonly unknown[]): string[] => all.map((one) => JSON.stringify(one)).sort();
  return Object.fromEntries(Object.entries(collections).map(([name, one]) => [name, texts(one.all())]));
}

it('fault 41: work that two hosts have begun at once is gone on with by one of them, and has its effect once', async () => {
  const [first, second] = [patient(), patient()];
  const hosts = [openHost(), openHost()] as const;
  const links = linked(await hosts[0].room(WORKGROUP_ROOM), await hosts[1].room(WORKGROUP_ROOM));
  const a = await agentsAtWork({ host: hosts[0], name: 'a', models: first.models });
  const b = await agentsAtWork({ host: hosts[1], name: 'b', models: second.models });
  const given = { goal: 'Find it', expectedOutputKind: 'KnowledgeArtifact' };
  const { workUnitId } = (await a.call('workunit.create', given)) as { workUnitId: string };
  await a.call('goal.pause', { goalId: workUnitId });
  await a.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
  await deliverAll(links);
  expect(b.records.scheduledItems.get(workUnitId)).toMatchObject({ parkedFor: 'Paused' });

  // Neither hears of the other, and both are let go on.
  for (const one of [a, b]) await one.call('goal.resume', { goalId: workUnitId });
  await Promise.all([first.begun, second.begun]);
  for (const one of [a, b]) expect(one.records.scheduledItems.get(workUnitId)?.generation).toBe(1);

  await deliverAll(links);
  const { leasedBy } = a.records.scheduledItems.get(workUnitId)!;
  expect(b.records.scheduledItems.get(workUnitId)?.leasedBy).toBe(leasedBy);
  const isOver = ({ records }: AgentsAtWork): boolean => records.workUnits.get(workUnitId)?.status === 'Completed';
  for (let looks = 0; looks < 1000 && !(isOver(a) && isOver(b)); looks++) {
    for (const one of [first, second]) one.letGo();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await deliverAll(links);
  }
  expect(shown(a)).toEqual(shown(b));
  expect(first.seen.stopped + second.seen.stopped).toBe(1);
  expect([a, b].map(isOver)).toEqual([true, true]);
  const found = a.records.artifacts.where('owner', workUnitId).filter(({ type }) => type === 'Research');
  expect(found.map(({ ownedByAgentId }) => ownedByAgentId)).toEqual([leasedBy]);
  for (const link of links) link.stop();
});
