/**
 * The first minutes of a newcomer: this tree without anything installed or built, on a machine with nothing but Node, npm and git,
 * and the README. `npm start`, a goal on a project of his own, the page, and what agents did is in the project.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { checkout } from '../architecture/source-tree.js';
import { browser } from '../support/browser.js';
import { tempFolder } from '../support/temp-folder.js';
import { WrittenLines } from '../support/written-lines.js';

const run = promisify(execFile);
const GOAL = 'Say hello in French';
const SCRIPT = [
  { script: 1 },
  {
    when: { role: 'worker' },
    calls: [{ name: 'svc_v1_workspace_write', input: { path: 'french.txt', content: 'Bonjour\n' } }],
  },
  {
    calls: [
      {
        name: 'svc_v1_merge_propose',
        input: { sourceBranch: 'mine', targetBranch: 'main', summary: 'It says bonjour' },
      },
    ],
  },
  {
    when: { role: 'reviewer' },
    calls: [{ name: 'svc_v1_merge_review', input: { decision: 'Approved', verificationResults: 'I have read it.' } }],
    repeat: true,
  },
];

/** A command as on a bare machine, with all that it starts: npm passes no signal on. */
class BareCommand extends WrittenLines {
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(cwd: string, home: string, line: string) {
    super();
    this.#child = spawn(join(checkout, '.ci/bare'), ['sh', '-c', `HOME=${home} && export HOME && ${line}`], {
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '' },
    });
    for (const [stream, lines] of [
      [this.#child.stdout, this.out],
      [this.#child.stderr, this.err],
    ] as const) {
      if (stream) createInterface({ input: stream }).on('line', (text) => this.take(lines, text));
    }
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code) => {
        resolve(code);
        this.wake();
      });
    });
    onTestFinished(async () => {
      if (!this.hasEnded) process.kill(-this.#child.pid!, 'SIGKILL');
      await this.ended;
    });
  }

  override get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}

/** What git would give somebody who clones this tree as it stands. */
async function clone(): Promise<string> {
  const folder = join(await tempFolder(), 'weft');
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: checkout,
    maxBuffer: 1 << 24,
  });
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(checkout, file), join(folder, file), { dereference: false });
  }
  return folder;
}

it('goes from a clone to a goal that has landed, by the README and the page alone', async () => {
  const weft = await clone();
  const home = dirname(weft);
  const project = join(home, 'my-project');
  await mkdir(project);
  await writeFile(join(project, 'readme.md'), 'hello\n');
  const git = async (...args: string[]): Promise<string> => (await run('git', ['-C', project, ...args])).stdout;
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=first');
  await writeFile(join(home, 'script.jsonl'), SCRIPT.map((line) => JSON.stringify(line)).join('\n'));
  await writeFile(join(home, 'models.json'), '{ "model": { "provider": "scripted" }, "script": "script.jsonl" }');

  const ports = '--listen 127.0.0.1:0 --studio-listen 127.0.0.1:0';
  const started = new BareCommand(weft, home, `npm start -- --models ../models.json ${ports}`);
  const [link = ''] = await started.line(/http:\/\/127\.0\.0\.1:\d+\/#code=\S+/);

  const told = new BareCommand(project, home, `node ../weft/cli/bin/weft.js run "${GOAL}" --yes`);
  expect(await told.line(/weft review MP-[0-9a-f]{8}/)).toBeTruthy();

  const page = await (await browser()).newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(link);
  await page.getByRole('link', { name: 'Look at the changes' }).first().click();
  await page.locator('.code.added', { hasText: 'Bonjour' }).first().waitFor();
  await page.getByRole('button', { name: 'Approve and land' }).click();
  await page.getByText('Nothing waits for you.').waitFor();
  await expect.poll(() => git('log', '--name-only', '--format=', 'main')).toContain('french.txt');
  expect(await readFile(join(project, 'french.txt'), 'utf8')).toBe('Bonjour\n');
  expect(faults).toEqual([]);
}, 600_000);
