import { describe, expect, it } from 'vitest';
import { agentsAtWork } from '../testing/work/agents-at-work.js';
import { scriptedModels } from '../testing/models/scripted-models.js';

describe('stopping all work', () => {
  it('ends every question under way before it is answered itself, and nothing is done after it', async () => {
    const order: string[] = [];
    const atWork = await agentsAtWork({
      // They answer all the same, and want to go on: what a model does must not matter.
      models: scriptedModels(async ({ goal, turn }, signal) => {
        if (turn > 0 || signal.aborted) order.push(`${goal} is asked again`);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        order.push(`${goal} is stopped`);
        return { calls: [['artifact_record', { type: 'Research', title: goal, body: 'late' }]] };
      }),
    });
    const units: string[] = [];
    for (const goal of ['a', 'b', 'c']) {
      const { workUnitId } = (await atWork.call('workunit.create', { goal })) as { workUnitId: string };
      await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
      units.push(workUnitId);
    }
    await atWork.until(({ conversationEntries }) => conversationEntries.all().length === 3);
    await atWork.call('workunit.stopAll', {});
    order.push('the call is answered');
    expect(order.toSorted()).toEqual(['a is stopped', 'b is stopped', 'c is stopped', 'the call is answered']);
    expect(order.at(-1)).toBe('the call is answered');
    await atWork.until(({ conversationEntries }) => conversationEntries.all().every(({ phase }) => phase === 'failed'));
    await atWork.stop();
    expect(order).toHaveLength(4);
    expect(atWork.records.artifacts.all()).toEqual([]);
    expect(units.map((id) => atWork.records.workUnits.get(id)?.status)).toEqual(Array(3).fill('Cancelled'));
  });
});
