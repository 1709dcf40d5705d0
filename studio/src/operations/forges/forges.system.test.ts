/** Forges that are not in every run, and a host that is killed while it speaks to one. */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startForgeServer } from '../../testing/git/forge-at-work.js';
import { filesBelow } from '../../testing/files-below.js';
import { playFlow } from '../../testing/git/forge-flow.js';
import { git } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type WeftProgram, startWeft } from '../../testing/models/weft-program.js';

it.each(['gitea', 'gitlab'] as const)(
  'work with a repository at %s goes from an issue to the branch of the user',
  (kind) => playFlow(kind),
);

const call = (name: string, input: object) => ({ name: `svc_v1_${name}`, input });
const SCRIPT = [
  { script: 1 },
  { when: { role: 'worker' }, calls: [call('workspace_read', { path: 'greeting.txt' })] },
  {
    calls: [
      call('workspace_write', { path: 'greeting.txt', content: 'hello 1\n' }),
      call('merge_propose', { sourceBranch: 'mine', targetBranch: 'main', summary: 'A new greeting' }),
    ],
  },
  { when: { role: 'worker', says: 'Once more.' }, calls: [call('workspace_read', { path: 'greeting.txt' })] },
  {
    calls: [
      call('workspace_write', { path: 'greeting.txt', content: 'hello 2\n' }),
      call('merge_propose', { sourceBranch: 'mine', targetBranch: 'main', summary: 'Another greeting' }),
    ],
  },
  {
    when: { role: 'reviewer' },
    repeat: true,
    calls: [call('merge_review', { decision: 'Approved', verificationResults: 'read it' })],
  },
];

/** Words of all processes of this machine. */
async function runningNow(): Promise<string> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = numbers.map((pid) => readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => ''));
  return (await Promise.all(lines)).map((line) => line.replaceAll('\0', ' ')).join('\n');
}

async function filesWith(folder: string, text: string): Promise<string[]> {
  const paths = await filesBelow(folder);
  // A file that is gone by then is kept by nobody: the host is at work.
  const gone = Buffer.alloc(0);
  const found = await Promise.all(paths.map(async (path) => (await readFile(path).catch(() => gone)).includes(text)));
  return paths.filter((_, at) => found[at]);
}

it('a host that is killed while it takes an issue, pushes, opens a request, comments, answers or lands does each once', async () => {
  const server = await startForgeServer('github');
  const { model, git: gitServer } = server;
  const base = await tempFolder();
  await writeFile(join(base, 'script.jsonl'), SCRIPT.map((line) => JSON.stringify(line)).join('\n'));
  const models = { model: { provider: 'scripted' }, script: 'script.jsonl', keys: { github: { env: 'FORGE_TOKEN' } } };
  await writeFile(join(base, 'models.json'), JSON.stringify(models));
  const start = (): Promise<WeftProgram> =>
    startWeft(base, ['--models', join(base, 'models.json')], { FORGE_TOKEN: server.token });
  let weft = await start();
  const url = gitServer.url(server.project);
  const made = await weft.post('/repositories/clone', {
    url: url.replace('//', `//${gitServer.credentials}@`),
    targetPath: join(base, 'mine'),
  });
  await git(join(base, 'mine'), 'remote', 'set-url', 'origin', url);
  const path = `/repositories/${String(made.json['repositoryId'])}/forge`;
  await weft.ask('PUT', path, { kind: 'github', api: server.api });

  // It dies while one of these is under way; the server does what it was asked, and nobody hears of it.
  const deaths = [
    'GET /repos/team/project/issues/1',
    'POST /repos/team/project/issues/1/comments',
    'POST /team/project.git/git-receive-pack',
    'POST /repos/team/project/pulls',
    'POST /team/project.git/git-receive-pack',
    'POST /repos/team/project/pulls/2/comments',
    'GET /repos/team/project/pulls/2',
    'POST /team/project.git/git-upload-pack',
  ];
  let dying: Promise<void> | undefined;
  const die = async (asked: string): Promise<void> => {
    const [next] = deaths;
    if (
      next === undefined ||
      dying ||
      !asked.startsWith(next) ||
      (next.includes('upload') && !model.requests[0]?.mergedAs)
    )
      return;
    deaths.shift();
    dying = weft.kill();
    await dying;
  };
  const serve = gitServer.before;
  const commandLines: string[] = [];
  gitServer.before = async (request, response) => {
    commandLines.push(await runningNow());
    await die(`${request.method} ${(request.url ?? '').replace('/api/v3', '')}`);
    return serve(request, response);
  };
  const until = (holds: () => unknown): Promise<void> =>
    vi.waitFor(
      async () => {
        if (dying) {
          await dying;
          weft = await start();
          dying = undefined;
          // What an agent was at when its host died goes on when a person says so.
          await weft.post('/scheduler/resume-all');
        }
        const looked = await weft.post(`${path}/look`).catch(() => undefined);
        expect(await holds(), JSON.stringify([looked?.json, deaths])).toBeTruthy();
      },
      { timeout: 100_000, interval: 200 },
    );

  const ada = model.user('ada');
  const issue = model.openIssue(ada, 'Greet anew', '', ['weft']);
  await until(() => model.requests.length > 0 && issue.comments.length > 0);
  const [request] = model.requests;
  const first = await model.headOf(request!);
  const remark = model.remark(request!, ada, { body: 'Once more.', path: 'greeting.txt', line: 1 });
  await until(() => request!.remarks.some(({ replyTo }) => replyTo === remark.id));
  const second = await model.headOf(request!);
  expect(await git(model.bare, 'show', `${second}:greeting.txt`)).toBe('hello 2');
  const merged = await model.merge(request!, ada);
  await until(
    async () =>
      (await git(join(base, 'mine'), 'rev-parse', 'main')) === merged && issue.comments[0]?.body.includes('merged'),
  );
  const { goals } = (await weft.ask('GET', '/goals')).json as unknown as { goals: { status: string }[] };
  expect(goals.map(({ status }) => status)).toEqual(['Converged']);
  expect(deaths).toEqual([]);
  expect([model.requests.length, issue.comments.length, request!.comments.length, request!.remarks.length]).toEqual([
    1, 1, 0, 2,
  ]);
  expect(first).not.toBe(second);
  // The token was in the environment of git alone: in no argument, and in nothing that is kept.
  expect(commandLines.join('\n')).toMatch(/receive-pack|send-pack|remote-http/);
  expect(commandLines.join('\n')).not.toContain(server.token);
  expect(await filesWith(join(base, 'store'), server.token)).toEqual([]);
  expect(await git(model.bare, 'for-each-ref', '--format=%(refname:short)')).toBe(['main', request!.branch].join('\n'));
}, 300_000);
