/**
 * The studio as a program, killed around the end of each turn of a model: when all of the answer has come and nothing of it is recorded, when
 * it is recorded and its calls are not made, while they are made. The work ends as that of a studio that nobody has killed.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { anthropicWire } from '../vendors/anthropic-wire.js';
import { type Model, openVendorServer } from '../vendors/vendor.js';

const run = promisify(execFile);
/** Milliseconds from the end of a turn to the kill; before the answer ends: undefined. Two for each unit: a third is told to people. */
const KILLS = [
  [undefined, 0],
  [2, 4],
  [8, 12],
  [16, 24],
  [32, 48],
] as const;
const LINES = KILLS[0].length;

/** Adds a line to a file in each turn, and then has found out what was asked. */
const writer: Model = ({ turn }) => ({
  thinks: `turn ${turn}`,
  calls: [
    turn < LINES
      ? { name: 'write', input: { path: 'lines.txt', text: `line ${turn}\n`, append: true } }
      : { name: 'svc_v1_artifact_record', input: { type: 'Research', title: 'Found', body: 'it' } },
  ],
});

interface Cycle {
  readonly cycleNumber: number;
  readonly toolCalls: readonly { readonly inputJson: string }[];
  readonly toolResults: readonly { readonly result: string; readonly isError?: boolean }[];
}

it('studio fault 2: a studio that is killed around the end of a turn goes on as if it had not been', async () => {
  const [whole] = await worked([[]]);
  expect(whole).toMatchObject({ status: 'Completed', lines: 'line 0\nline 1\n', found: 1 });
  expect(await worked(KILLS)).toEqual(KILLS.map(() => whole));
});

/** Unit that is killed so after each of its turns. */
type Kills = readonly (number | undefined)[];

/** What has come of each unit of one studio. */
async function worked(units: readonly Kills[]) {
  const folder = await tempFolder();
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'lines.txt'), '');
  const git = (...args: string[]) => run('git', ['-C', project, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '--message=first');

  let studio: WeftProcess | undefined;
  let left: (number | undefined)[] = [];
  const kill = () => studio!.signal('SIGKILL');
  const vendor = await openVendorServer(anthropicWire(), writer, (end) => {
    if (left.length === 0) return end();
    const after = left.shift();
    // It has read what came by then, and waits for more.
    if (after === undefined) return void setTimeout(kill, 200);
    end();
    setTimeout(kill, after);
  });
  onTestFinished(() => vendor.close());

  let url = '';
  let token = '';
  const start = async () => {
    const flags = ['--listen', '127.0.0.1:0', '--store', join(folder, 'data'), '--model', 'anthropic/claude-opus-5-5'];
    studio = new WeftProcess(['studio', ...flags, '--model-url', vendor.url], { env: { ANTHROPIC_API_KEY: 'none' } });
    [url] = await studio.line(/^http:\S+$/);
    const tokens = await readFile(join(folder, 'data', 'studio.tokens.json'), 'utf8');
    token = (JSON.parse(tokens) as { admin: string }).admin;
  };
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const asked = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = await asked.text();
    if (!asked.ok) throw new Error(text);
    return JSON.parse(text) as T;
  };

  await start();
  const { repositoryId } = await ask<{ repositoryId: string }>('POST', '/repositories', { path: project });
  const unit = async (kills: Kills) => {
    left = [...kills];
    const given = { goal: 'Write lines.', expectedOutputKind: 'KnowledgeArtifact', repositoryId };
    const { workUnitId } = await ask<{ workUnitId: string }>('POST', '/workunits', given);
    await ask('POST', '/scheduler/enqueue', { workUnitId, profileId: 'worker' });
    for (const _ of kills) {
      await studio!.exited;
      await start();
      // What a host that died has left waits for a person.
      await ask('POST', `/scheduler/${workUnitId}/resume`, {});
    }
    type Unit = { readonly status: string; readonly branchId: string };
    const now = () => ask<Unit>('GET', `/workunits/${workUnitId}`);
    await expect.poll(async () => (await now()).status).toBeOneOf(['Completed', 'DeadLettered']);
    const { status, branchId } = await now();
    const at = new URLSearchParams({ branchId, path: 'lines.txt' });
    const { content: lines } = await ask<{ content: string }>('GET', `/workspace/read?${at}`);
    const found = await ask<object[]>('GET', `/workunits/${workUnitId}/artifacts`);
    const cycles = await ask<Cycle[]>('GET', `/workunits/${workUnitId}/conversation-log`);
    const said = cycles.map(({ cycleNumber, toolCalls, toolResults }) => [
      cycleNumber,
      toolCalls.map(({ inputJson }) => inputJson),
      // What is recorded has an id of its own.
      toolResults.map(({ result, isError }) => [cycleNumber > LINES ? 'recorded' : result, isError]),
    ]);
    return { status, lines, found: found.length, said };
  };
  const all = [];
  for (const kills of units) all.push(await unit(kills));
  expect(vendor.refusals()).toEqual([]);
  return all;
}
