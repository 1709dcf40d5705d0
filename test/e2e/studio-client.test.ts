/** `@weft/studio-client` against a real studio: what it asks is what is meant, and its events have no gap where lines are cut. */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { type StudioOptions, newTokens, startStudio } from '@weft/studio';
import { type NumberedEvent, type Spoken, StudioError, createStudioClient, followEvents } from '@weft/studio-client';
import { expect, it, onTestFinished } from 'vitest';

async function world(agents?: StudioOptions['agents']) {
  const host = createHost({ store: memoryStore() });
  const tokens = newTokens();
  const studio = await startStudio({
    host,
    tokens,
    listen: '127.0.0.1:0',
    confinement: { unconfined: true },
    log: () => undefined,
    ...(agents && { agents }),
  });
  const sockets = new Set<Socket>();
  // A line to the studio that can be cut.
  const line = createServer((near) => {
    const far = connect(studio.port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(async () => {
    cut();
    await new Promise((resolve) => line.close(resolve));
    await studio.close();
    await host.close();
  });
  const { port } = line.address() as AddressInfo;
  const direct = createStudioClient({ origin: `http://127.0.0.1:${studio.port}`, token: tokens.operate });
  const throughLine = createStudioClient({ origin: `http://127.0.0.1:${port}`, token: tokens.operate });
  return { direct, throughLine, cut };
}

it('calls by path, query and body, and throws refusals with what can be done', async () => {
  const { direct } = await world();
  const made = await direct.call('workunit.create', { goal: 'a "b" ü' });
  expect(made).toMatchObject({ goal: 'a "b" ü', status: 'Created' });
  expect(await direct.call('workunit.get', { workUnitId: made.workUnitId })).toMatchObject({ goal: 'a "b" ü' });
  expect(await direct.call('workunit.list', { branchId: made.branchId, limit: 1 })).toHaveLength(1);
  expect(await direct.call('workunit.list', { branchId: 'none' })).toEqual([]);
  const refused = await direct.call('workunit.get', { workUnitId: 'a/b' }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StudioError);
  expect(refused).toMatchObject({ status: 404, code: 'reject.workunit_not_found', recovery: ['List the work units.'] });
});

it('a call that is repeated under its key happens once', async () => {
  const { direct } = await world();
  const twice = [1, 2].map(() => direct.call('workunit.create', { goal: 'once' }, { key: 'k' }));
  const [first, second] = await Promise.all(twice);
  expect(first).toEqual(second);
  expect(await direct.call('workunit.list', {})).toHaveLength(1);
});

it('events come each once and in order, however often the line is cut', async () => {
  const { direct, throughLine, cut } = await world();
  const { asOf } = await direct.call('attention.list', {});
  const stop = new AbortController();
  const seen: NumberedEvent[] = [];
  let breaks = 0;
  const following = followEvents(throughLine, {
    after: asOf,
    signal: stop.signal,
    take: (events) => seen.push(...events),
    lost: () => seen.splice(0),
    connected: (isConnected) => void (breaks += isConnected ? 0 : 1),
  });
  for (let round = 1; round <= 3; round++) {
    await direct.call('workunit.create', { goal: `round ${round}` });
    await expect.poll(() => seen.some(({ event }) => event.payloadJson.includes(`round ${round}`))).toBe(true);
    cut();
    await expect.poll(() => breaks).toBeGreaterThanOrEqual(round);
    await direct.call('workunit.create', { goal: `cut ${round}` });
  }
  const { asOf: last } = await direct.call('attention.list', {});
  await expect.poll(() => seen.at(-1)?.number).toBe(last);
  expect(seen.map(({ number }) => number)).toEqual(Array.from({ length: last - asOf }, (_none, at) => asOf + 1 + at));
  stop.abort();
  await following;
});

it('says so where events are gone, and ends where it is not let in', async () => {
  const { direct, throughLine } = await world();
  const stop = new AbortController();
  const lost = new Promise<void>((resolve) => {
    const options = { after: 1e6, signal: stop.signal, take: () => undefined, lost: resolve };
    void followEvents(throughLine, options);
  });
  await lost;
  stop.abort();
  expect((await direct.call('attention.list', {})).items).toEqual([]);
  const stranger = createStudioClient({
    origin: 'http://127.0.0.1:1',
    fetch: () => Promise.resolve(new Response('{}', { status: 401 })),
  });
  const signal = new AbortController().signal;
  await expect(followEvents(stranger, { signal, take: () => undefined, lost: () => undefined })).rejects.toMatchObject({
    status: 401,
  });
});

it('brings what agents say to who asks for it, before the event that holds all of it', async () => {
  const usage = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 10 };
  const { direct } = await world({
    models: () => ({
      model: 'a-model',
      provider: {
        name: 'scripted',
        turn: (_request, { onText }) => {
          onText?.('I have ');
          onText?.('looked.');
          return Promise.resolve({ text: 'I have looked.', calls: [], stop: 'end', usage });
        },
      },
    }),
  });
  const { asOf: after } = await direct.call('attention.list', {});
  const stop = new AbortController();
  const seen: (Spoken | string)[] = [];
  const following = followEvents(direct, {
    after,
    signal: stop.signal,
    take: (events) => {
      seen.push(...events.map(({ event }) => event.kind));
      if (seen.includes('ModelAnswered')) stop.abort();
    },
    hear: (spoken) => seen.push(...spoken),
    lost: () => undefined,
  });
  const { workUnitId } = await direct.call('workunit.create', { goal: 'Look' });
  await direct.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
  await following;
  const heard = seen.slice(0, seen.indexOf('ModelAnswered')).filter((one) => typeof one !== 'string');
  const [first] = heard;
  expect(first).toMatchObject({ workUnitId, startsOver: true });
  const answer = heard.filter(({ logId }) => logId === first?.logId);
  expect(answer.map(({ text }) => text).join('')).toBe('I have looked.');
});
