/** Agent programs as workers, end to end: stand-ins that speak as they do, on real branches, with the studio's own door. */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { post, read } from '../../testing/doors/calls.js';
import { EventReader } from '../../testing/doors/event-source.js';
import { git, gitRepository } from '../../testing/git/git-repository.js';
import { toolServerCommand } from '../../testing/doors/tool-server.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';
import type { StudioOptions } from '../../studio.js';
import { type Act, type WorkerProgram, workerProgram } from '../../testing/models/worker-programs.js';

const FILES = { 'src/a.txt': 'one\n', 'src/b.txt': 'two\n', 'other.txt': 'three\n', 'test.sh': 'true\n' };
const KINDS = [
  ['claude', 'claude-cli', 'claude-code'],
  ['codex', 'codex-cli', 'codex'],
  ['agent', 'acp', 'acp'],
] as const;
type Kind = (typeof KINDS)[number][0];

const propose: Act = {
  tool: 'svc_v1_merge_propose',
  input: {
    goal: 'Better',
    targetBranch: 'main',
    sourceBranch: 'its own',
    summary: 'Better',
    changeDescription: 'It is.',
  },
};

/** What comes behind a turn comes soon. */
const SOON = { timeout: 8_000, interval: 50 };
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

interface Cycle {
  readonly assistantText?: string;
  readonly stopReason?: string;
  readonly toolCalls: readonly { readonly name: string; readonly inputJson: string }[];
  readonly toolResults: readonly { readonly result: string; readonly isError?: boolean }[];
}

interface AtWork {
  readonly studio: TestStudio;
  readonly program: WorkerProgram;
  readonly folder: string;
  readonly workUnitId: string;
  until(wanted: string): Promise<void>;
  cycles(): Promise<readonly Cycle[]>;
  proposed(): Promise<readonly { proposalId: string; headCommit: string; filesTouched: string[] }[]>;
}

interface Wanted extends Partial<StudioOptions> {
  readonly fileScope?: readonly string[];
  readonly args?: readonly string[];
  readonly profile?: object;
  /** Servers that a person lets the program reach. */
  readonly hosts?: readonly string[];
  /** Server of tools that a person has added before. */
  readonly toolServer?: object;
  /** Called before the work begins. */
  readonly onStudio?: (studio: TestStudio) => Promise<void>;
}

async function begin(kind: Kind, played: readonly (readonly Act[])[], wanted: Wanted = {}): Promise<AtWork> {
  const { fileScope = ['src/**'], args = [], profile = {}, toolServer, hosts = [], onStudio, ...options } = wanted;
  const program = await workerProgram(kind, played, ...args);
  const folder = join(await tempFolder(), 'user');
  await gitRepository(folder, FILES);
  const { studio, executor } = await atStudio(kind, program, options, hosts);
  await post(studio, '/repositories', { path: folder });
  await studio.call('PUT', '/studio/agent-profiles/worker', { body: { executor, ...profile } });
  if (toolServer)
    expect(await studio.call('PUT', '/studio/tool-servers/docs', { as: 'admin', body: toolServer })).toMatchObject({
      status: 200,
    });
  await onStudio?.(studio);
  const given = { goal: 'Make it better', fileScope, taskReviewPolicy: 'HumanRequired' };
  const { workUnitId } = await post<{ workUnitId: string }>(studio, '/workunits', given);
  await post(studio, '/scheduler/enqueue', { workUnitId, profileId: 'worker' });
  return { ...watched(studio, workUnitId), studio, program, folder, workUnitId };
}

async function atStudio(
  kind: Kind,
  program: WorkerProgram,
  { host, ...options }: Partial<StudioOptions>,
  hosts: readonly string[] = [],
) {
  const [, provider, executor] = KINDS.find(([name]) => name === kind)!;
  const models = { commands: { [provider]: program.command }, hosts: { [provider]: hosts }, keyName: 'AGENT_KEY' };
  return { executor, studio: await startTestStudio(host, { agents: {}, models, ...options }) };
}

