/** Hooks of the operator around calls of agents' tools: real programs and a real service; confined ones are in the system suite. */
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentsAtWork } from '../../testing/work/agents-at-work.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { scriptedModels } from '../../testing/models/scripted-models.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { nodePrograms } from '../../workspace/programs/node-programs.js';
import type { ToolHook } from '../../workspace/tool-hooks/tool-hooks.js';

type Calls = readonly (readonly [string, object])[];
type Wanted = Partial<ToolHook> & { readonly script?: string };

const ALLOW = `echo '{"allow": true}'`;
const refuse = (reason: string): string => `echo '{"allow": false, "reason": "${reason}"}'`;
const NOTE: Calls[number] = ['svc_v1_artifact_record', { type: 'Research', title: 'found', body: 'it' }];

/** A worker that makes these calls, one a turn, with these hooks. */
async function worked(calls: Calls, ...wanted: readonly Wanted[]) {
  const base = await tempFolder();
  await gitRepository(join(base, 'user'), { 'a.txt': '1\n' });
  const hooks: ToolHook[] = [];
  for (const [number, { script = ALLOW, ...more }] of wanted.entries()) {
    const program = join(base, `hook-${number}`);
    await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const asks = { program, args: [base] };
    hooks.push({
      name: `hook-${number}`,
      when: 'before',
      tools: ['*'],
      asks,
      seconds: 20,
      onFailure: 'refuse',
      ...more,
    });
  }
  const programs = await nodePrograms(join(base, 'programs'), { hooks });
  onTestFinished(() => programs.close());
  const models = scriptedModels(({ turn }) => (calls[turn] ? { calls: [calls[turn]] } : {}));
  const atWork = await agentsAtWork({ models, folder: join(base, 'studio'), parts: { programs } });
  await atWork.call('repository.register', { path: join(base, 'user') });
  await atWork.call('agent-profile.update', { profileId: 'worker', allowedTools: [] });
  const { workUnitId } = (await atWork.call('workunit.create', { goal: 'Tidy up' })) as { workUnitId: string };
  await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
  await atWork.until(({ workUnits }) => workUnits.get(workUnitId)?.status === 'DeadLettered');
  const log = (await atWork.call('workunit-log.conversationLog', { workUnitId })) as {
    toolResults: { result: string; isError?: boolean }[];
  }[];
  const results = log.flatMap(({ toolResults }) => toolResults);
  const recorded = atWork.records.artifacts.all().map(({ title }) => title);
  const findings = atWork.records.findings.all().map(({ title }) => title);
  return { base, results, recorded, findings, workUnitId, log: atWork.log };
}

describe('a hook before a call', () => {
  it('is told the call, and one that refuses keeps it from being made; the agent sees why', async () => {
    const script = `told=$(cat); echo "$told" >> "$1/told"; case "$told" in *secret*) ${refuse('nothing of secrets')};; *) ${ALLOW};; esac`;
    const calls: Calls = [NOTE, ['svc_v1_artifact_record', { type: 'Research', title: 'a secret', body: 'x' }]];
    const { results, recorded, base, workUnitId } = await worked(calls, { script });
    expect(recorded).toEqual(['found']);
    expect(results[0]?.isError).not.toBe(true);
    expect(results[1]).toMatchObject({
      isError: true,
      result: expect.stringContaining('nothing of secrets') as string,
    });
    expect(JSON.parse(results[1]!.result)).toMatchObject({ code: 'reject.hook_refused' });
    const [first = ''] = (await readFile(join(base, 'told'), 'utf8')).split('\n');
    expect(JSON.parse(first)).toMatchObject({
      hook: 'hook-0',
      when: 'before',
      tool: 'artifact_record',
      input: NOTE[1],
      profileId: 'worker',
      workUnitId,
      repository: join(base, 'user'),
      goal: 'Tidy up',
    });
  });

  it('is asked for the tools, profiles and repositories that it is for', async () => {
    const script = refuse('no');
    const { recorded } = await worked(
      [NOTE],
      { script, tools: ['artifact_query', 'merge_*', '*_recorder', 'a*b*record'] },
      { script, profiles: ['reviewer'] },
      { script, repository: '/elsewhere' },
    );
    expect(recorded).toEqual(['found']);
    expect((await worked([NOTE], { script, tools: ['art*_rec*'], profiles: ['worker'] })).recorded).toEqual([]);
  });

  const failing = {
    'ends with an error': 'exit 3',
    'answers nonsense': 'echo yes',
    'refuses without a reason': `echo '{"allow": false}'`,
    'answers nothing in its time': 'sleep 1000',
    floods: 'while :; do echo 0123456789012345678901234567890123456789; done | head -c 200000',
  };
  const timeFor = (script: string): number => (script.startsWith('sleep') ? 0.3 : 20);

  it.each(Object.entries(failing))('that %s refuses, and people are told', async (_, script) => {
    const { results, recorded, findings } = await worked([NOTE], { script, seconds: timeFor(script) });
    expect(recorded).toEqual([]);
    expect(results[0]?.result).toContain('it gave no answer, and refuses then');
    expect(findings).toEqual(['The hook hook-0 gives no answer']);
  });

  it('that fails in any of these ways allows, where the operator has said so, and people are told', async () => {
    const hooks = Object.values(failing).map((script) => ({ script, seconds: timeFor(script) }));
    const { recorded, findings, log } = await worked(
      [NOTE],
      ...hooks.map((hook) => ({ ...hook, onFailure: 'allow' as const })),
    );
    expect(recorded).toEqual(['found']);
    expect(findings).toEqual(hooks.map((_, number) => `The hook hook-${number} gives no answer`));
    const told = log.filter(({ message }) => message === 'a hook of a tool gave no answer');
    expect(told).toHaveLength(hooks.length);
  });

  it('that is not there is one that fails', async () => {
    const { recorded } = await worked([NOTE], { asks: { program: '/nowhere/hook', args: [] } });
    expect(recorded).toEqual([]);
  });

  it('may be an address, which is led nowhere else', async () => {
    const told: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (bytes: Buffer) => (body += bytes.toString()));
      request.on('end', () => {
        told.push(body);
        if (request.url === '/away') response.writeHead(302, { location: '/' }).end();
        else response.end(JSON.stringify({ allow: false, reason: 'by the service' }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { results } = await worked([NOTE], { asks: { url } });
    expect(results[0]?.result).toContain('by the service');
    expect(JSON.parse(told[0]!)).toMatchObject({ tool: 'artifact_record', input: NOTE[1] });
    expect((await worked([NOTE], { asks: { url: `${url}away` } })).results[0]?.result).toContain('it gave no answer');
    expect((await worked([NOTE], { asks: { url: 'http://example.invalid/' } })).findings).toHaveLength(1);
  });
});

describe('a hook behind a call', () => {
  it('is told the answer, and what it says is told behind it; what was done stays done', async () => {
    const script = `case "$(cat)" in *'"answer":'*found*) ${refuse('look again')};; *) ${ALLOW};; esac`;
    const { results, recorded } = await worked([NOTE], { script, when: 'after' });
    expect(recorded).toEqual(['found']);
    expect(results[0]?.isError).toBe(true);
    expect(JSON.parse(results[0]!.result)).toMatchObject({
      code: 'reject.hook_objected',
      message: expect.stringMatching(
        /was made, and the hook hook-0 refuses.*look again\nIt answered: \{.*"found"/,
      ) as string,
    });
  });
});
