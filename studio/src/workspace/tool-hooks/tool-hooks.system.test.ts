/** Hooks of the operator, confined for real, around calls that an agent makes by different doors. */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeUnit, post, tool } from '../../testing/doors/calls.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

const LOOK = [
  'const fs = require("fs"), { args } = { args: process.argv.slice(2) };',
  'const can = (path, does) => { try { does(path); return [path]; } catch { return []; } };',
  'const read = args.flatMap((path) => can(path, (one) => fs.readFileSync(one)));',
  'can(args[0], (one) => fs.writeFileSync(one, "mine"));',
  'const written = can(__filename, (one) => fs.appendFileSync(one, "x"));',
  'const told = JSON.parse(fs.readFileSync(0, "utf8"));',
  'console.log(JSON.stringify({ allow: false, reason: JSON.stringify({ read, written, tool: told.tool, cwd: fs.readdirSync(".") }) }));',
];

it('a hook sees its own file and what it is told, and stands before every door of an agent', async () => {
  const base = await tempFolder();
  const [program, beside] = [join(base, 'hook'), join(base, 'secret')];
  await writeFile(program, `#!/usr/bin/env node\n${LOOK.join('\n')}\n`, { mode: 0o755 });
  await writeFile(beside, 'secret');
  const asks = { program, args: [beside, '/etc/passwd'] };
  const hook = { name: 'look', when: 'before', tools: ['workunit_*'], asks, seconds: 30, onFailure: 'refuse' } as const;
  const data = await tempFolder();
  const studio = await startTestStudio(undefined, { folder: data, confinement: {}, toolHooks: [hook] });
  const user = join(base, 'user');
  await withRepository(studio, user, await gitRepository(user, { a: '1\n' }));
  // People are asked by no hook.
  const { workUnitId } = await makeUnit(studio);
  const given = { agentType: 'worker', workUnitId, profileId: 'worker' };
  const { agentId } = await post<{ agentId: string }>(studio, '/agents/spawn', given);
  const { secret: token } = studio.mintAgentToken(agentId);
  const overRest = await studio.call('GET', `/studio/workunits/${workUnitId}`, { token });
  expect([overRest.status, overRest.json]).toMatchObject([403, { code: 'reject.hook_refused' }]);
  const overTools = (await tool(studio, 'svc_v1_workunit_get', { workUnitId }, token)) as { message?: string };
  for (const said of [overRest.text, JSON.stringify(overTools)]) {
    const seen = /\{\\*"read.*?\]\\*"?,?\}/.exec(said.replaceAll('\\', ''))?.[0];
    expect(JSON.parse(seen ?? said)).toEqual({ read: ['/etc/passwd'], written: [], tool: 'workunit_get', cwd: [] });
  }
  // One for other tools is none of its.
  const others = await studio.call('GET', '/studio/artifacts', { token });
  expect(others.text).not.toContain('hook_refused');
  expect(await readFile(beside, 'utf8')).toBe('secret');
  expect(await readdir(join(data, 'studio', 'hook-folders'))).toEqual([]);
});