function watched(studio: TestStudio, workUnitId: string) {
  const proposed = async () =>
    (
      await read<{ proposalId: string; workUnitId: string; headCommit: string; filesTouched: string[] }[]>(
        studio,
        '/merges',
      )
    ).filter((one) => one.workUnitId === workUnitId);
  return {
    proposed,
    until: async (wanted: string): Promise<void> => {
      const look = async () => (await read<{ status: string }>(studio, `/workunits/${workUnitId}`)).status;
      for (let looks = 0; looks < 1200 && (await look()) !== wanted; looks++) await pause();
      const dead = await read<{ reason: string }[]>(studio, '/dead-letter');
      expect([await look(), ...dead.map(({ reason }) => reason)].join(': ')).toMatch(new RegExp(`^${wanted}`));
    },
    cycles: () => read<Cycle[]>(studio, `/workunits/${workUnitId}/conversation-log`),
  };
}

/** What its program was told first, once it has written down what it was answered: that comes behind what its calls do. */
async function answered({ program, studio }: AtWork) {
  const first = async () => (await program.prompted(studio.branches))[0];
  await expect.poll(async () => (await first())?.answers ?? []).not.toHaveLength(0);
  return (await first())!;
}

describe.each(KINDS)('%s as a worker', (kind) => {
  it('edits the folder, calls the studio, proposes, and is seen in the transcript with what it cost', async () => {
    const work = await begin(kind, [
      [
        { say: 'I look.' },
        { read: 'src/a.txt' },
        { write: 'src/a.txt', text: 'better\n' },
        { run: 'cat src/a.txt' },
        propose,
      ],
    ]);
    await work.until('Proposed');
    await vi.waitFor(async () => {
      expect((await work.proposed())[0]?.filesTouched).toEqual(['src/a.txt']);
      const cycles = await work.cycles();
      const calls = cycles.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name));
      expect(calls).toHaveLength(4);
      expect(calls.at(-1)).toContain('merge_propose');
      expect(cycles.flatMap(({ toolResults }) => toolResults.map(({ result }) => result))).toContain('better\n');
      expect(cycles.map(({ assistantText }) => assistantText)).toContain('I look.');
      // It waits for its reviewer, and what its turn has cost is recorded behind it.
      const wanted = { claude: { tokens: 140, costUsd: 0.25 }, codex: { tokens: 140 }, agent: { costUsd: 0.25 } };
      const { usage } = await read<{ usage: object }>(work.studio, `/workunits/${work.workUnitId}`);
      expect(usage).toMatchObject(wanted[kind]);
      const [{ args = [], environment = {}, prompt = '' } = {}] = await work.program.prompted(work.studio.branches);
      expect(prompt).toContain('Make it better');
      // Others see the arguments of a program.
      expect(args.join(' ')).not.toMatch(/[0-9a-f]{64}/);
      // No key without a word of a person, and nothing of the host.
      expect(Object.keys(environment).filter((name) => /KEY|WEFT_STUDIO/.test(name))).toEqual([]);
      // Servers that the user has set up for it stand in the user's settings, and it has others.
      const settings = {
        claude: ['CLAUDE_CONFIG_DIR'],
        codex: ['CODEX_HOME'],
        agent: ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'],
      }[kind];
      for (const name of settings) expect(relative(homedir(), environment[name] ?? homedir())).toMatch(/^\.\./);
      const alone = { claude: ['--strict-mcp-config'], codex: ['--ignore-user-config', '--ignore-rules'], agent: [] };
      expect(args).toEqual(expect.arrayContaining(alone[kind]));
    }, SOON);
  });

  it('has what lies outside of its scope taken back and is told, goes on in one session, and its reviewer sees the rest', async () => {
    const work = await begin(kind, [
      [{ write: 'other.txt', text: 'mine\n' }, { write: 'src/b.txt', text: 'mine\n' }, propose],
      [{ write: 'other.txt', text: 'again\n' }, { say: 'I stop.' }],
      [{ run: 'cat other.txt' }, propose],
    ]);
    await work.until('Proposed');
    await vi.waitFor(async () => {
      expect((await work.proposed())[0]?.filesTouched).toEqual(['src/b.txt']);
      const prompted = await work.program.prompted(work.studio.branches);
      expect(prompted[0]?.answers[0]).toContain('other.txt was changed outside of the scope');
      expect(prompted[2]?.prompt).toMatch(/taken back.*\nother.txt: outside of the scope/);
      expect(new Set(prompted.map(({ session }) => session)).size).toBe(1);
      // Only what is new is told to who remembers.
      expect(prompted[1]?.prompt).not.toContain('Make it better');
      expect(prompted[1]?.prompt).toContain('nothing is proposed');
      const results = (await work.cycles()).flatMap(({ toolResults }) => toolResults.map(({ result }) => result));
      expect(results).toContain('three\n');
    }, SOON);
  });

  it('does what the host says that it can do, and nothing else of it', async () => {
    const work = await begin(kind, [
      [
        { write: 'src/b.txt', text: 'mine\n' },
        { tool: 'svc_v1_workunit_get', input: {} },
      ],
      [{ write: 'src/a.txt', text: 'mine\n' }, propose],
    ]);
    await work.until('Proposed');
    await vi.waitFor(async () => {
      const prompted = await work.program.prompted(work.studio.branches);
      const changed = (await work.proposed())[0]?.filesTouched ?? [];
      const called = (await work.cycles()).flatMap(({ toolCalls }) => toolCalls);
      const [{ args = [] } = {}] = prompted;
      const [, refused = ''] = /--disallowedTools (\S+)/.exec(args.join(' ')) ?? [];
      const seen = {
        turnTelemetry: called.length > 2,
        resume: prompted.length === 2 && prompted[0]?.session === prompted[1]?.session,
        mcp: prompted[0]?.answers[0]?.includes(work.workUnitId) === true,
        // The stand-in over ACP edits nothing before it is answered; the others are told not to ask.
        hooks: !/dontAsk|approval_policy="never"/.test(args.join(' ')) && changed.includes('src/b.txt'),
        subAgents: kind === 'claude' && !refused.split(',').includes('Task'),
        planningMode: args.includes('plan'),
      };
      const [, , executor] = KINDS.find(([name]) => name === kind)!;
      const rows = await read<{ name: string; capabilities: object }[]>(work.studio, '/executors');
      expect(rows.find(({ name }) => name === executor)?.capabilities).toEqual(seen);
    }, SOON);
  });

  it('is heard while it speaks, each piece once', async () => {
    const until = join(await tempFolder(), 'heard');
    const pieces: string[] = [];
    let reader: EventReader | undefined;
    const hear = async (open: EventReader): Promise<void> => {
      for (let event = await open.next(); event; event = await open.next()) {
        if (event.event !== 'speech' || event.data['text'] === '') continue;
        pieces.push(String(event.data['text']));
        // What it has not said yet, it says now.
        await writeFile(until, '');
      }
    };
    const acts: Act[] = [{ saying: ['I look ', 'at it.'], until }, { write: 'src/a.txt', text: 'better\n' }, propose];
    const work = await begin(kind, [acts], {
      onStudio: async (studio) => {
        reader = await EventReader.open(studio, '?speech=true');
        void hear(reader);
      },
    });
    await work.until('Proposed');
    await vi.waitFor(async () => {
      expect(pieces).toEqual(['I look ', 'at it.']);
      expect((await work.cycles()).map(({ assistantText }) => assistantText)).toContain('I look at it.');
    }, SOON);
  });

  it('calls the tools of others that a person allowed, and no other', async () => {
    const work = await begin(
      kind,
      [
        [
          { tool: 'docs__echo', input: { text: 'hello' } },
          { tool: 'docs__count', input: {} },
          { write: 'src/a.txt', text: 'better\n' },
          propose,
        ],
      ],
      { toolServer: { command: toolServerCommand(), allowed: ['echo'] } },
    );
    await work.until('Proposed');
    const { answers = [] } = await answered(work);
    expect(answers[0]).toMatch(/<answer>\nhello\n<\/answer>/);
    expect(answers[1]).toMatch(/no tool is named/);
  });

  it('reaches nothing of others with its token, which ends with its turn', async () => {
    const work = await begin(kind, [
      [
        { tool: 'svc_v1_workunit_cancel', input: { workUnitId: 'wu-other' } },
        { tool: 'svc_v1_merge_review', input: {} },
        {
          tool: 'svc_v1_clarification_request',
          input: { question: 'Which?', context: 'none', blocking: true, options: [] },
        },
        { say: 'I wait.' },
      ],
      [{ write: 'src/a.txt', text: 'as you say\n' }, propose],
    ]);
    await work.until('Waiting');
    const { answers = [] } = await answered(work);
    for (const answer of answers.slice(0, 2)) expect(answer).toMatch(/no tool is named/);
    await post(work.studio, `/clarifications/${work.workUnitId}/respond`, { response: 'The second.', resume: true });
    await work.until('Proposed');
    await vi.waitFor(async () => {
      const prompted = await work.program.prompted(work.studio.branches);
      expect(prompted[1]?.prompt).toContain('Answered: The second.');
      expect(prompted[1]?.session).toBe(prompted[0]?.session);
    }, SOON);
  });

  it('goes on in its session after the host was stopped in the middle, told to look first', async () => {
    const host = createHost({ store: levelStore(await tempFolder()) });
    onTestFinished(() => host.close());
    const folder = await tempFolder();
    const work = await begin(
      kind,
      [
        [{ write: 'src/a.txt', text: 'half\n' }, 'hang'],
        [{ read: 'src/a.txt' }, propose],
      ],
      { host, folder },
    );
    while ((await work.program.prompted(folder)).length === 0) await pause();
    await work.studio.close();
    const { studio } = await atStudio(kind, work.program, { host, folder });
    const again = watched(studio, work.workUnitId);
    await again.until('Proposed');
    await vi.waitFor(async () => {
      const prompted = await work.program.prompted(folder);
      expect(prompted).toHaveLength(2);
      expect(prompted[1]?.session).toBe(prompted[0]?.session);
      expect(prompted[1]?.prompt).toMatch(/^You were interrupted. Look at what is in the folder/);
      expect((await again.proposed())[0]?.filesTouched).toEqual(['src/a.txt']);
    }, SOON);
  });

  it('goes on in its session when it is killed in the middle, told to look first, and is left to people when it always is', async () => {
    const dies: Act[] = [{ write: 'src/a.txt', text: 'half\n' }, 'die'];
    const work = await begin(kind, [dies, [{ read: 'src/a.txt' }, propose]]);
    await work.until('Proposed');
    await vi.waitFor(async () => {
      const prompted = await work.program.prompted(work.studio.branches);
      expect(prompted).toHaveLength(2);
      expect(prompted[1]?.session).toBe(prompted[0]?.session);
      expect(prompted[1]?.prompt).toMatch(/^You were interrupted. Look at what is in the folder/);
      expect((await work.proposed())[0]?.filesTouched).toEqual(['src/a.txt']);
    }, SOON);
    const always = await begin(kind, [dies, dies, dies, dies, dies]);
    await always.until('DeadLettered');
    expect(await always.program.prompted(always.studio.branches)).toHaveLength(3);
  });

  it('costs what its runs have cost, each of them once, though it goes on in its session and is killed there', async () => {
    const work = await begin(kind, [
      [{ say: 'I look.' }, { read: 'src/a.txt' }, { say: 'I stop.' }],
      [{ say: 'Again.' }, { write: 'src/a.txt', text: 'half\n' }, 'die'],
      [{ read: 'src/a.txt' }, propose],
    ]);
    await work.until('Proposed');
    // What Claude Code has said of the run in which it was killed is one answer of 100 and 20 tokens, and no price.
    const wanted = { claude: { tokens: 400, costUsd: 0.5 }, codex: { tokens: 420 }, agent: { costUsd: 0.75 } };
    await vi.waitFor(async () => {
      const { usage } = await read<{ usage: object }>(work.studio, `/workunits/${work.workUnitId}`);
      expect(usage).toMatchObject(wanted[kind]);
    }, SOON);
  });

  it('begins anew, and is told everything, when its session is gone', async () => {
    const work = await begin(kind, [
      [{ say: 'I stop.' }, { run: 'rm -f "${CLAUDE_CONFIG_DIR:-${CODEX_HOME:-$XDG_CONFIG_HOME}}"/session-*' }],
      [propose],
      [{ write: 'src/a.txt', text: 'x' }, propose],
    ]);
    await work.until('Proposed');
    await vi.waitFor(async () => {
      const prompted = await work.program.prompted(work.studio.branches);
      expect(new Set(prompted.slice(0, 2).map(({ session }) => session)).size).toBe(2);
      expect(prompted[1]?.prompt).toContain('Make it better');
    }, SOON);
  });
});

