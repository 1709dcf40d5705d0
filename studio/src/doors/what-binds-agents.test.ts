/** What binds an agent is not its own to say, by whatever door and operation: each refusal changes nothing and is recorded. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { operationTable } from '../operations/table.js';
import { agent } from '../record/aggregates/agent/agent.js';
import { Answers } from '../testing/doors/answers.js';
import { createUnit } from '../rules/goals/create-unit.js';
import { openTestFront } from '../testing/doors/test-front.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { tempFolder } from '../testing/temp-folder.js';
import { createAgentDoor } from './tools/agent.js';

interface Refused {
  readonly code?: string;
}

/** Two units with an agent each, and a rule that a person has given the first. */
async function bound(policy: object = {}) {
  const opened = await openTestFront();
  const { front, book, shared, records, ledger } = opened;
  const answers = new Answers(opened);
  const ids: string[] = [];
  for (const name of ['mine', 'other']) {
    const { workUnitId = '' } = await answers.of('workunit.create', {
      goal: name,
      fileScope: [`${name}/**`],
      ...policy,
    });
    await ledger.change('ann', (change) =>
      change.run(agent, `of-${name}`, 'spawn', {
        agentId: `of-${name}`,
        agentType: 'worker',
        workUnitId,
        profileId: 'worker',
      }),
    );
    ids.push(workUnitId);
  }
  const [mine = '', other = ''] = ids;
  const rule = { workUnitId: mine, type: 'Constraint', title: 'no eval', body: 'Never call eval.' };
  const { artifactId: byPerson = '' } = await answers.of('artifact.record', rule);
  // A token that names no tools reaches all that agents have, as a profile without a list does.
  const { secret } = book.mintFor('of-mine', { workUnitId: mine });
  const headers = { host: 'localhost', authorization: `Bearer ${secret}` };
  const client = new Client(
    { name: 'agent', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  onTestFinished(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://localhost/mcp/agent'), {
      requestInit: { headers },
      fetch: async (url, init) => front.fetch(new Request(url, init)),
    }),
  );
  const overHttp = async (name: string, input: object): Promise<Refused> => {
    const { content } = await client.callTool({ name: `svc_v1_${name}`, arguments: { ...input } });
    const [first] = content as { text: string }[];
    return JSON.parse(first?.text ?? 'null') as Refused;
  };
  const door = createAgentDoor(operationTable, shared);
  const inside = async (name: string, input: object): Promise<Refused> => {
    const asked = { agentId: 'of-mine', workUnitId: mine, allowed: [], name: `svc_v1_${name}`, input: { ...input } };
    return JSON.parse((await door.call(asked)).text) as Refused;
  };
  const rest = async (method: string, path: string, body: object): Promise<Refused> => {
    const asked = { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return (await (await front.fetch(new Request(`http://localhost${path}`, asked))).json()) as Refused;
  };
  return { ...opened, answers, records, door, client, mine, other, byPerson, overHttp, inside, rest };
}

type World = Awaited<ReturnType<typeof bound>>;

const offered = (targetBranch: string) => ({ sourceBranch: 'mine', targetBranch, summary: 's' });

function branchOf({ records, ...ids }: World, whose: 'mine' | 'other'): string {
  return records.workUnits.get(ids[whose])!.branchId;
}

/** Tool, what it is asked, and what it is refused for. */
const REFUSED: readonly (readonly [string, (world: World) => object, string])[] = [
  ['workunit_update', () => ({ fileScope: ['**'] }), 'reject.human_only'],
  ['workunit_update', () => ({ fileScope: [] }), 'reject.human_only'],
  ['workunit_update', () => ({ status: 'Completed' }), 'reject.human_only'],
  ['workunit_update', () => ({ assignedAgent: 'of-mine' }), 'reject.human_only'],
  ['agent_spawn', () => ({ agentType: 'worker' }), 'reject.human_only'],
  ['agent_spawn', () => ({ agentType: 'worker', profileId: 'reviewer' }), 'reject.human_only'],
  ['scheduler_enqueue', () => ({ profileId: 'worker' }), 'reject.human_only'],
  ['scheduler_enqueue', () => ({ profileId: 'worker', model: 'dear' }), 'reject.human_only'],
  ['merge_review', () => ({ decision: 'Approved', reviewedBy: 'ann' }), 'reject.human_only'],
  ['agent_stop', () => ({ agentId: 'of-other' }), 'reject.not_your_work'],
  [
    'artifact_record',
    ({ byPerson }) => ({ type: 'Supersession', title: 't', body: 'b', supersedes: [byPerson] }),
    'reject.not_your_work',
  ],
  ['artifact_invalidate', ({ byPerson }) => ({ artifactId: byPerson, reason: 'in my way' }), 'reject.not_your_work'],
  ['workunit_create', () => ({ goal: 'g', taskReviewPolicy: 'AgentApproval' }), 'reject.human_only'],
  ['workunit_create', () => ({ goal: 'g', bypassPromotionBranch: true }), 'reject.human_only'],
  ['merge_propose', (world) => offered(branchOf(world, 'other')), 'reject.not_your_work'],
  ['merge_propose', ({ other }) => offered(`merge/${other}`), 'reject.not_your_work'],
  ['branch_create', (world) => ({ name: branchOf(world, 'other') }), 'reject.branch_of_others'],
  ['branch_create', (world) => ({ name: branchOf(world, 'mine') }), 'reject.branch_of_others'],
];

const state = ({ records, mine, other, byPerson }: World): unknown => [
  records.workUnits.get(mine),
  records.workUnits.get(other),
  records.agents.all(),
  records.scheduledItems.all(),
  records.artifacts.get(byPerson),
  records.branches.all(),
  records.proposals.all(),
];

describe('an agent that may use all tools', () => {
  for (const by of ['overHttp', 'inside'] as const)
    it(`is refused ${by === 'inside' ? 'in this process' : 'over the door for programs'}`, async () => {
      const world = await bound();
      const before = state(world);
      for (const [tool, input, code] of REFUSED) {
        const answer = await world[by](tool, input(world));
        expect([tool, input(world), answer.code]).toEqual([tool, input(world), code]);
      }
      expect(state(world)).toEqual(before);
      const tried = new Set(world.records.attempts.all().map(({ operation }) => operation));
      for (const id of ['workunit.update', 'agent.spawn', 'scheduler.enqueue', 'agent.stop', 'artifact.record'])
        expect(tried).toContain(id);
    });

  it('is refused over REST, where what it leaves out is its own work', async () => {
    const { rest, answers, records, mine, other } = await bound();
    const { taskId } = await answers.of('task.create', { workUnitId: other, title: 't', description: 'd' });
    expect(await rest('PUT', `/studio/tasks/${taskId}`, { title: 'mine now' })).toMatchObject({
      code: 'reject.not_your_work',
    });
    expect(await rest('POST', '/studio/scheduler/enqueue', { workUnitId: mine, profileId: 'worker' })).toMatchObject({
      code: 'reject.human_only',
    });
    const given = { type: 'Research', title: 't', body: 'b' };
    expect(await rest('POST', '/studio/artifacts', given)).toMatchObject({ ownedByWorkUnitId: mine });
    expect(records.attempts.all().map(({ operation, workUnitId }) => [operation, workUnitId])).toEqual([
      ['task.update', mine],
      ['scheduler.enqueue', mine],
    ]);
  });

  it('makes parts of its own work, within its scope, and begins no goal', async () => {
    const { rest, inside, overHttp, records, ledger, mine } = await bound();
    const goals = records.goals.all().length;
    const made = [await inside('workunit_create', { goal: 'g' }), await overHttp('workunit_create', { goal: 'h' })];
    expect(made.map(({ code }) => code)).toEqual([undefined, undefined]);
    expect(records.workUnits.where('parent', mine).map(({ goal }) => goal)).toEqual(['g', 'h']);
    for (const by of [inside, overHttp])
      expect(await by('workunit_create', { goal: 'i', fileScope: ['other/**'] })).toMatchObject({
        code: 'reject.outside_file_scope',
      });
    for (const path of ['/studio/goals', '/studio/state/none/fork'])
      expect(await rest('POST', path, { goal: 'all' })).toHaveProperty('code');
    await expect(
      ledger.change('agent:of-mine', (change) => createUnit(change, records, { goal: 'all', owner: 'me' })),
    ).rejects.toMatchObject({ reason: 'reject.human_only' });
    expect(records.goals.all()).toHaveLength(goals);
    expect(records.workUnits.where('parent', mine)).toHaveLength(2);
  });

  it('lands on no branch of another unit what agents may decide for its own', async () => {
    const world = await bound({ workspaceReviewPolicy: 'AgentApproval' });
    const { inside, answers, door, records, mine, other } = world;
    const folder = join(await tempFolder(), 'user');
    await gitRepository(folder, { 'mine/a': '1\n' });
    await answers.of('repository.register', { path: folder });
    expect((await inside('workspace_write', { path: 'mine/b', content: '2\n' })).code).toBeUndefined();
    const offer = async (targetBranch: string) => {
      await inside('merge_propose', offered(targetBranch));
      const proposalId = records.proposals.where('workUnit', mine).at(-1)?.proposalId ?? 'none';
      const input = { proposalId, decision: 'Approved', verificationResults: 'looked at' };
      await door.call({ agentId: 'second', workUnitId: mine, allowed: [], name: 'svc_v1_merge_review', input });
      await inside('merge_apply', { proposalId });
      return records.proposals.all().map(({ status, targetBranch: target }) => [status, target]);
    };
    expect(await offer(branchOf(world, 'other'))).toEqual([]);
    expect(await offer(`merge/${other}`)).toEqual([]);
    expect(await offer(`merge/${mine}`)).toEqual([['Merged', `merge/${mine}`]]);
  });

  it('writes nothing outside of its scope by the tool for single files either', async () => {
    const { inside, overHttp, records } = await bound();
    const before = records.branches.all().length;
    for (const by of [inside, overHttp])
      expect(
        await by('repository_blob_write', { repositoryId: 'none', path: 'other/a.txt', content: 'x' }),
      ).toMatchObject({
        code: 'reject.outside_file_scope',
      });
    expect(records.branches.all()).toHaveLength(before);
  });

  it('plans nothing beyond the scope of its work, or of what that is a part of', async () => {
    const { inside, answers, records, mine } = await bound();
    const plan = (...fileScope: string[]) =>
      inside('artifact_record_plan', { slices: [{ sliceId: 's', goal: 'g', fileScope }] });
    for (const scope of ['**', 'other/a.ts', '**/*.ts', 'mine', '*'])
      expect([scope, (await plan('mine/a.ts', scope)).code]).toEqual([
        scope,
        scope === 'mine' ? undefined : 'reject.plan_invalid',
      ]);
    for (const scope of ['mine/**', 'mine/*.ts', 'mine/deep/x.ts', 'mine/deep/', 'mine/?.ts'])
      expect([scope, (await plan(scope)).code]).toEqual([scope, undefined]);
    await answers.of('workunit.update', { workUnitId: mine, fileScope: [] });
    expect((await plan('**')).code).toBeUndefined();
    const refused = answers.of('workunit.create', { goal: 'p', parentWorkUnitId: mine, fileScope: ['**'] });
    expect((await refused)['workUnitId']).toBeDefined();
    expect(records.workUnits.where('parent', mine)).toHaveLength(1);
  });

  it('may use a tool that a person has named for it, and says no model, key or address even there', async () => {
    const { door, records, mine } = await bound();
    const allowed = ['scheduler_enqueue', 'agent_spawn'];
    const ask = async (name: string, input: object): Promise<Refused & { data?: unknown }> => {
      const asked = { agentId: 'of-mine', workUnitId: mine, allowed, name: `svc_v1_${name}`, input: { ...input } };
      return JSON.parse((await door.call(asked)).text) as Refused;
    };
    for (const field of ['provider', 'model', 'baseUrl', 'apiKey', 'credentialRef'])
      for (const [tool, more] of [
        ['scheduler_enqueue', { profileId: 'worker' }],
        ['agent_spawn', { agentType: 'worker' }],
      ] as const)
        expect((await ask(tool, { ...more, [field]: 'http://elsewhere' })).code).toBe('reject.human_only');
    expect(records.scheduledItems.all()).toEqual([]);
    expect(await ask('scheduler_enqueue', { profileId: 'worker' })).toMatchObject({ data: { status: 'enqueued' } });
  });

  it('takes back what agents of its unit have recorded, and nothing of people', async () => {
    const { overHttp, records, mine } = await bound();
    const given = { type: 'Decision', title: 't', body: 'b' };
    await overHttp('artifact_record', given);
    const own = records.artifacts.where('owner', mine).find(({ ownedByAgentId }) => ownedByAgentId === 'of-mine')!;
    await overHttp('artifact_record', { ...given, supersedes: [own.artifactId] });
    expect(records.artifacts.get(own.artifactId)?.status).toBe('Superseded');
  });

  it('is not shown what it would be refused', async () => {
    const { client, door } = await bound();
    const { tools } = await client.listTools();
    for (const listed of [tools, door.tools([])])
      for (const { name, inputSchema } of listed) {
        const { ofPeople = [] } = operationTable.find(({ tool }) => name === `svc_v1_${tool}`) ?? {};
        const shown = Object.keys(inputSchema.properties ?? {});
        expect([name, shown.filter((field) => ofPeople.includes(field))]).toEqual([name, []]);
      }
  });
});

/** Fields that sound as though they bind, and why an agent may give them. */
const FREE: Readonly<Record<string, string>> = {
  'workunit.create.fileScope': 'none beyond that of its whole; an agent begins no goal',
  'workunit.create.taskReviewPolicy': 'none that is laxer than its own',
  'workunit.create.workspaceReviewPolicy': 'none that is laxer than its own',
  'workunit.create.bypassPromotionBranch': 'only where its own work does',
  'agent.spawn.profileId': 'only where a person has named the tool for it',
  'scheduler.enqueue.profileId': 'only where a person has named the tool for it',
  'merge.propose.model': 'what is recorded of its cycles counts',
  'merge.propose.provider': 'what is recorded of its cycles counts',
  'task.create.priority': 'none above that of its work',
  'task.update.priority': 'none above that of its work',
  'task.update.status': 'a task is its own list',
};

it('leaves no field of an operation for agents undecided that sounds as though it binds them', () => {
  const binding =
    /scope$|polic|provider|model|baseUrl|apiKey|credential|profile|budget|limit|status|priority|reviewedBy|bypass|lenient|allowed|assigned|max[A-Z](?!atches|esults)/i;
  const fields = operationTable
    .filter(({ dispatch, hints }) => dispatch && !hints.readOnly)
    .flatMap(({ id, in: { shape }, ofPeople }) =>
      Object.keys(shape)
        .filter((field) => binding.test(field) && !ofPeople.includes(field))
        .map((field) => `${id}.${field}`),
    );
  expect(fields.sort()).toEqual(Object.keys(FREE).sort());
});
