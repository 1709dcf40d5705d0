import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../record/ledger/stream.js';
import { openRecord } from '../testing/record/open-record.js';
import { rootsOf, unitsTouchedBy } from './touched.js';

/** What is looked at after a call. */
async function touchedBy(record: Awaited<ReturnType<typeof openRecord>>, id: string, input: object): Promise<string[]> {
  const told: StoredEvent[] = [];
  const unfollow = record.ledger.feed.onEvent(({ stored }) => void told.push(stored));
  await record.call(id, input);
  unfollow();
  return told.flatMap((stored) => unitsTouchedBy(record.records, stored));
}

describe('what an event may have made something due of', () => {
  it('is its own unit and what needs that, and all goals where it is for all of them', async () => {
    const record = await openRecord();
    const unit = async (goal: string, more: object = {}): Promise<string> =>
      ((await record.call('workunit.create', { goal, ...more })) as { workUnitId: string }).workUnitId;
    const [first, second] = [await unit('first'), await unit('second')];
    const needing = await unit('needing', { parentWorkUnitId: second, dependsOn: [first] });
    expect(rootsOf(record.records.workUnits.all())).toEqual([first, second]);
    expect(new Set(await touchedBy(record, 'workunit.cancel', { workUnitId: first }))).toEqual(
      new Set([first, needing]),
    );
    expect(await touchedBy(record, 'option.change', { useLlmProfileSelection: true })).toEqual([first, second]);
    const profile = { agentProfileId: 'mine', name: 'Mine', stage: 'Execute', systemPrompt: 'Do it.' };
    const bounds = { allowedTools: [], maxIterations: 5 };
    expect(await touchedBy(record, 'agent-profile.create', { ...profile, ...bounds })).toEqual([first, second]);
  });
});
