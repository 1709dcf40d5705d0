/** Queries that ask for too much: refused by their class, or done in pieces between which everybody else is served. */
import { type Host, type Room, createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect, it, onTestFinished } from 'vitest';

async function roomOf(rows: number, length = 1): Promise<{ readonly host: Host; readonly room: Room }> {
  const host = createHost({ store: memoryStore() });
  onTestFinished(() => host.close());
  const room = await host.room('room');
  const name = 'a'.repeat(length);
  const writes = Array.from({ length: rows }, (_, n) => ({ key: `${name}${n}`, value: n }));
  for (let from = 0; from < rows; from += 10_000)
    await room.transact(() => ({ writes: writes.slice(from, from + 10_000), result: undefined }));
  return { host, room };
}

async function told(host: Host, command: string, payload: object): Promise<unknown> {
  const { events } = await host.submit({ room_id: 'room', command: { [command]: payload } });
  const [event, body] = Object.entries(events[0]!)[0]!;
  return body['reason_class'] ?? event;
}

const register = (host: Host, descriptor: object, query_spec_id = 'q') =>
  told(host, 'RegisterQuerySpec', { query_spec_id, version: '1', descriptor });
const build = (host: Host, projection_id: string, more: object = {}) =>
  told(host, 'BuildProjection', { projection_id, query_spec_id: 'q', ...more });

it('fault 37: one that finds too much is refused, and the next one is served', async () => {
  const { host } = await roomOf(50_001);
  expect(await register(host, {})).toBe('QuerySpecRegistered');
  expect(await build(host, 'p')).toBe('reject.query_backpressure');
  await host.submit({ room_id: 'room', command: { MapSet: { namespace: 'b', key: 'k', value: 1 } } });
  expect(await register(host, { prefix: 'b/' }, 'small')).toBe('QuerySpecRegistered');
  expect(await build(host, 'p', { query_spec_id: 'small' })).toBe('ProjectionBuildCompleted');
});

it('fault 37: a pattern with many ways to fit costs no more than the keys are long', async () => {
  const { host } = await roomOf(200, 2000);
  const glob = `${'*a'.repeat(100)}b`;
  expect(await register(host, { glob })).toBe('QuerySpecRegistered');
  expect(await build(host, 'p')).toBe('ProjectionBuildCompleted');
});

it('fault 37: while moments of the past are folded, others write and read, and beyond the queue they are refused', async () => {
  const { host, room } = await roomOf(2000);
  await register(host, {});
  const { seq } = room;
  const target = (n: number) => ({ target_checkpoint: { selector: 'seq', canonical_seq: seq - (n % 3) } });
  let folded = 0;
  const builds = Array.from({ length: 45 }, (_, n) => build(host, `p${n}`, target(n)).finally(() => folded++));
  await room.set('meanwhile', 1);
  expect(room.get('meanwhile')).toBe(1);
  expect(folded).toBeLessThan(builds.length);
  const ended = await Promise.all(builds);
  expect(ended.filter((end) => end === 'ProjectionBuildCompleted')).toHaveLength(40);
  expect(ended.filter((end) => end === 'reject.query_backpressure')).toHaveLength(5);
});
