/**
 * The first ten minutes of a newcomer: this tree without anything installed or built, on a machine with nothing but Node, npm and
 * git, and the README, whose lines are typed as they stand. How long it took is said and judged nowhere: machines differ.
 * What the terminals showed is the picture of the README: `npm run docs:recording` keeps it.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { checkout } from '../architecture/source-tree.js';
import { blocksOf, commandsIn, freePort } from '../docs/page-code.js';
import { browser } from '../support/browsers/browser.js';
import { playDemonstration } from '../support/browsers/play-demonstration.js';
import { tempFolder } from '../support/temp-folder.js';
import { type ShownLine, TypedTerminal } from '../support/programs/typed-terminal.js';

const run = promisify(execFile);
const RECORDING = join(checkout, 'docs/recording/first-goal.cast');
const isKept = process.env['KEEP_RECORDING'] !== undefined;

const [walk = '', install = ''] = blocksOf('README.md', 'sh');
const [client = ''] = blocksOf('README.md', 'ts');
const readme = await readFile(join(checkout, 'README.md'), 'utf8');

const stops: (() => unknown)[] = [];
let home: string;
let weft: string;
let project: string;

beforeAll(async () => {
  home = await tempFolder((stop) => void stops.push(stop as () => unknown));
  weft = await clone();
  project = join(home, 'my-project');
  await mkdir(project);
  await writeFile(join(project, 'readme.md'), '# My project\n');
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=first');
  return async () => {
    for (const stop of stops.toReversed()) await stop();
  };
});

/** What git would give somebody who clones this tree as it stands. */
async function clone(): Promise<string> {
  const folder = join(home, 'weft');
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

const git = async (...args: string[]): Promise<string> => (await run('git', ['-C', project, ...args])).stdout;

/** The usual ports may be taken on this machine. Spinners of npm are no lines. */
async function surroundings(): Promise<Readonly<Record<string, string>>> {
  const [rooms, studio] = [await freePort(), await freePort()];
  return {
    WEFT_LISTEN: `127.0.0.1:${rooms}`,
    WEFT_STUDIO_LISTEN: `127.0.0.1:${studio}`,
    npm_config_progress: 'false',
    npm_config_update_notifier: 'false',
  };
}

/** Says how long something took, for whoever reads the log of the suite. */
function report(what: string, begun: number): void {
  console.info(`${what}: ${((performance.now() - begun) / 1000).toFixed(0)} s`);
}

it('goes from nothing to a goal that has landed after its diff was read, by the lines of the README', async () => {
  const [start = '', link = '', goal = '', review = '', ...others] = commandsIn(walk);
  const commands = ['git clone', ...commandsIn(walk).flatMap((line) => line.split(' && '))];
  expect([commands.length <= 6, others]).toEqual([true, []]);

  const begun = performance.now();
  const env = await surroundings();
  const first = new TypedTerminal({ folder: weft, home, env });
  await first.command(start);
  await first.shows(/open +http:\/\/127\.0\.0\.1:\d+\/#code=\S+/);
  await first.shows(/weft run "<what is to be achieved>"/);

  // What is linked must not be seen by the whole machine.
  const programs = join(home, 'programs');
  const second = new TypedTerminal({ folder: weft, home, env: { ...env, npm_config_prefix: programs } });
  await second.command(link);
  await second.command(`PATH=${join(programs, 'bin')}:$PATH`);
  await second.command(goal);
  await second.shows(/my-project is not registered yet.*Register it\? \[y\/N\]/);
  second.answer('y');
  await second.shows(/goal wu-[0-9a-f]{8} has begun/);
  await second.shows(/weft review MP-[0-9a-f]{8}/);
  await second.command(review);
  await second.shows(/\+# Show results with two decimals/);
  await second.shows(/Land it\?/);
  expect(await git('log', '--format=%s', 'main')).toBe('first\n');
  second.answer('y');
  await second.shows(/MP-[0-9a-f]{8} has landed on main: 1 file/);
  await second.prompt();
  report('from nothing to a goal that has landed', begun);

  expect(await git('diff', '--stat', 'main~1', 'main')).toContain('first-goal.md');
  expect(await readFile(join(project, 'first-goal.md'), 'utf8')).toMatch(/^# Show results with two decimals\n/);
  expect(await git('status', '--porcelain')).toBe('');
  await first.interrupt();
  if (isKept) await keep([...first.lines, ...second.lines]);
}, 600_000);

/** The terminals as one asciicast. Lines of the log, of npm, of the build and of this test are left out, the newcomer's home has a name. */
async function keep(lines: readonly ShownLine[]): Promise<void> {
  const shown = lines
    .filter(
      ({ text }) => text.trim() !== '' && !/^(\{|\d{4}-|> |Built |\^C|\$ PATH=|added \d|(index|---|diff) )/.test(text),
    )
    .toSorted((a, b) => a.at - b.at);
  const [{ at: start = 0 } = {}] = shown;
  const events = shown.map(({ at, text }) => {
    const seconds = Number(((at - start) / 1000).toFixed(3));
    return [seconds, 'o', `${text.replaceAll(home, '~')}\r\n`] as const;
  });
  const width = Math.max(...events.map(([, , text]) => text.length));
  const title = 'weft: from a clone to a goal that has landed';
  const cast = [{ version: 2, width, height: events.length, title }, ...events];
  await writeFile(RECORDING, cast.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

it('goes on by the page alone', async () => {
  const env = await surroundings();
  const first = new TypedTerminal({ folder: weft, home, env });
  await first.command(commandsIn(walk)[0] ?? '');
  const [, link = ''] = await first.shows(/open +(http:\/\/127\.0\.0\.1:\d+\/#code=\S+)/);
  await git('rm', '--quiet', 'first-goal.md');
  await git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=anew');
  const second = new TypedTerminal({ folder: project, home, env });
  await second.command('../weft/cli/bin/weft.js run "Say hello in French"');
  await second.shows(/weft review MP-[0-9a-f]{8}/);

  const page = await (await browser()).newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(link);
  await page.getByRole('link', { name: 'Look at the changes' }).first().click();
  await page.locator('.code.added', { hasText: 'Say hello in French' }).first().waitFor();
  await page.getByRole('button', { name: 'Approve and land' }).click();
  await page.getByText('Nothing waits for you.').waitFor();
  await expect.poll(() => git('log', '--name-only', '--format=', 'main')).toMatch(/^first-goal.md\n/);
  expect(await readFile(join(project, 'first-goal.md'), 'utf8')).toMatch(/^# Say hello in French\n/);
  expect(faults).toEqual([]);
}, 600_000);

it('plays the demonstration by the page alone, with no model and no key', async () => {
  const env = await surroundings();
  const first = new TypedTerminal({ folder: weft, home, env });
  // A studio in which nothing was begun, as after a clone; what the tests above have begun is in the usual folder.
  await first.command(`npm start -- --store ${join(home, 'nothing-yet')}`);
  const [, link = ''] = await first.shows(/open +(http:\/\/127\.0\.0\.1:\d+\/#code=\S+)/);
  const page = await (await browser()).newPage({ viewport: { width: 1280, height: 900 } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(link);
  await playDemonstration(page, faults);
  expect(faults).toEqual([]);
  await first.interrupt();
}, 600_000);

it('has two programs share a room, by the lines of the README', async () => {
  const begun = performance.now();
  const env = await surroundings();
  const folder = join(home, 'rooms');
  await mkdir(folder);
  const first = new TypedTerminal({ folder, home, env });
  for (const line of commandsIn(install)) await first.command(line);
  const [, serve = ''] = /The server is `(npx weft serve [^`]*)`/.exec(readme) ?? [];
  await first.command(serve);
  const [, address = ''] = await first.shows(/ws:\/\/([^/]+)\/ws\/<room>/);
  const [, name = ''] = /by `node (\w+\.mjs)`/.exec(readme) ?? [];
  await writeFile(join(folder, name), client.replace('127.0.0.1:7878', address));

  const [one, other] = [new TypedTerminal({ folder, home }), new TypedTerminal({ folder, home })];
  await one.command(`node ${name}`);
  await one.shows(new RegExp(`${name}\n`));
  await other.command(`node ${name}`);
  // Whoever came first is told what the other writes; both may have come at once.
  await Promise.race([one.shows(/^Road map$/m), other.shows(/^Road map$/m)]);
  report('a room that two programs share', begun);
}, 600_000);
