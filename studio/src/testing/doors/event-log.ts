/** The event stream of a studio, as it is written and as it is read. */
import { expect } from 'vitest';
import { EventReader } from './event-source.js';
import { type TestStudio, startTestStudio } from '../test-studio.js';

export const EVENTS = '/studio/events';

/** Makes a work unit, which is two events; answers its id. */
export async function unit(studio: TestStudio, body: object = {}): Promise<string> {
  const { json } = await studio.call('POST', '/studio/workunits', { body: { goal: 'x', ...body } });
  return (json as { workUnitId: string }).workUnitId;
}

/** The number of the last event. */
export async function lastOf(studio: TestStudio): Promise<number> {
  let last = 0;
  while ((await studio.call('GET', `${EVENTS}/ev-${last + 1}`)).status === 200) last++;
  return last;
}

/** A reader that loses its connection at random, so often, while events are written, gets each once and in order. */
export async function readOverDisconnections(times: number): Promise<void> {
  const studio = await startTestStudio();
  const roll = dice(35);
  const received: number[] = [];
  let written = 0;
  const writing: Promise<unknown>[] = [];
  for (let connection = 0; connection < times; connection++) {
    if (roll(3) === 0) {
      writing.push(unit(studio));
      written += 2;
    }
    const reader = await EventReader.open(studio, `?after=${received.at(-1) ?? 0}`);
    const events = await reader.take(Math.min(roll(4), written - received.length));
    received.push(...events.map(({ id }) => id));
    reader.disconnect();
  }
  await Promise.all(writing);
  const rest = await EventReader.open(studio, `?after=${received.at(-1) ?? 0}`);
  received.push(...(await rest.take(written - received.length)).map(({ id }) => id));
  expect(received).toEqual(Array.from({ length: written }, (_, n) => n + 1));
  expect(await lastOf(studio)).toBe(written);
}

/** Seeded random numbers: equal in each run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}
