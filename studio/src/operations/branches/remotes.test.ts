import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connected } from '../../testing/git/connected-repository.js';
import { git, gitRepository, writeFiles } from '../../testing/git/git-repository.js';
import { commitThere, seeded, startGitServer } from '../../testing/git/git-server.js';
import { createAgentDoor } from '../../doors/tools/agent.js';
import { registerFolder } from '../../rules/branches/register.js';
import { makeUnit, post, read } from '../../testing/doors/calls.js';
import { withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { openTestLedger } from '../../testing/record/test-ledger.js';
import { testShared } from '../../testing/record/test-shared.js';
import { startTestStudio } from '../../testing/test-studio.js';
import type { OperationParts } from '../kernel/context.js';
import { operationTable } from '../table.js';

const refused = (status: number, code: string) => ({ status, json: { code } });

/** Changes as the host makes them. */
function changing({ ledger }: OperationParts) {
  const change = <T>(work: Parameters<typeof ledger.change<T>>[1]): Promise<T> => ledger.change('host', work);
  return { change, answer: change };
}

async function cloneIn(base: string): Promise<string> {
  await git(base, 'clone', '--quiet', 'there.git', 'theirs');
  return join(base, 'theirs');
}

describe('remotes', () => {
  it('are those of the repository, shown without secrets', async () => {
    const { folder, get, repositoryId, server } = await connected();
    await git(folder, 'remote', 'add', 'other', 'https://me:secret@example.test/x.git');
    await git(folder, 'remote', 'add', 'odd', 'ext::sh -c true');
    expect((await get(`repositories/${repositoryId}/remotes`)).json).toEqual([
      ...[server.url('team/project')].map((url) => ({
        name: 'origin',
        url,
        pushUrl: url,
        protocol: 'http',
        allowed: true,
      })),
      ...['https://example.test/x.git'].map((url) => ({
        name: 'other',
        url,
        pushUrl: url,
        protocol: 'https',
        allowed: false,
      })),
      { name: 'odd', url: 'ext::sh -c true', pushUrl: 'ext::sh -c true', protocol: null, allowed: false },
    ]);
  });

  it('are fetched without moving a branch, and then forward where a person asks for it', async () => {
    const { folder, post, repositoryId, commit, bare, theirs } = await connected();
    const newer = await commitThere(bare, theirs, { c: '3\n' }, 'theirs');
    await git(bare, 'branch', 'extra', newer);
    const path = `repositories/${repositoryId}/fetch`;
    expect((await post(path)).json).toEqual({
      remote: 'origin',
      branches: { main: newer, extra: newer },
      changed: ['extra', 'main'],
      gone: [],
      forwarded: null,
    });
    expect(await git(folder, 'rev-parse', 'main', 'origin/main', 'origin/extra')).toBe(`${commit}\n${newer}\n${newer}`);
    await git(bare, 'branch', '-D', 'extra');
    expect((await post(path, { forward: true })).json).toMatchObject({
      changed: [],
      gone: ['extra'],
      forwarded: { branch: 'main', from: commit, to: newer },
    });
    expect(await readFile(join(folder, 'c'), 'utf8')).toBe('3\n');
    expect((await post(path, { forward: true })).json).toMatchObject({ forwarded: null });
  });

  it('leave a branch alone that has moved on both sides', async () => {
    const { folder, post, repositoryId, bare, theirs } = await connected();
    await commitThere(bare, theirs, { c: '3\n' }, 'theirs');
    await writeFiles(folder, { a: 'mine\n' });
    await git(folder, 'commit', '--quiet', '--all', '--message=mine');
    const mine = await git(folder, 'rev-parse', 'main');
    expect(await post(`repositories/${repositoryId}/fetch`, { forward: true })).toMatchObject(
      refused(409, 'reject.branch_moved'),
    );
    expect(await git(folder, 'rev-parse', 'main')).toBe(mine);
  });

  it('are pushed to forward, once, and never over what the caller has not seen', async () => {
    const { post, repositoryId, branch, bare, theirs, server, commit, folder } = await connected();
    await branch('idea', { a: 'changed\n' });
    const path = `repositories/${repositoryId}/push`;
    const first = (await post(path, { branchId: 'idea', branch: 'work/idea' })).json as { commit: string };
    expect(first).toEqual({ remote: 'origin', branch: 'work/idea', commit: expect.any(String), moved: true });
    expect(await git(bare, 'rev-parse', 'work/idea')).toBe(first.commit);
    expect(await git(folder, 'rev-parse', 'origin/work/idea', 'origin/main')).toBe(`${first.commit}\n${commit}`);
    expect((await post(path, { branchId: 'idea', branch: 'work/idea' })).json).toMatchObject({ moved: false });
    // Somebody else has gone on there.
    await git(theirs, 'fetch', '--quiet');
    await git(theirs, 'checkout', '--quiet', 'work/idea');
    await git(theirs, 'commit', '--quiet', '--allow-empty', '--message=theirs');
    await git(theirs, 'push', '--quiet', server.url('team/project'), 'HEAD:work/idea');
    const there = await git(bare, 'rev-parse', 'work/idea');
    await branch('other', { b: 'other\n' });
    const over = { branchId: 'other', branch: 'work/idea' };
    for (const body of [over, { ...over, expected: first.commit }, { ...over, expected: 'none' }])
      expect(await post(path, body)).toMatchObject(refused(409, 'reject.remote_moved'));
    expect(await git(bare, 'rev-parse', 'work/idea')).toBe(there);
    expect((await post(path, { ...over, expected: there })).json).toMatchObject({ moved: true });
  });

  it('are given work as the call says, and else as the goal says whose it is', async () => {
    const { post, repositoryId, branch, bare, studio, folder } = await connected();
    await branch('idea', { a: 'changed\n' });
    const other = join(await tempFolder(), 'other.git');
    await git(await tempFolder(), 'init', '--quiet', '--bare', other);
    await git(folder, 'remote', 'add', 'other', `file://${other}`);
    await git(bare, 'branch', 'release', 'main');
    await post(`repositories/${repositoryId}/fetch`);
    const { workUnitId: goalId } = await makeUnit(studio);
    const set = { body: { goalId, branch: 'of-{goal}', shape: 'squash' } };
    expect((await studio.call('PUT', `/studio/repositories/${repositoryId}/publishing`, set)).status).toBe(200);
    const push = (more: object) => post(`repositories/${repositoryId}/push`, { branchId: 'idea', ...more });
    expect((await push({ goalId })).json).toMatchObject({ branch: `of-${goalId}` });
    const own = {
      branch: 'own',
      shape: 'squash',
      base: 'release',
      message: 'Said: {title}',
      title: 'so',
      author: { name: 'Ada', email: 'ada@example.test' },
      coAuthors: [{ name: 'Bob', email: 'bob@example.test' }],
    };
    expect((await push(own)).json).toMatchObject({ branch: 'own', moved: true });
    expect(await git(bare, 'log', '-1', '--format=%an %B', 'own')).toMatch(/^Ada Said: so\n\nCo-authored-by: Bob/);
    expect(await push({ ...own, base: 'nowhere' })).toMatchObject(refused(404, 'reject.commit_not_found'));
    expect((await push({ remote: 'other', branch: 'there' })).json).toMatchObject({ remote: 'other', moved: true });
    expect(await git(other, 'show', 'there:a')).toBe('changed');
    // With a key that is none, nothing goes out unsigned.
    const signed = { ...own, branch: 'signed', sign: 'ssh', signingKey: join(folder, 'none') };
    const unsigned = await push(signed);
    expect(unsigned).toMatchObject(refused(422, 'reject.signing_failed'));
    // Git says so of a key that nobody has named.
    expect(unsigned.text).not.toMatch(/needs to be configured/);
  });

  it('are not given what is in conflict with them', async () => {
    const { post, repositoryId, branch, bare, theirs } = await connected();
    await branch('idea', { a: 'changed\n' });
    await commitThere(bare, theirs, { a: 'otherwise\n' }, 'theirs');
    await post(`repositories/${repositoryId}/fetch`);
    expect(await post(`repositories/${repositoryId}/push`, { branchId: 'idea', shape: 'squash' })).toMatchObject({
      status: 409,
      json: { code: 'reject.merge_conflict', details: { conflicts: [{ path: 'a' }] } },
    });
  });

  it('say what they refuse, and what they are refused for', async () => {
    const { post, repositoryId, branch, bare, server, folder } = await connected();
    await branch('idea', { a: 'changed\n' });
    await mkdir(join(bare, 'hooks'), { recursive: true });
    await writeFile(join(bare, 'hooks', 'pre-receive'), '#!/bin/sh\necho "this branch is protected"\nexit 1\n');
    await chmod(join(bare, 'hooks', 'pre-receive'), 0o755);
    const push = await post(`repositories/${repositoryId}/push`, { branchId: 'idea' });
    expect(push).toMatchObject(refused(409, 'reject.remote_refused'));
    expect(push.text).toContain('this branch is protected');
    server.credentials = 'me:right';
    expect(await post(`repositories/${repositoryId}/fetch`)).toMatchObject(refused(422, 'reject.remote_denied'));
    await git(folder, 'remote', 'set-url', 'origin', server.url('nowhere').replace('//', '//me:right@'));
    const absent = await post(`repositories/${repositoryId}/fetch`);
    expect(absent).toMatchObject(refused(404, 'reject.remote_absent'));
    expect(absent.text).not.toContain('right');
    expect(await post(`repositories/${repositoryId}/fetch`, { remote: 'other' })).toMatchObject(
      refused(404, 'reject.remote_not_found'),
    );
    // Nothing of it was in the user's configuration before, and nothing is asked of a person.
    await git(folder, 'remote', 'set-url', 'origin', server.url('team/project').replace('//', '//me:right@'));
    expect((await post(`repositories/${repositoryId}/fetch`)).status).toBe(200);
  });

  it('are reached with what the user’s own git asks for credentials, and no person is asked', async () => {
    const { post, repositoryId, branch, bare, server, folder } = await connected();
    const config = join(folder, '..', 'gitconfig');
    const helper = (said: string) =>
      writeFile(config, `[credential]\n  helper = "!f() { test \"$1\" = get && ${said}; }; f"\n`);
    await helper('echo username=me && echo password=right');
    vi.stubEnv('GIT_CONFIG_GLOBAL', config);
    onTestFinished(() => void vi.unstubAllEnvs());
    server.credentials = 'me:right';
    await branch('idea', { a: 'changed\n' });
    expect((await post(`repositories/${repositoryId}/fetch`)).status).toBe(200);
    expect((await post(`repositories/${repositoryId}/push`, { branchId: 'idea' })).json).toMatchObject({ moved: true });
    expect(await git(bare, 'show', 'idea:a')).toBe('changed');
    await seeded(server, 'team/other', { z: '1\n' });
    const clone = { url: server.url('team/other'), targetPath: join(folder, '..', 'other') };
    const cloned = await post('repositories/clone', clone);
    expect(cloned, cloned.text).toMatchObject({ status: 200 });
    for (const said of ['echo username=me && echo password=wrong', 'false']) {
      await helper(said);
      const denied = await post(`repositories/${repositoryId}/fetch`);
      expect(denied).toMatchObject(refused(422, 'reject.remote_denied'));
      expect(denied.text).not.toContain('wrong');
    }
  });

  it('are asked again where they do not answer, and a few times only', async () => {
    const { post, repositoryId, server } = await connected();
    const path = `repositories/${repositoryId}/fetch`;
    let failing = 2;
    server.before = (_request, response) => {
      if (failing-- <= 0) return false;
      response.writeHead(503).end();
      return true;
    };
    expect((await post(path)).status).toBe(200);
    failing = Number.POSITIVE_INFINITY;
    server.asked.length = 0;
    expect(await post(path)).toMatchObject({
      status: 409,
      json: { code: 'reject.remote_unreachable', retryable: true },
    });
    expect(server.asked).toHaveLength(3);
  });

  it('run nothing that the repository configures', async () => {
    const { post, repositoryId, folder, server } = await connected();
    const trap = join(folder, '..', 'trapped');
    const script = join(folder, '..', 'trap.sh');
    await writeFile(script, `#!/bin/sh\ntouch ${trap}\n`);
    await chmod(script, 0o755);
    server.credentials = 'me:right';
    for (const [name, value] of [
      ['credential.helper', `!${script}`],
      ['core.askPass', script],
      ['core.sshCommand', script],
      ['core.alternateRefsCommand', script],
      ['remote.origin.uploadpack', script],
      ['remote.origin.vcs', 'ext'],
    ] as const)
      await git(folder, 'config', name, value);
    expect(await post(`repositories/${repositoryId}/fetch`)).toMatchObject(refused(422, 'reject.remote_denied'));
    server.credentials = undefined;
    expect((await post(`repositories/${repositoryId}/fetch`)).status).toBe(200);
    await git(folder, 'remote', 'set-url', 'origin', `ext::${script}`);
    expect(await post(`repositories/${repositoryId}/fetch`)).toMatchObject(refused(400, 'reject.protocol_not_allowed'));
    expect(await readdir(join(folder, '..'))).not.toContain('trapped');
  });

  it('are reached where the host allows it alone, folders of this machine below its roots', async () => {
    const { post, repositoryId, folder } = await connected();
    for (const url of [
      'https://example.test/x',
      'me@example.test:x',
      '--upload-pack=touch',
      'http://-oProxyCommand=touch/x',
      'http://me@-x/y',
    ])
      await git(folder, 'config', 'remote.origin.url', url).then(async () =>
        expect(await post(`repositories/${repositoryId}/fetch`), url).toMatchObject(
          refused(400, 'reject.protocol_not_allowed'),
        ),
      );
    await git(folder, 'config', 'remote.origin.url', '/etc');
    expect((await post(`repositories/${repositoryId}/fetch`)).status).toBe(400);
  });
});

describe('an agent', () => {
  it('reaches no remote and no forge, and that it tried is a finding', async () => {
    const { studio, repositoryId, branch } = await connected();
    await branch('idea', { a: 'changed\n' });
    const unit = await makeUnit(studio);
    const given = { agentType: 'worker', workUnitId: unit.workUnitId, profileId: 'worker' };
    const { agentId } = await post<{ agentId: string }>(studio, '/agents/spawn', given);
    const { secret: token } = studio.mintAgentToken(agentId);
    const at = `/studio/repositories/${repositoryId}`;
    const asked = [
      ['POST', `${at}/fetch`, {}],
      ['POST', `${at}/push`, { branchId: 'idea' }],
      ['PUT', `${at}/publishing`, { shape: 'squash' }],
      ['PUT', `${at}/forge`, { kind: 'github' }],
      ['POST', `${at}/forge/look`, {}],
      ['POST', `${at}/forge/issues/1`, {}],
      ['POST', '/studio/contributions', { goalId: unit.workUnitId }],
    ] as const;
    for (const [method, path, body] of asked)
      expect(await studio.call(method, path, { body, token }), path).toMatchObject(refused(403, 'reject.human_only'));
    const found = await read<{ title: string }[]>(studio, '/findings');
    for (const operation of ['remote.fetch', 'remote.push', 'publishing.set', 'forge.connect', 'contribution.offer'])
      expect(found.map(({ title }) => title)).toContainEqual(expect.stringContaining(operation));
  });

  it('fetches where a person has named the tool for it, and moves no branch of the user all the same', async () => {
    const opened = await openTestLedger();
    const shared = await testShared(opened);
    const door = createAgentDoor(operationTable, shared);
    const base = await tempFolder();
    const folder = join(base, 'mine');
    const commit = await gitRepository(folder, { a: '1\n' });
    await git(base, 'clone', '--quiet', '--bare', folder, 'there.git');
    await git(folder, 'remote', 'add', 'origin', join(base, 'there.git'));
    const { repositoryId } = await registerFolder({ ...shared, ...changing(shared) }, folder);
    const newer = await commitThere(join(base, 'there.git'), await cloneIn(base), { c: '3\n' }, 'theirs');
    const call = (allowed: readonly string[], input: object) =>
      door.call({ agentId: 'a', allowed, name: 'svc_v1_remote_fetch', input: { repositoryId, ...input } });
    expect((await call([], {})).text).toContain('reject.human_only');
    expect(JSON.parse((await call(['remote_fetch'], {})).text)).toMatchObject({ data: { branches: { main: newer } } });
    expect((await call(['remote_fetch'], { forward: true })).text).toContain('reject.review_required');
    expect(await git(folder, 'rev-parse', 'main')).toBe(commit);
  });
});

describe('clones', () => {
  it('are as deep as is asked for, and can be worked on', async () => {
    const server = await startGitServer();
    await seeded(server, 'deep', { a: '1\n' });
    const theirs = join(await tempFolder(), 'theirs');
    await git(server.folder, 'clone', '--quiet', server.url('deep'), theirs);
    for (const n of [2, 3]) await commitThere(join(server.folder, 'deep.git'), theirs, { a: `${n}\n` }, `commit ${n}`);
    const studio = await startTestStudio(undefined, { cloneProtocols: ['http'] });
    const folder = join(await tempFolder(), 'shallow');
    await studio.call('POST', '/studio/repositories/clone', {
      body: { url: server.url('deep'), targetPath: folder, depth: 1, branch: 'main' },
    });
    expect(await git(folder, 'rev-list', '--count', 'HEAD')).toBe('1');
    const { branch, post, repositoryId } = await withRepository(studio, folder, '');
    await branch('idea', { a: 'changed\n' });
    expect((await post(`repositories/${repositoryId}/push`, { branchId: 'idea' })).json).toMatchObject({ moved: true });
    expect(await git(join(server.folder, 'deep.git'), 'log', '-1', '--format=%h', 'idea~1')).toBe(
      await git(theirs, 'log', '-1', '--format=%h'),
    );
    const newer = await commitThere(join(server.folder, 'deep.git'), theirs, { b: 'b\n' }, 'newer');
    expect((await post(`repositories/${repositoryId}/fetch`, { forward: true })).json).toMatchObject({
      forwarded: { to: newer },
    });
  });

  it('say what of them is not here', async () => {
    const server = await startGitServer();
    await seeded(server, 'big', { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', a: '1\n' });
    const theirs = join(await tempFolder(), 'theirs');
    await git(server.folder, 'clone', '--quiet', server.url('big'), theirs);
    const id = await git(theirs, 'rev-parse', 'HEAD');
    await git(theirs, 'update-index', '--add', '--cacheinfo', `160000,${id},libs/other`);
    await git(theirs, 'commit', '--quiet', '--message=submodule');
    await git(theirs, 'tag', 'v1');
    await git(theirs, 'push', '--quiet', 'origin', 'HEAD:main', 'v1');
    const studio = await startTestStudio(undefined, { cloneProtocols: ['http'] });
    const targetPath = join(await tempFolder(), 'big');
    const made = await studio.call('POST', '/studio/repositories/clone', {
      body: { url: server.url('big'), targetPath },
    });
    await git(theirs, 'tag', 'v2');
    await git(theirs, 'push', '--quiet', 'origin', 'v2');
    const { repositoryId } = made.json as { repositoryId: string };
    expect(await studio.call('POST', `/studio/repositories/${repositoryId}/fetch`, { body: {} })).toMatchObject({
      status: 200,
    });
    expect(await git(targetPath, 'tag')).toBe('v1');
    expect(made.json).toMatchObject({
      leftOut: [
        'submodules are folders without files: libs/other',
        'files that git-lfs keeps are pointers to their contents',
      ],
    });
  });

  it('that end with the studio, in the middle, leave nothing, and what is done leaves no mark', async () => {
    const server = await startGitServer();
    await seeded(server, 'project', { a: '1\n' });
    const base = await tempFolder();
    for (const where of ['made', 'there']) {
      const studio = await startTestStudio(undefined, { cloneProtocols: ['http'] });
      const folder = join(base, where);
      if (where === 'there') await mkdir(folder);
      const isAsked = new Promise<void>((resolve) => {
        // It is never answered.
        server.before = ({ method }) => {
          if (method === 'POST') resolve();
          return method === 'POST';
        };
      });
      const body = { url: server.url('project'), targetPath: folder };
      const made = studio.call('POST', '/studio/repositories/clone', { body });
      await isAsked;
      expect(await readdir(folder)).toEqual(['.git']);
      expect(await readdir(join(studio.branches, 'clones'))).toHaveLength(1);
      await studio.close();
      await made.catch(() => undefined);
      expect(await readdir(base)).toEqual(where === 'made' ? [] : ['there']);
      expect(await readdir(join(studio.branches, 'clones'))).toEqual([]);
    }
    server.before = () => false;
    const studio = await startTestStudio(undefined, { cloneProtocols: ['http'] });
    const body = { url: server.url('project'), targetPath: join(base, 'there') };
    expect(await studio.call('POST', '/studio/repositories/clone', { body })).toMatchObject({ status: 200 });
    expect(await git(join(base, 'there'), 'config', '--local', '--list')).not.toContain('weft');
    expect(await readdir(join(studio.branches, 'clones'))).toEqual([]);
  });

  it.each(['url', 'targetPath', 'branch'] as const)(
    'with a NUL in their %s are refused, and leave nothing',
    async (field) => {
      const base = await tempFolder();
      await gitRepository(join(base, 'whole'), { a: '1\n' });
      const studio = await startTestStudio();
      const said = { url: join(base, 'whole'), targetPath: join(base, 'mine'), branch: 'main' };
      const body = { ...said, [field]: `${said[field]}\0x` };
      const made = await studio.call('POST', '/studio/repositories/clone', { body });
      expect(made.status, made.text).toBe(400);
      expect(await readdir(base)).toEqual(['whole']);
    },
  );

  it('that are partial are refused, and say why', async () => {
    const base = await tempFolder();
    await gitRepository(join(base, 'whole'), { a: '1\n' });
    await git(join(base, 'whole'), 'config', 'uploadpack.allowFilter', 'true');
    await git(base, 'clone', '--quiet', '--filter=blob:none', `file://${join(base, 'whole')}`, 'partial');
    const studio = await startTestStudio();
    expect(await studio.call('POST', '/studio/repositories', { body: { path: join(base, 'partial') } })).toMatchObject(
      refused(422, 'reject.partial_clone'),
    );
  });
});
