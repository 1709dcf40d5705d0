import { once } from 'node:events';
import { Writable } from 'node:stream';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { describe, expect, it, vi } from 'vitest';
import { agent } from '../../record/aggregates/agent/agent.js';
import { repository } from '../../record/aggregates/repository/repository.js';
import { type Feed, MOST_AT_HAND } from '../../record/ledger/feed.js';
import { EventReader } from '../../testing/doors/event-source.js';
import { EVENTS, lastOf, readOverDisconnections, unit } from '../../testing/doors/event-log.js';
import { openRecord } from '../../testing/record/open-record.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { openTestLedger } from '../../testing/record/test-ledger.js';
import { startTestStudio } from '../../testing/test-studio.js';
import { EventStreams } from './event-streams.js';

describe('the event stream', () => {
  it('gives events as they happen, with what they say and what they follow from', async () => {
    const studio = await startTestStudio();
    await unit(studio);
    const reader = await EventReader.open(studio);
    expect(reader.status).toBe(200);
    const workUnitId = await unit(studio, { goal: 'new' });
    const [first, second] = await reader.take(2);
    expect(first).toMatchObject({ event: 'WorkUnitCreated', data: { workUnitId, by: 'operate' } });
    expect(first?.data).toEqual((await studio.call('GET', `${EVENTS}/ev-${first?.id}`)).json);
    expect(first?.data['eventId']).toBe(`ev-${first?.id}`);
    expect(JSON.parse(String(first?.data['payloadJson']))).toMatchObject({ goal: 'new' });
    expect(second?.data['causedByEventId']).toBe(first?.data['eventId']);
  });

  it('gives what was missed and goes on without a seam', async () => {
    const studio = await startTestStudio();
    for (let n = 0; n < 5; n++) await unit(studio);
    const missed = await lastOf(studio);
    const reader = await EventReader.open(studio, '?after=3');
    const writing = Promise.all(Array.from({ length: 5 }, () => unit(studio)));
    const events = await reader.take(2 * missed - 3);
    await writing;
    expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 2 * missed - 3 }, (_, n) => n + 4));
  });

  it('believes Last-Event-ID before the URL, and neither when it is no number', async () => {
    const studio = await startTestStudio();
    await unit(studio);
    const reader = await EventReader.open(studio, '?after=0', { 'last-event-id': '1' });
    expect(await reader.next()).toMatchObject({ id: 2 });
    for (const last of ['x', '-1', '1.5', 'ev-1']) {
      expect((await EventReader.open(studio, '', { 'last-event-id': last })).status, last).toBe(400);
    }
  });

  it('gives only what is asked for', async () => {
    const studio = await startTestStudio();
    const goalId = await unit(studio);
    const workUnitId = await unit(studio, { parentWorkUnitId: goalId });
    const deep = await unit(studio, { parentWorkUnitId: workUnitId });
    await unit(studio);
    await studio.call('POST', '/studio/stop-all');
    const about = async (query: string, many: number) =>
      (await (await EventReader.open(studio, `?after=0&${query}`)).take(many)).map(({ data }) => data['workUnitId']);
    expect(await about(`workUnitId=${workUnitId}`, 2)).toEqual([workUnitId, workUnitId]);
    const ofGoal = await about(`goalId=${goalId}`, 7);
    expect(new Set(ofGoal)).toEqual(new Set([goalId, workUnitId, deep]));
    expect((await EventReader.open(studio, '?workUnitId=none')).status).toBe(404);
    expect((await EventReader.open(studio, '?goalId=none')).status).toBe(404);
  });

  // 1,000 of them are in `event-streams.long.test.ts`.
  it('fault 35: gives each event once and in order over 150 disconnections at random', async () => {
    await readOverDisconnections(150);
  });

  it('gives what is long past, as it was told then', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    const { change, ledger, close } = await openRecord(studio.host);
    const before = ledger.feed.last;
    const reader = await EventReader.open(studio, `?after=${before}`);
    const many = 2 * MOST_AT_HAND;
    for (let written = 0; written < many; written += 256)
      await change((open) => {
        for (let n = written; n < written + 256; n++) {
          const agentId = `a-${n}`;
          open.run(agent, agentId, 'spawn', { agentId, agentType: 'worker', workUnitId, profileId: 'worker' });
        }
      });
    close();
    const told = await reader.take(many);
    const again = await EventReader.open(studio, `?after=${before}`);
    expect(await again.take(many)).toEqual(told);
    expect(told.map(({ id }) => id)).toEqual(Array.from({ length: many }, (_, n) => before + n + 1));
    expect((await studio.call('GET', `${EVENTS}/ev-${before + 2}`)).json).toEqual(told[1]?.data);
  });

  it('goes on after a restart where it was', async () => {
    const folder = await tempFolder();
    const before = createHost({ store: levelStore(folder) });
    const first = await startTestStudio(before);
    await unit(first);
    const seen = await (await EventReader.open(first, '?after=0')).take(2);
    await unit(first);
    await first.close();
    await before.close();
    const after = createHost({ store: levelStore(folder) });
    const second = await startTestStudio(after);
    const reader = await EventReader.open(second, `?after=${seen.at(-1)?.id}`);
    await unit(second);
    expect((await reader.take(4)).map(({ id }) => id)).toEqual([3, 4, 5, 6]);
    expect(await (await EventReader.open(second, '?after=0')).take(2)).toEqual(seen);
    reader.disconnect();
    await second.close();
    await after.close();
  });

  it('ends when the studio closes, which does not wait for it', async () => {
    const studio = await startTestStudio();
    const reader = await EventReader.open(studio);
    await unit(studio);
    await reader.take(2);
    await studio.close();
    expect(await reader.next()).toBeUndefined();
    expect(reader.isWhole).toBe(true);
  });

  it('ends when its token is revoked', async () => {
    const studio = await startTestStudio(undefined, { streamLimits: { heartbeatMs: 5, mostBehind: 10 } });
    const body = { label: 'x', scope: 'read' };
    const { json } = await studio.call('POST', '/studio/tokens', { as: 'admin', body });
    const { tokenId, secret } = json as { tokenId: string; secret: string };
    const reader = await EventReader.open(studio, '', { authorization: `Bearer ${secret}` });
    await vi.waitFor(() => expect(reader.comments).toContain(': nothing new'), { timeout: 20_000 });
    await studio.call('DELETE', `/studio/tokens/${tokenId}`, { as: 'admin' });
    expect(await reader.next()).toBeUndefined();
  });

  it('answers who asks for its headers alone', async () => {
    const studio = await startTestStudio();
    const { status, headers, text } = await studio.call('HEAD', EVENTS, { as: 'read' });
    expect({ status, text }).toEqual({ status: 200, text: '' });
    expect(headers['content-type']).toBe('text/event-stream');
  });

  it('tells a reader that knows of more than there is to begin anew', async () => {
    const studio = await startTestStudio();
    await unit(studio);
    const reader = await EventReader.open(studio, '?after=1000');
    expect(await reader.next()).toEqual({ id: 2, event: 'resync', data: { last: 2 } });
    expect(await reader.next()).toBeUndefined();
  });
});

