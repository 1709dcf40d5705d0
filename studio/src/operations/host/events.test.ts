import { describe, expect, it } from 'vitest';
import { openTestLedger } from '../../testing/record/test-ledger.js';
import { startTestStudio } from '../../testing/test-studio.js';
import { Tallies, tally } from '../../testing/tally.js';
import { createRecords } from '../../record/views/records.js';
import { shownEvent } from './event-shape.js';

describe('events', () => {
  it('are read one by one', async () => {
    const studio = await startTestStudio();
    const { json } = await studio.call('POST', '/studio/workunits', { body: { goal: 'x' } });
    const event = await studio.call('GET', '/studio/events/ev-1', { as: 'read' });
    expect(event).toMatchObject({
      status: 200,
      json: { eventId: 'ev-1', kind: 'WorkUnitCreated', workUnitId: (json as { workUnitId: string }).workUnitId },
    });
    const missing = { status: 404, json: { code: 'reject.event_not_found' } };
    expect(await studio.call('GET', '/studio/events/ev-99')).toMatchObject(missing);
    for (const id of ['ev-0', '1', 'ev-01', 'ev-x']) {
      expect((await studio.call('GET', `/studio/events/${id}`)).status, id).toBe(400);
    }
  });

  it('have kinds, of which all are listed and bookkeeping is none', async () => {
    const studio = await startTestStudio();
    const { json } = await studio.call('GET', '/studio/event-types', { as: 'read' });
    const { eventTypes } = json as { eventTypes: string[] };
    expect(eventTypes).toEqual([...eventTypes].sort());
    expect(eventTypes).toEqual(
      expect.arrayContaining(['HumanOnlyRefused', 'RepositoryMoved', 'RepositoryRegistered', 'WorkUnitCreated']),
    );
    expect(eventTypes).not.toEqual(expect.arrayContaining(['CommandAnswered']));
    expect(eventTypes).not.toEqual(expect.arrayContaining(['TokenMade']));
  });

  it('of an unknown session are none, whatever time is asked for', async () => {
    const studio = await startTestStudio();
    for (const since of ['', '?since=nonsense', '?since=2024-01-01T00:00:00Z']) {
      expect(await studio.call('GET', `/studio/sessions/none/events${since}`)).toMatchObject({ status: 200, json: [] });
    }
  });

  it('show what they say, and nothing of how they are kept', async () => {
    const collections = [...Object.values(createRecords()), new Tallies()];
    const { ledger } = await openTestLedger(undefined, { collections, sessionOf: () => 'ses-1' });
    await ledger.change('ann', (change) => {
      change.run(tally, 'a', 'open', { id: 'a', workUnitId: 'wu-1' });
      change.run(tally, 'a', 'add', { much: 2 });
    });
    const second = ledger.feed.ofSession('ses-1')[1]!;
    expect(shownEvent(second)).toEqual({
      eventId: 'ev-2',
      sessionId: 'ses-1',
      workUnitId: 'wu-1',
      kind: 'TallyAdded',
      payloadJson: '{"much":2}',
      causedByEventId: 'ev-1',
      occurredAt: '2024-05-06T07:08:09.000Z',
      by: 'ann',
    });
  });
});
