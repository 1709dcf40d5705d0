/** Transcripts over HTTP: of one unit, or of it and its parts. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentsAtWork } from '../../testing/work/agents-at-work.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { scriptedModels } from '../../testing/models/scripted-models.js';
import { tempFolder } from '../../testing/temp-folder.js';

interface Given {
  readonly fileName: string;
  readonly text: string;
  readonly leftOut: number;
}

it('a transcript has what agents were told and said for a unit, and for its parts where they are wanted', async () => {
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, { 'a.txt': '1\n' });
  const models = scriptedModels(({ goal, role }) => ({
    text: `${role} of ${goal}`,
    calls: [['clarification_request', { question: 'Which one?', blocking: true }]],
  }));
  const { call, until } = await agentsAtWork({ folder: await tempFolder(), models });
  await call('repository.register', { path: user });
  const create = async (given: object): Promise<string> =>
    ((await call('workunit.create', given)) as { workUnitId: string }).workUnitId;
  const whole = await create({ goal: 'the whole' });
  const part = await create({ goal: 'the part', parentWorkUnitId: whole });
  for (const workUnitId of [whole, part]) await call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
  await until(({ clarifications }) => clarifications.all().length === 2);
  await until(({ conversationEntries }) => conversationEntries.all().every(({ phase }) => phase === 'done'));
  const get = (given: object): Promise<Given> => call('transcript.get', given) as Promise<Given>;

  const own = await get({ workUnitId: whole });
  expect(own).toMatchObject({ fileName: `${whole}.md`, leftOut: 0 });
  expect(own.text).toContain('worker of the whole');
  expect(own.text).toContain('**Called svc_v1_clarification_request**');
  expect(own.text).not.toContain('worker of the part');
  const all = await get({ workUnitId: whole, parts: true });
  expect(all.text).toContain('worker of the whole');
  expect(all.text).toContain('worker of the part');
  const json = await get({ workUnitId: part, format: 'json' });
  expect(json.fileName).toBe(`${part}.json`);
  const { work } = JSON.parse(json.text) as { work: { turns: { assistantText: string; systemText: string }[] }[] };
  expect(work).toMatchObject([{ workUnitId: part, turns: [{ assistantText: 'worker of the part' }] }]);
  expect(work[0]!.turns[0]!.systemText).toContain('You');
  await expect(get({ workUnitId: 'wu-none' })).rejects.toMatchObject({ reason: 'reject.workunit_not_found' });
});
