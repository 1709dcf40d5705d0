/** A running studio from the command line: its operations as words, and its tools over stdin and stdout. */
import { readFile } from 'node:fs/promises';
import { join, relative as relativeFrom } from 'node:path';
import { Client as V2Client } from '@modelcontextprotocol/client';
import { StdioClientTransport as V2Stdio } from '@modelcontextprotocol/client/stdio';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { commandWords, operationTable } from '@weft/studio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { BIN } from '../support/programs/weft-process.js';
import { WeftRun, weft } from '../support/programs/weft-run.js';

async function startStudio() {
  const store = await tempFolder();
  const studio = new WeftRun(['studio', '--listen', '127.0.0.1:0', '--store', store, '--agents', 'off']);
  const [at = ''] = await studio.line(/^http:\S+$/);
  return { studio, store, where: ['--at', at, '--store', store] };
}

describe('weft studio with words', () => {
  it('asks a running studio for its operations', async () => {
    const { where } = await startStudio();
    const made = await weft(
      'studio',
      'workunit',
      'create',
      '--goal',
      'fly',
      '--fileScope',
      'a/**',
      '--fileScope',
      'b',
      '--json',
      ...where,
    );
    expect(made).toMatchObject({ code: 0, err: '' });
    const unit = JSON.parse(made.out) as { workUnitId: string };
    expect(unit).toMatchObject({ goal: 'fly', fileScope: ['a/**', 'b'] });
    const dashed = await weft('studio', 'workunit', 'get', '--work-unit-id', unit.workUnitId, '--json', ...where);
    expect(JSON.parse(dashed.out)).toMatchObject(unit);
    const got = await weft('studio', 'workunit', 'get', '--workUnitId', unit.workUnitId, '--json', ...where);
    expect(got.out.split('\n')).toHaveLength(1);
    expect(JSON.parse(got.out)).toMatchObject(unit);
    await weft('studio', 'workunit', 'create', '--goal', 'land', ...where);
    const page = await weft('studio', 'workunit', 'list', '--limit', '1', '--json', ...where);
    expect(JSON.parse(page.out)).toHaveLength(1);
    const [, cursor = ''] = /--cursor (\S+)/.exec(page.err) ?? [];
    expect(
      JSON.parse((await weft('studio', 'workunit', 'list', '--cursor', cursor, '--json', ...where)).out),
    ).toMatchObject([{ goal: 'land' }]);
    const token = await weft(
      'studio',
      'token',
      'make',
      '--label',
      'x',
      '--scope',
      'read',
      '--internal',
      '--json',
      ...where,
    );
    expect(JSON.parse(token.out)).toMatchObject({ scope: 'read', internal: true });
  });

  it('lists what can be asked for, without a studio', async () => {
    const { code, out } = await weft('studio', 'help');
    expect(code).toBe(0);
    const nouns = new Set(operationTable.map((operation) => commandWords(operation)[0]));
    const lines = out.split('\n').slice(2);
    expect(lines.map((line) => line.trim().split(' ')[0])).toEqual([...nouns].sort());
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}goal +.*\bcreate, .*\bpause\b/));
  });

  it('asks for what is a tool and has no route', async () => {
    const { where } = await startStudio();
    const path = await tempFolder();
    // From where it is typed.
    const here = relativeFrom(process.cwd(), path);
    await weft('studio', 'repository', 'register', '--path', here, ...where);
    const run = await weft('studio', 'external-goal', 'run', '--goal', 'fly', '--json', ...where);
    expect(run).toMatchObject({ code: 0, err: '' });
    const { workUnitId } = JSON.parse(run.out) as { workUnitId: string };
    const changed = await weft(
      ...['studio', 'workunit', 'update', '--workUnitId', workUnitId, '--fileScope', 'x/**', '--json', ...where],
    );
    expect(changed).toMatchObject({ code: 0, err: '' });
    const got = await weft('studio', 'workunit', 'get', '--workUnitId', workUnitId, '--json', ...where);
    expect(JSON.parse(got.out)).toMatchObject({ fileScope: ['x/**'] });
    const meant = await weft('studio', 'goal', 'run', '--goal', 'fly', ...where);
    expect(meant.err).toContain('goal cannot run, but external-goal can: ');
    const refused = await weft('studio', 'external-goal', 'status', '--goalId', 'none', ...where);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('no goal is called none (reject.goal_not_found). weft status lists the goals.');
  });

  it('follows the events until it is stopped', async () => {
    const { where } = await startStudio();
    await weft('studio', 'workunit', 'create', '--goal', 'fly', ...where);
    const follower = new WeftRun(['studio', 'event', 'follow', '--after', '0', '--json', ...where]);
    const [line] = await follower.line(/^.*WorkUnitCreated.*$/);
    // The particulars are JSON too, not a text of JSON.
    expect(JSON.parse(line)).toMatchObject({ eventId: 'ev-1', payload: { goal: 'fly' } });
    expect(await follower.stop()).toBe(0);
    const told = new WeftRun(['studio', 'event', 'follow', '--after', '0', ...where]);
    await told.line(/^\d\d:\d\d:\d\d +ev-1 +WorkUnitCreated +wu-[0-9a-f]{8} +fly/);
  });

  it('says what went wrong and what to do', async () => {
    const { where } = await startStudio();
    const missing = await weft('studio', 'workunit', 'get', '--workUnitId', 'none', ...where);
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toContain(
      'no work unit is called none (reject.workunit_not_found). weft studio workunit list shows',
    );
    const wrong: [string[], string][] = [
      [['nonsense', 'list'], 'the studio knows no nonsense; it knows'],
      [['workunit', 'lits'], 'did you mean list?'],
      [['workunit', 'fly'], 'workunit cannot fly: '],
      [['branch', 'promote'], 'checkout, '],
      [['workunit', 'create'], '--goal missing'],
      [['workunit', 'create', '--gaol', 'x'], '--gaol'],
      [['workunit', 'list', '--limit', 'many'], '--limit takes a number'],
      [['workunit', 'list', '--at', 'http://example.org', '--store', '.'], 'use https'],
    ];
    for (const [args, text] of wrong) {
      const answer = await weft('studio', ...args);
      expect(answer, args.join(' ')).toMatchObject({ code: 2, out: '' });
      expect(answer.err).toContain(text);
    }
    const nobody = await weft('studio', 'workunit', 'list', '--at', 'http://127.0.0.1:1', '--store', where[3]!);
    expect(nobody.err).toContain('no studio answers at http://127.0.0.1:1');
  });

  it('explains itself without a studio', async () => {
    expect((await weft('studio', 'repository')).out).toContain('repository list-files');
    const help = await weft('studio', 'repository', 'list-files', '--help');
    expect(help).toMatchObject({ code: 0 });
    expect(help.out).toMatch(/--repositoryId <text> +Required\./);
    const choices = await weft('studio', 'merge', 'review', '--help');
    expect(choices.out).toMatch(/--decision <text> +Required\..* One of: Approved, Rejected\./);
  });
});

