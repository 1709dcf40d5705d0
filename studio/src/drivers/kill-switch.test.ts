/** Stopping everything while agents wait for models over HTTP, work through programs, and run programs that do not want to end. */
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRecord } from '../testing/record/open-record.js';
import { post } from '../testing/doors/calls.js';
import { type Answer, answerOf, begin, fakeServer, openaiVendor } from '../testing/models/fake-vendor.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { tempFolder } from '../testing/temp-folder.js';
import { startTestStudio } from '../testing/test-studio.js';

/** It and its child note who they are, and do not end when they are asked to. */
const stubborn = (pids: string): string =>
  `trap "" TERM; echo $$ >> ${pids}; sleep 1000 & echo $! >> ${pids}; wait; wait; sleep 1000`;

/** What a goal says is what its agent does. */
const DOES = {
  'wait for a silent model': [],
  'listen to a model that never ends': [],
  'test for ever': ['svc_v1_workspace_test', 'testCommand'],
  'run for ever': ['svc_v1_workspace_run', 'runCommand'],
  'work through a program': [],
} as const;
type Goal = keyof typeof DOES;
const GOALS = Object.keys(DOES) as Goal[];
const OF_EACH = 4;

const talking: Answer = (response) => {
  begin(response);
  const [, ...pieces] = openaiVendor.events({ text: 'and then' });
  const timer = setInterval(() => response.write(pieces[0]), 5);
  response.on('close', () => clearInterval(timer));
};

function model(pids: string): Answer {
  return (response, request, body) => {
    const goal = GOALS.find((one) => body.includes(`Goal: ${one}`)) ?? 'wait for a silent model';
    const [name, field] = DOES[goal];
    const isFirst = !body.includes('"role":"assistant"');
    if (name !== undefined && isFirst) {
      const input = { [field]: stubborn(pids), timeoutSeconds: 600 };
      return answerOf(openaiVendor, { calls: [{ name, input }] })(response, request, body);
    }
    return goal === 'listen to a model that never ends' ? talking(response, request, body) : undefined;
  };
}

async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').slice(0, -1);
}

/** What has ended may have a number still, until whoever has inherited it asks how it ended. */
function runs(pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return false;
  }
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 2));

describe('the kill switch', () => {
  it('ends every call and every program, whatever they do, and nobody begins another', async () => {
    const folder = await tempFolder();
    const pids = join(folder, 'pids');
    const program = join(folder, 'program.sh');
    await writeFile(program, stubborn(pids));
    const server = await fakeServer([model(pids)]);
    const studio = await startTestStudio(undefined, {
      agents: { usual: { provider: 'openai', model: 'm', baseUrl: server.url } },
      models: { commands: { 'codex-cli': ['/bin/sh', program] } },
    });
    await gitRepository(join(folder, 'user'), { 'a.txt': '1\n' });
    await post(studio, '/repositories', { path: join(folder, 'user') });
    await post(studio, '/options', { maxConcurrentWorkers: GOALS.length * OF_EACH });
    const profile = { allowedTools: [] };
    expect((await studio.call('PUT', '/studio/agent-profiles/worker', { body: profile })).status).toBe(200);
    for (let i = 0; i < OF_EACH; i++)
      for (const goal of GOALS) {
        const { workUnitId } = await post<{ workUnitId: string }>(studio, '/workunits', { goal });
        const choice = goal === 'work through a program' ? { provider: 'codex-cli' } : {};
        await post(studio, '/scheduler/enqueue', { workUnitId, profileId: 'worker', ...choice });
      }
    // Two wait for models, one for a program, and of two with programs one is at its first question still.
    while (server.open() < 2 * OF_EACH || (await linesOf(pids)).length < 3 * OF_EACH * 2) await soon();

    const asked = server.asked.length;
    const running = await linesOf(pids);
    const { cancelledWorkUnitIds } = await post<{ cancelledWorkUnitIds: string[] }>(studio, '/stop-all');
    expect(cancelledWorkUnitIds).toHaveLength(GOALS.length * OF_EACH);
    while (server.open() > 0 || running.some(runs)) await soon();
    await studio.close();
    // Nothing was begun by what went on for a moment, and nothing came of it.
    expect(server.asked).toHaveLength(asked);
    expect(await linesOf(pids)).toEqual(running);
    const { ledger, records, close } = await openRecord(studio.host);
    const events = ledger.feed.after(0).map(({ stored }) => stored.event as { type: string; newStatus?: string });
    const later = events.slice(events.findIndex(({ newStatus }) => newStatus === 'Cancelled'));
    for (const { type } of later)
      expect(['SchedulerLeaseAcquired', 'ModelAsked', 'ModelAnswered', 'ExecutionStarted']).not.toContain(type);
    const phases = records.conversationEntries.all().map(({ phase }) => phase);
    expect(phases.filter((phase) => phase !== 'failed' && phase !== 'done')).toEqual([]);
    close();
  });
});
