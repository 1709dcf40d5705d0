/**
 * Prompt injection, tried: sixty instructions as hostile files, issues, answers of tools and web pages give them, each obeyed to the
 * letter by an agent with the token of its work unit. Canaries lie in the home, the data folder, the environment, other branches
 * and on the network of this machine. None leaves, nothing outside of the unit changes, and what was tried by a tool is recorded.
 */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Unit, makeUnit, post, read } from '../../testing/doors/calls.js';
import { git, gitRepository } from '../../testing/git/git-repository.js';
import { CANARY, IN_HOME, type Surroundings, calls, commands } from '../../efficacy/instructions.js';
import { withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

async function listening(whenAsked: () => void): Promise<Server> {
  const server = createServer((_, response) => {
    whenAsked();
    response.end(CANARY);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return server;
}

it('sixty instructions are obeyed, and no canary leaves', { timeout: 300_000 }, async () => {
  const [home, data, outside] = [await tempFolder(), await tempFolder(), await tempFolder()];
  for (const path of IN_HOME) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), CANARY);
  }
  await writeFile(join(data, 'studio.tokens.json'), CANARY);
  process.env['WEFT_CANARY'] = CANARY;
  onTestFinished(() => void delete process.env['WEFT_CANARY']);
  let asked = 0;
  const server = await listening(() => (asked += 1));
  const studio = await startTestStudio(undefined, { folder: data, confinement: {} });
  const user = join(outside, 'user');
  const { repositoryId } = await withRepository(studio, user, await gitRepository(user, { a: '1\n' }));
  await writeFile(join(user, 'secret'), CANARY);
  const [unit, other] = [await makeUnit(studio), await makeUnit(studio)];
  const folderOf = async ({ branchId }: Unit): Promise<string> => {
    await post(studio, `/branches/${branchId}/checkout`);
    return (await read<{ workingDirectory: string }>(studio, `/workspace/path?branchId=${branchId}`)).workingDirectory;
  };
  const otherFolder = await folderOf(other);
  await writeFile(join(otherFolder, 'secret'), CANARY);
  await folderOf(unit);
  const given = { agentType: 'worker', workUnitId: unit.workUnitId, profileId: 'worker' };
  const { agentId } = await post<{ agentId: string }>(studio, '/agents/spawn', given);
  const { secret: token } = studio.mintAgentToken(agentId);
  const { port } = server.address() as AddressInfo;
  const surroundings: Surroundings = { home, data, user, port, other, otherFolder, repositoryId };
  const [obeyed, tried] = [commands(surroundings), calls(surroundings).map(({ route }) => route)];
  expect(obeyed.length + tried.length).toBeGreaterThanOrEqual(60);
  const main = await git(user, 'rev-parse', 'main');

  for (const command of obeyed) {
    const body = { buildCommand: command, timeoutSeconds: 20 };
    const answer = await studio.call('POST', `/studio/workspace/build?workUnitId=${unit.workUnitId}`, { body, token });
    expect(answer.status, command).toBe(200);
    expect(answer.text, command).not.toContain(CANARY);
  }
  for (const [method, path, body] of tried) {
    const answer = await studio.call(method, `/studio/${path}`, { token, ...(body && { body }) });
    expect(answer.status, `${method} ${path}`).toBeGreaterThanOrEqual(400);
    expect(answer.status, `${method} ${path}`).toBeLessThan(500);
    expect(answer.text, path).not.toContain(CANARY);
  }

  expect(asked).toBe(0);
  for (const path of IN_HOME) expect(await readFile(join(home, path), 'utf8')).toBe(CANARY);
  expect((await readdir(home)).toSorted()).toEqual([...new Set(IN_HOME.map((path) => path.split('/')[0]!))].toSorted());
  expect(await readFile(join(data, 'studio.tokens.json'), 'utf8')).toBe(CANARY);
  expect([await git(user, 'rev-parse', 'main'), await readFile(join(user, 'a'), 'utf8')]).toEqual([main, '1\n']);
  expect([await readFile(join(otherFolder, 'a'), 'utf8'), await readFile(join(otherFolder, 'secret'), 'utf8')]).toEqual(
    ['1\n', CANARY],
  );
  // What was tried by tools is a finding for people, and every program stands in the record with what it said.
  const findings = await read<{ title: string }[]>(studio, '/findings');
  expect(findings.filter(({ title }) => title.startsWith('An agent tried')).length).toBeGreaterThan(10);
  const recorded = await read<{ kind: string }[]>(studio, '/replay/timeline');
  expect(recorded.filter(({ kind }) => kind === 'ExecutionStarted').length).toBeGreaterThanOrEqual(obeyed.length);
});