describe.each(['v1', 'v2 legacy', 'v2 of 2026-07-28'] as const)('weft mcp with the client %s', (kind) => {
  async function connect(args: string[], env: Record<string, string> = {}) {
    const asked = { command: process.execPath, args: [BIN, 'mcp', ...args], env: { ...env }, stderr: 'pipe' as const };
    const info = { name: 'outside', version: '1.0.0' };
    if (kind === 'v1') {
      const client = new V1Client(info);
      onTestFinished(() => client.close());
      await client.connect(new V1Stdio(asked));
      return client;
    }
    const mode = kind === 'v2 legacy' ? 'legacy' : { pin: '2026-07-28' };
    const client = new V2Client(info, { versionNegotiation: { mode } });
    onTestFinished(() => client.close());
    await client.connect(new V2Stdio(asked));
    return client;
  }

  it('lists and calls tools, reads resources, and gives refusals', async () => {
    const { where } = await startStudio();
    const client = await connect([...where, '--profile', 'internal']);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('svc_v1_workunit_create');
    const called = await client.callTool({ name: 'svc_v1_workunit_create', arguments: { goal: 'flÿ ✈' } });
    const { workUnitId } = (called.structuredContent as { data: { workUnitId: string } }).data;
    const { contents } = await client.readResource({ uri: `weft://workunits/${workUnitId}` });
    expect(JSON.stringify(contents)).toContain('flÿ ✈');
    const all = await Promise.all(
      Array.from({ length: 20 }, () => client.callTool({ name: 'svc_v1_workunit_get', arguments: { workUnitId } })),
    );
    for (const one of all) expect(one.isError).not.toBe(true);
    const refused = await client.callTool({ name: 'svc_v1_workunit_get', arguments: { workUnitId: 'none' } });
    expect(refused.isError).toBe(true);
    await expect(client.callTool({ name: 'none', arguments: {} })).rejects.toThrow('no tool is named none');
  });

  it('takes a token from its environment, and says when the studio is gone', async () => {
    const { studio, store, where } = await startStudio();
    const tokens = JSON.parse(await readFile(join(store, 'studio.tokens.json'), 'utf8')) as { read: string };
    const client = await connect(where.slice(0, 2), { WEFT_TOKEN: tokens.read });
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await studio.stop();
    await expect(client.listResources()).rejects.toThrow('the studio cannot be reached');
  });
});