/** Server of this machine that notes who came. */
async function canary(): Promise<{ port: number; came: string[] }> {
  const came: string[] = [];
  const server = createServer(({ method, url }, response) => {
    came.push(`${method} ${url}`);
    response.end('reached\n');
  });
  server.on('connect', (_, socket) => {
    came.push('CONNECT');
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, came };
}

/** Command that asks an address, and prints what it was answered. */
const asks = (url: string) =>
  `node -e "fetch('${url}').then((r)=>r.text().then((t)=>console.log(r.status,t)),()=>console.log('none'))"`;

describe.each(KINDS)('%s, confined,', (kind) => {
  const results = async (work: AtWork) =>
    (await work.cycles()).flatMap(({ toolResults }) => toolResults.map(({ result }) => result));

  it('reaches its model and the tools of its unit, and nothing else of any network', async () => {
    const [model, other] = [await canary(), await canary()];
    const proxy = 'new URL(process.env.HTTP_PROXY).port';
    const runs = [
      asks(`http://127.0.0.1:${model.port}/v1`),
      asks(`http://127.0.0.1:${other.port}/`),
      // What the studio serves beside the tools, through the door of the program itself.
      asks('http://127.0.0.1:17780/studio/health'),
      asks('http://127.0.0.1:17780/mcp'),
      asks('http://127.0.0.1:17780/mcp/agent/../../studio/health'),
      `node -e "const s=require('net').connect(${proxy});s.on('data',(b)=>console.log(String(b).split('\\r')[0]));s.write('CONNECT evil.example:443 HTTP/1.1\\r\\n\\r\\n')"`,
      `node -e "require('dns').lookup('example.com',(e)=>console.log(e?'none':'found'))"`,
      'ls /run/docker.sock /var/run/docker.sock /run/user 2>/dev/null; echo listed',
    ];
    const work = await begin(kind, [[...runs.map((run) => ({ run })), { write: 'src/a.txt', text: 'x\n' }, propose]], {
      confinement: {},
      hosts: [`http://127.0.0.1:${model.port}`],
    });
    await work.until('Proposed');
    await vi.waitFor(async () => {
      const said = await results(work);
      expect(said[0]).toBe('200 reached\n\n');
      expect(said[1]).toBe('none\n');
      for (const answer of said.slice(2, 5)) expect(answer).toMatch(/^404 weft: programs of agents reach the tools/);
      expect(said[5]).toMatch(/^HTTP\/1\.1 403 weft: evil\.example:443 is not among/);
      expect(said[6]).toBe('none\n');
      expect(said[7]).toBe('listed\n');
      expect(model.came).toEqual(['GET /v1']);
      expect(other.came).toEqual([]);
      // A person hears of it.
      const findings = await read<{ title: string }[]>(work.studio, '/findings');
      expect(findings.map(({ title }) => title)).toContain('A program tried to reach a server that is not allowed');
    }, SOON);
  });

  it('finds no token of the studio, no other branch and nothing that a parent knows', async () => {
    const planted = `canary-${randomUUID()}`;
    const folder = await tempFolder();
    for (const path of ['studio/admin.token', 'studio/branches/other/secret.txt', 'secret.txt']) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), `${planted}\n`);
    }
    // Pattern that does not match itself, where it stands in the play.
    const looks = `grep -rls -D skip '[c]${planted.slice(1)}' /etc /home /run /tmp /var /srv /mnt "$PWD/.."; echo looked`;
    const work = await begin(
      kind,
      [
        [
          { run: looks },
          { run: 'ls .. | sort' },
          {
            run: `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -c '^VITEST' || true`,
          },
          { write: 'src/a.txt', text: 'x\n' },
          propose,
        ],
      ],
      { confinement: {}, folder },
    );
    await work.until('Proposed');
    await vi.waitFor(async () => {
      const [tokens, beside = '', parents] = await results(work);
      expect(tokens).toBe('looked\n');
      expect(beside.trim().split('\n')).toHaveLength(1);
      expect(parents).toBe('0\n');
    }, SOON);
  });
});

