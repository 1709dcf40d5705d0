import { describe, expect, it } from 'vitest';
import { type AgentsAtWork, agentsAtWork } from '../testing/work/agents-at-work.js';
import { type Script, scriptedModels } from '../testing/models/scripted-models.js';
import { ProviderError } from '../models/provider.js';

/** A model that thinks until it is told to stop. */
const thinking: Script = (_asked, signal) =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(new ProviderError('stopped', 'stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
  });

async function enqueue({ call }: AgentsAtWork, count: number, profileId = 'worker'): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const given = { goal: `goal ${i}`, expectedOutputKind: 'KnowledgeArtifact' };
    const { workUnitId } = (await call('workunit.create', given)) as { workUnitId: string };
    await call('scheduler.enqueue', { workUnitId, profileId });
    ids.push(workUnitId);
  }
  return ids;
}

const inPlace = ({ records }: AgentsAtWork, place: string): string[] =>
  records.scheduledItems.where('place', place).map(({ workUnitId }) => workUnitId);

describe('the scheduler', () => {
  it('fault 7: gives back what 20 agents are at work on when the host ends, and goes on with it after the next start', async () => {
    const first = await agentsAtWork({ models: scriptedModels(thinking) });
    await first.call('option.change', { maxConcurrentWorkers: 20 });
    const ids = await enqueue(first, 20);
    await first.until(() => inPlace(first, 'leased').length === 20);
    await first.stop();
    expect(inPlace(first, 'queued').toSorted()).toEqual(ids.toSorted());
    const found = { type: 'Research', title: 'Found', body: 'it' };
    const models = scriptedModels(() => ({ calls: [['artifact_record', found]] }));
    const second = await agentsAtWork({ models, host: first.host });
    await second.until(({ workUnits }) => workUnits.all().every(({ status }) => status === 'Completed'));
  });

  it('fault 32: stops everything in the middle of a storm of new work, and keeps to its limit before, after and after a restart', async () => {
    const open = new Set<string>();
    const models = scriptedModels(async (asked, signal) => {
      open.add(asked.workUnitId);
      try {
        return await thinking(asked, signal);
      } finally {
        open.delete(asked.workUnitId);
      }
    });
    const watched = (atWork: AgentsAtWork): (() => number) => {
      let most = 0;
      atWork.ledger.feed.onEvent(() => (most = Math.max(most, inPlace(atWork, 'leased').length)));
      return () => most;
    };
    const first = await agentsAtWork({ models });
    const mostBefore = watched(first);
    const spawn = async (): Promise<string> => {
      const { workUnitId } = (await first.call('workunit.create', { goal: 'more' })) as { workUnitId: string };
      await first.call('agent.spawn', { agentType: 'worker', workUnitId }).catch((error: unknown) => {
        // It was stopped between the two.
        expect(error).toMatchObject({ reason: 'reject.wrong_state' });
      });
      return workUnitId;
    };
    const storm = Array.from({ length: 20 }, spawn);
    await Promise.race(storm);
    const { cancelledWorkUnitIds } = (await first.call('workunit.stopAll', {})) as { cancelledWorkUnitIds: string[] };
    const later = await Promise.all([...storm, ...Array.from({ length: 20 }, spawn)]);
    expect(cancelledWorkUnitIds.length).toBeGreaterThan(0);
    const goesOn = (id: string) => !cancelledWorkUnitIds.includes(id);
    const asks = async (count: number) => {
      while (open.size !== count) await new Promise((resolve) => setImmediate(resolve));
    };
    await first.until(() => inPlace(first, 'leased').length === 3);
    await asks(3);
    expect([...open].filter((id) => !goesOn(id))).toEqual([]);
    const waiting = [...inPlace(first, 'leased'), ...inPlace(first, 'queued')];
    expect(waiting.toSorted()).toEqual(later.filter(goesOn).toSorted());
    for (const id of cancelledWorkUnitIds) expect(first.records.workUnits.get(id)?.status).toBe('Cancelled');
    await first.stop();
    const second = await agentsAtWork({ models, host: first.host });
    const mostAfter = watched(second);
    await second.until(() => inPlace(second, 'leased').length === 3);
    await asks(3);
    await second.call('workunit.stopAll', {});
    await asks(0);
    expect(inPlace(second, 'leased').length + inPlace(second, 'queued').length).toBe(0);
    expect([mostBefore(), mostAfter()]).toEqual([3, 3]);
  });

  it('begins with what has waited longest, with no more at once than may, and no more of one profile', async () => {
    const atWork = await agentsAtWork({ models: scriptedModels(thinking), workersOf: { planner: 1 } });
    const planned = await enqueue(atWork, 2, 'planner');
    const others = await enqueue(atWork, 3);
    await atWork.until(() => inPlace(atWork, 'leased').length === 3);
    // The second planner keeps its place, and does not hold up the rest.
    expect(inPlace(atWork, 'leased').toSorted()).toEqual([planned[0], others[0], others[1]].toSorted());
    await atWork.call('workunit.cancel', { workUnitId: planned[0] });
    await atWork.until(() => inPlace(atWork, 'leased').includes(planned[1]!));
    expect(inPlace(atWork, 'queued')).toEqual([others[2]]);
  });

  it('takes on another agent where the first was stopped, and does not stop the second for it', async () => {
    const atWork = await agentsAtWork({ models: scriptedModels(thinking) });
    const [id] = await enqueue(atWork, 1);
    await atWork.until(() => atWork.records.conversationEntries.all()[0]?.phase === 'asked');
    const { leasedBy: agentId } = atWork.records.scheduledItems.get(id!)!;
    await atWork.call('agent.stop', { agentId });
    await atWork.until(() => atWork.records.conversationEntries.all()[0]?.phase === 'failed');
    await atWork.call('scheduler.resume', { workUnitId: id });
    await atWork.until(() => atWork.records.conversationEntries.all()[0]?.phase === 'asked');
    expect(atWork.records.scheduledItems.get(id!)?.leasedBy).not.toBe(agentId);
    expect(atWork.records.conversationEntries.all()).toHaveLength(1);
  });
});
