/**
 * A studio in which fifty scripted agents work for some time: each writes a file, has it built by a program, looks around, and
 * proposes or records what it has found; then another unit takes its place. Run with `--expose-gc`.
 * Arguments: folder, for how many seconds, how long a model thinks in ms. Prints one line: what was held, and what is left over.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, readlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { newTokens, startStudio } from '@weft/studio';

const AGENTS = 50;
/** Share of units that change the repository of the user, one in so many; the others find something out. */
const PROPOSES = 5;
const SAMPLE_MS = 5000;

const [folder, seconds, thinkMs] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const run = promisify(execFile);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let turns = 0;

const repository = join(folder, 'user');
await makeRepository();
const host = createHost({ store: levelStore(join(folder, 'store')) });
await host.ready();
const tokens = newTokens();
const problems = [];
const studio = await startStudio({
  roots: [folder],
  confinement: { unconfined: true },
  host,
  tokens,
  folder,
  listen: '127.0.0.1:0',
  rateLimit: { perSecond: 1e6, burst: 1e6 },
  log: (entry) => entry.level === 'error' && problems.push(`${entry.message}: ${String(entry.error)}`),
  agents: { models: () => ({ model: 'scripted', provider: { name: 'scripted', turn: think } }) },
});
await ask('POST', 'options', { maxConcurrentWorkers: AGENTS });
if ((await ask('GET', 'repositories')).length === 0) await ask('POST', 'repositories', { path: repository });

const atStart = await left();
const samples = [];
const end = performance.now() + seconds * 1000;
const isOn = () => performance.now() < end;
const agents = Array.from({ length: AGENTS }, (_, i) => keepAtWork(i));
while (isOn()) {
  await sleep(Math.min(SAMPLE_MS, Math.max(0, end - performance.now())));
  samples.push({ turns, held: held() });
}
const units = (await Promise.all(agents)).flat();
await ask('POST', 'cache/evict/orphaned', {});
await settled();
const atEnd = await left();
const outcome = { turns, units: units.length, failed: units.filter((status) => !/^(Merged|Completed)$/.test(status)) };
const told = { ...outcome, problems, samples, held: held(), atStart, atEnd };
await studio.close();
await host.close();
console.log(JSON.stringify(told));

async function makeRepository() {
  await mkdir(repository, { recursive: true });
  if ((await readdir(repository)).length > 0) return;
  await writeFile(join(repository, 'readme.md'), 'A place to work in.\n');
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@localhost'];
  await run('git', ['init', '--quiet', '--initial-branch=main'], { cwd: repository });
  await run('git', ['add', '--all'], { cwd: repository });
  await run('git', [...who, 'commit', '--quiet', '--message=begin'], { cwd: repository });
}

/** Model of all agents. */
async function think({ about: { role, unit, title, turn } }, { signal }) {
  turns += 1;
  await Promise.race([
    sleep(thinkMs * (0.5 + Math.random())),
    new Promise((stop) => signal.addEventListener('abort', stop)),
  ]);
  const call = (name, input) => ({ callId: `${unit}-${turn}-${name}`, name: `svc_v1_${name}`, input });
  const say = (...calls) => ({
    text: '',
    calls,
    stop: 'calls',
    usage: { inputTokens: 1000, cachedInputTokens: 500, outputTokens: 100 },
  });
  if (role === 'reviewer') return say(call('merge_review', { decision: 'Approved', verificationResults: 'read it' }));
  if (turn === 0) return say(call('workspace_write', { path: `notes/${unit}.txt`, content: `${title}\n` }));
  if (turn === 1) return say(call('workspace_build', { buildCommand: 'node --version' }));
  if (turn === 2) return say(call('artifact_query', { keywords: unit }), call('workspace_list', {}));
  return title.startsWith('change')
    ? say(call('merge_propose', { sourceBranch: '-', targetBranch: 'main', summary: title }))
    : say(call('artifact_record', { type: 'Research', title, body: 'It is so.' }));
}

/** Keeps an agent at work, with one unit after the other; answers how they ended. */
async function keepAtWork(agent) {
  const ended = [];
  for (let n = 0; isOn(); n++) {
    const proposes = (agent + n) % PROPOSES === 0;
    const { workUnitId } = await ask('POST', 'workunits', {
      goal: `${proposes ? 'change' : 'find out'} ${agent}/${n}`,
      expectedOutputKind: proposes ? 'FileChange' : 'KnowledgeArtifact',
      taskReviewPolicy: 'AgentApproval',
      workspaceReviewPolicy: 'AgentApproval',
    });
    await ask('POST', 'scheduler/enqueue', { workUnitId, profileId: 'worker' });
    let status = 'Queued';
    while (!/^(Merged|Completed|Cancelled|DeadLettered)$/.test(status)) {
      await sleep(500);
      ({ status } = await ask('GET', `workunits/${workUnitId}`));
    }
    ended.push(status);
  }
  return ended;
}

/**
 * Request to the studio, on a connection of its own: one that is kept may be closed in the moment in which it is used
 * again.
 */
function ask(method, path, body) {
  const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request(`${studio.url}/${path}`, { method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => (text += piece));
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(`${method} ${path}: ${text}`)),
      );
    });
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Wait for what still ends: a folder made ahead, a program. */
async function settled() {
  for (let quiet = 0; quiet < 3;) {
    await sleep(100);
    quiet = (await childrenOf(process.pid)).length === 0 ? quiet + 1 : 0;
  }
}

/** Bytes in use, after everything that can go is gone. */
function held() {
  for (let i = 0; i < 3; i++) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function left() {
  const own = join(folder, 'studio');
  const names = async (path) =>
    (await readdir(path).catch(() => [])).filter((name) => !/^ready-\d+(\.index)?$/.test(name));
  const places = ['workspaces', 'workspace-notes', 'workspace-spares', 'exports', 'runs', 'runs-tmp'];
  const listed = await Promise.all(places.map(async (place) => [place, await names(join(own, place))]));
  return {
    folders: Object.fromEntries([...listed, ['tmp', await names(process.env.TMPDIR)]]),
    children: await childrenOf(process.pid),
    files: await openFiles(),
    // Timers and requests in the background; what the sockets of this program's own calls hold comes and goes.
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
  };
}

/** Children of a process as `state program`, so that zombies are seen. */
async function childrenOf(parent) {
  const found = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [, program, state, ppid] = /\((.*)\) (\S) (\d+)/.exec(stat) ?? [];
    if (Number(ppid) === parent) found.push(`${state} ${program}`);
  }
  return found;
}

/** Open files, but for sockets, which are our own calls', and the store, which opens what it needs. */
async function openFiles() {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.filter((link) => link !== '' && !link.startsWith('socket:') && !link.startsWith(join(folder, 'store')))
    .length;
}