describe.each(KINDS)('what others have changed, with %s', (kind) => {
  it('is not overwritten by a program that has not read it since', async () => {
    const work = await begin(kind, [
      [
        { read: 'src/a.txt' },
        {
          tool: 'svc_v1_clarification_request',
          input: { question: 'Which?', context: '', blocking: true, options: [] },
        },
        { say: 'I wait.' },
      ],
      [{ write: 'src/a.txt', text: 'blind\n' }, { say: 'Done.' }],
      [{ read: 'src/a.txt' }, { write: 'src/a.txt', text: 'seen\n' }, propose],
    ]);
    await work.until('Waiting');
    // What comes during a turn is a part of it.
    await vi.waitFor(
      async () => expect((await work.cycles()).map(({ stopReason }) => stopReason)).toContain('end'),
      SOON,
    );
    const { branchId } = await read<{ branchId: string }>(work.studio, `/workunits/${work.workUnitId}`);
    await post(work.studio, `/branches/${encodeURIComponent(branchId)}/resync-files`, {
      files: [{ path: 'src/a.txt', content: 'of a person\n' }],
    });
    await post(work.studio, `/clarifications/${work.workUnitId}/respond`, { response: 'Go on.', resume: true });
    await work.until('Proposed');
    await vi.waitFor(async () => {
      const prompted = await work.program.prompted(work.studio.branches);
      expect(prompted[1]?.prompt).toContain(
        'Others have changed these files since your last turn. Read one before you change it:\nsrc/a.txt',
      );
      expect(prompted[2]?.prompt).toMatch(/taken back.*\nsrc\/a.txt: others had changed it/);
      const results = (await work.cycles()).flatMap(({ toolResults }) => toolResults.map(({ result }) => result));
      expect(results).toContain('of a person\n');
    }, SOON);
  });

  it('and cannot be landed over, is told to it in its session, with both sides in the file', async () => {
    const ended = join(await tempFolder(), 'ended');
    const work = await begin(kind, [
      // It has proposed, and is still ending its turn when the conflict comes about.
      [{ write: 'src/a.txt', text: 'mine\n' }, propose, { run: `until [ -e ${ended} ]; do sleep 0.02; done` }],
      [{ read: 'src/a.txt' }, { write: 'src/a.txt', text: 'mine and of a person\n' }, propose],
    ]);
    await work.until('Proposed');
    const [first] = await work.proposed();
    const about = `/merges/${first?.proposalId}`;
    await writeFile(join(work.folder, 'src/a.txt'), 'of a person\n');
    await git(work.folder, 'commit', '--quiet', '-am', 'Mine, for a reason');
    await post(work.studio, `${about}/review`, { decision: 'Approved' });
    expect(await work.studio.call('POST', `/studio${about}/apply`, { body: {} })).toMatchObject({ status: 409 });
    await writeFile(ended, '');
    await vi.waitFor(async () => expect(await work.proposed()).toHaveLength(2), { timeout: 30_000, interval: 50 });
    await vi.waitFor(async () => {
      const prompted = await work.program.prompted(work.studio.branches);
      expect(prompted).toHaveLength(2);
      expect(prompted[1]?.session).toBe(prompted[0]?.session);
      for (const part of [`${first?.proposalId} cannot land`, 'Mine, for a reason', '+of a person', '+mine'])
        expect(prompted[1]?.prompt).toContain(part);
      const results = (await work.cycles()).flatMap(({ toolResults }) => toolResults.map(({ result }) => result));
      expect(results.some((one) => /<<<<<<< main\nof a person\n=======\nmine\n>>>>>>> wu-/.test(one))).toBe(true);
      expect((await work.proposed())[1]?.filesTouched).toEqual(['src/a.txt']);
    }, SOON);
  });
});

