/** Speech of agents on the event stream: heard while it is said, by who asks for it, and stored once. */
import { expect, it } from 'vitest';
import { Speech } from '../../operations/kernel/speech.js';
import { post, read } from '../../testing/doors/calls.js';
import { EventReader, type Received } from '../../testing/doors/event-source.js';
import { answerOf, fakeServer, openaiVendor } from '../../testing/models/fake-vendor.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

const SAID = 'I look at what is there before I record anything.';

async function begin(studio: TestStudio, baseUrl: string): Promise<string> {
  const given = { goal: 'Find it', expectedOutputKind: 'KnowledgeArtifact' };
  const { workUnitId } = await post<{ workUnitId: string }>(studio, '/workunits', given);
  await post(studio, '/scheduler/enqueue', {
    workUnitId,
    profileId: 'worker',
    provider: 'openai',
    model: 'm',
    baseUrl,
  });
  return workUnitId;
}

async function heardUntil(reader: EventReader, kind: string): Promise<Received[]> {
  const all: Received[] = [];
  for (let event = await reader.next(); event; event = await reader.next()) {
    all.push(event);
    if (event.event === kind) return all;
  }
  throw new Error(`the stream ended before ${kind}`);
}

it('is heard by who asks for it before the answer is recorded, which is the only place where it is stored', async () => {
  const found = {
    calls: [{ name: 'svc_v1_artifact_record', input: { type: 'Research', title: 'Found', body: 'it' } }],
  };
  const server = await fakeServer([answerOf(openaiVendor, { text: SAID, ...found })]);
  const studio = await startTestStudio(undefined, { agents: {} });
  const hearing = await EventReader.open(studio, '?speech=true');
  const reading = await EventReader.open(studio);
  const workUnitId = await begin(studio, server.url);
  const heard = await heardUntil(hearing, 'ModelAnswered');
  const spoken = heard.filter(({ event }) => event === 'speech');
  expect(spoken.map(({ data }) => data['text']).join('')).toBe(SAID);
  const [{ data } = { data: {} as Record<string, unknown> }] = spoken;
  expect(data).toMatchObject({ workUnitId, startsOver: true });
  // It has no number, so a client that comes back goes on where the events were.
  expect(spoken.every(({ id }) => !(id > 0))).toBe(true);
  expect((await heardUntil(reading, 'ModelAnswered')).map(({ event }) => event)).not.toContain('speech');
  const cycles = await read<{ logId: string; assistantText?: string }[]>(
    studio,
    `/workunits/${workUnitId}/conversation-log`,
  );
  expect(cycles.find(({ logId }) => logId === data['logId'])?.assistantText).toBe(SAID);
  const again = await EventReader.open(studio, '?after=0&speech=true');
  expect((await heardUntil(again, 'ModelAnswered')).map(({ event }) => event)).not.toContain('speech');
});

it('is heard of the work unit that is asked for, and of no other', async () => {
  const server = await fakeServer([answerOf(openaiVendor, { text: SAID })]);
  const studio = await startTestStudio(undefined, { agents: {} });
  const { workUnitId: other } = await post<{ workUnitId: string }>(studio, '/workunits', { goal: 'Other' });
  const deaf = await EventReader.open(studio, `?speech=true&workUnitId=${other}`);
  const hearing = await EventReader.open(studio, '?speech=true');
  await begin(studio, server.url);
  await heardUntil(hearing, 'speech');
  await post(studio, `/workunits/${other}/cancel`);
  const told = await deaf.next();
  expect(told?.event).not.toBe('speech');
});

it('is gathered into pieces, begins anew where a model is asked again, and costs nothing where nobody watches', () => {
  const speech = new Speech();
  const speaker = { workUnitId: 'wu', agentId: 'a', logId: 'log' };
  speech.say(speaker, 'nobody hears this');
  const heard: string[] = [];
  const leave = speech.watch(({ text, startsOver }) => heard.push(`${startsOver ? 'anew: ' : ''}${text.length}`));
  speech.say(speaker, 'half');
  speech.say(speaker, '', true);
  // A piece is told as soon as it is large, so no more than that is ever held.
  speech.say(speaker, 'x'.repeat(10_000));
  expect(heard).toEqual(['anew: 10000']);
  speech.say(speaker, 'more');
  leave();
  expect(heard).toHaveLength(1);
});