describe('a slow reader', () => {
  async function written() {
    const { ledger } = await openTestLedger();
    const { feed } = ledger;
    const add = async (many: number): Promise<void> => {
      for (let n = 0; n < many; n++) {
        const id = `r${feed.last}`;
        await ledger.change('operate', (change) =>
          change.run(repository, id, 'register', { repositoryId: id, path: `/${id}`, rootCommits: [] }),
        );
      }
    };
    return { feed, add };
  }

  function follow(feed: Feed, mostBehind: number) {
    const wanted = { after: 0, wants: '', isWanted: () => true, show: () => ({ kind: 'Told' }) };
    const waiting: { readonly text: string; readonly taken: () => void }[] = [];
    // Takes the next write when the last one was read.
    const connection = new Writable({
      highWaterMark: 1,
      write: (bytes, _encoding, taken) => void waiting.push({ text: String(bytes), taken }),
    });
    new EventStreams(feed, { heartbeatMs: 60_000, mostBehind }).open(connection, wanted, () => true);
    const read = async (): Promise<string | undefined> => {
      await vi.waitUntil(() => waiting.length > 0 || connection.writableFinished, { timeout: 20_000, interval: 1 });
      const next = waiting.shift();
      next?.taken();
      return next?.text;
    };
    const readTo = async (number: number): Promise<void> => {
      for (let text: string | undefined = ''; !text.includes(`id: ${number}\n`);) {
        text = await read();
        if (text === undefined) throw new Error(`the stream ended before ${number}`);
      }
    };
    return { connection, waiting, read, readTo };
  }

  it('fault 36: is told to begin anew when it is too far behind, and is let go', async () => {
    const { feed, add } = await written();
    const { waiting, read, readTo } = follow(feed, 5);
    await add(3);
    await readTo(3);
    await add(1);
    await vi.waitUntil(() => waiting.length > 0, { timeout: 20_000 });
    await add(6);
    await readTo(4);
    expect(await read()).toBe('id: 10\nevent: resync\ndata: {"last":10}\n\n');
    expect(await read()).toBeUndefined();
  });

  it('has time while it catches up, and as long as it is not far behind', async () => {
    const { feed, add } = await written();
    const { read, readTo } = follow(feed, 5);
    await add(600);
    expect(await read()).toBe(': events follow\n\n');
    for (const last of [256, 512, 600]) expect(await read()).toMatch(new RegExp(`id: ${last}\n[^\n]*\n[^\n]*\n\n$`));
    await add(5);
    await readTo(605);
  });

  it('that goes leaves nothing behind', async () => {
    const { feed } = await written();
    const listen = feed.onEvent.bind(feed);
    const stop = vi.fn();
    vi.spyOn(feed, 'onEvent').mockImplementation((listener) => {
      const stopListening = listen(listener);
      return () => {
        stop();
        stopListening();
      };
    });
    const { connection } = follow(feed, 5);
    expect(stop).not.toHaveBeenCalled();
    connection.destroy();
    await once(connection, 'close');
    expect(stop).toHaveBeenCalledOnce();
  });
});