describe('a program at work', () => {
  it('is given its key where a person has said so, by its own variable', async () => {
    const work = await begin('claude', [[propose], [propose]], {
      profile: { injectApiKeyEnv: true },
      agents: { usualOf: { worker: { provider: 'claude-cli', credentialRef: 'mine' } } },
      keys: { mine: 'k-1' },
    });
    while ((await work.program.prompted(work.studio.branches)).length === 0) await pause();
    const [{ environment = {} } = {}] = await work.program.prompted(work.studio.branches);
    expect(environment['ANTHROPIC_API_KEY']).toBe('k-1');
  });

  it('whose vendor names when its limit ends waits until then', async () => {
    const work = await begin('claude', [[{ limited: 3600 }]]);
    await work.until('Waiting');
    const [item] = await read<{ parkedReason: string; limitedUntil: string }[]>(work.studio, '/scheduler/pending');
    expect(item?.parkedReason).toBe('Limit');
    expect(Date.parse(item!.limitedUntil) - Date.now()).toBeGreaterThan(3_000_000);
  });

  it('is stopped at the turns of its profile, and the unit does not hang', async () => {
    const looks: Act[] = Array.from({ length: 200 }, () => ({ run: 'sleep 0.01' }));
    const work = await begin('codex', [looks, looks, looks, looks], { profile: { maxIterations: 3 } });
    await work.until('DeadLettered');
    await vi.waitFor(async () => {
      const cycles = await work.cycles();
      expect(cycles.map(({ assistantText }) => assistantText)).toContain(
        'The program was stopped: it has taken 3 steps',
      );
    }, SOON);
  });

  it('that takes no tools over HTTP starts a bridge to them, which reaches nothing else', async () => {
    const work = await begin(
      'agent',
      [
        [
          { tool: 'svc_v1_workunit_cancel', input: { workUnitId: 'wu-other' } },
          {
            tool: 'svc_v1_clarification_request',
            input: { question: 'Which?', context: 'none', blocking: true, options: [] },
          },
        ],
        [{ write: 'src/a.txt', text: 'as you say\n' }, propose],
      ],
      { args: ['no-http'], confinement: {} },
    );
    await work.until('Waiting');
    const { answers = [], environment = {} } = await answered(work);
    expect(answers[0]).toMatch(/no tool is named/);
    expect(Object.keys(environment).filter((name) => name.startsWith('WEFT_TOOLS'))).toEqual([]);
    await post(work.studio, `/clarifications/${work.workUnitId}/respond`, { response: 'The second.', resume: true });
    await work.until('Proposed');
    expect((await work.proposed())[0]?.filesTouched).toEqual(['src/a.txt']);
  });

  it('that goes on with no earlier session is told everything each time, and is not said to', async () => {
    const work = await begin('agent', [[{ say: 'I stop.' }], [], [{ write: 'src/a.txt', text: 'x\n' }, propose]], {
      args: ['no-memory'],
    });
    await work.until('Proposed');
    const rows = await read<{ name: string; capabilities: object }[]>(work.studio, '/executors');
    expect(rows.find(({ name }) => name === 'acp')).toMatchObject({ capabilities: { resume: false, mcp: true } });
    const prompted = await work.program.prompted(work.studio.branches);
    for (const { prompt } of prompted) expect(prompt).toContain('Make it better');
  });

  it('that stays when its turn is over is ended', async () => {
    const work = await begin('claude', [[{ write: 'src/a.txt', text: 'x\n' }, propose]], { args: ['--linger'] });
    await work.until('Proposed');
  }, 30_000);

  it.each(KINDS)('%s is confined: it sees its folder and its home, and nothing else of this machine', async (kind) => {
    const ofUser = ['.claude', '.claude.json', '.codex', '.gemini', '.config', '.ssh', '.netrc', '.npmrc'];
    const ofPrograms = ['.claude', '.claude.json', '.codex', '.gemini'];
    const places = [
      ...ofUser.map((name) => join(homedir(), name)),
      ...ofPrograms.map((name) => `"$HOME"/${name}`),
    ].join(' ');
    const own = '"${CLAUDE_CONFIG_DIR:-${CODEX_HOME:-$XDG_CONFIG_HOME}}"';
    const secret = join(await tempFolder(), 'secret.txt');
    await writeFile(secret, 'not for programs\n');
    const work = await begin(
      kind,
      [
        [
          { run: `cat ${secret} 2>&1 || true` },
          { run: `ls -d ${places} 2>/dev/null || echo none` },
          { run: `echo kept > ${own}/kept && cat ${own}/kept` },
          { write: 'src/a.txt', text: 'x\n' },
          propose,
        ],
      ],
      { confinement: {} },
    );
    await work.until('Proposed');
    await vi.waitFor(async () => {
      const results = (await work.cycles()).flatMap(({ toolResults }) => toolResults.map(({ result }) => result));
      expect(results[0]).toContain('No such file');
      expect(results.join('\n')).not.toContain('not for programs');
      // Neither the home of its user, with settings and servers, nor another that has any.
      expect(results[1]).toBe('none\n');
      expect(results[2]).toBe('kept\n');
    }, SOON);
  });

  it('that asks leave for a place that leads out of its folder is refused, however the place begins', async () => {
    const work = await begin('agent', [[{ write: 'src/../../outside.txt', text: 'x' }, propose]], {
      fileScope: ['**'],
    });
    await work.until('Proposed');
    await vi.waitFor(async () => {
      // What the stand-in writes where it was refused.
      expect((await work.proposed())[0]?.filesTouched).toEqual(['refused.txt']);
    }, SOON);
  });

  it('answers as a model where its profile names no executor', async () => {
    const work = await begin('claude', [[]], { profile: { executor: 'native', maxIterations: 1 } });
    await work.until('DeadLettered');
    await vi.waitFor(async () => {
      expect(await work.program.prompted(work.studio.branches)).toEqual([]);
    }, SOON);
  });
});
