/** Words for people: a goal from nothing to landed, as somebody does it at a terminal, with the script of docs/guide/scripts.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { blocksOf } from '../docs/page-code.js';
import { tempFolder } from '../support/temp-folder.js';
import { type RunSurroundings, WeftRun } from '../support/weft-run.js';

const git = async (folder: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)('git', ['-C', folder, ...args])).stdout;

async function begun() {
  const folder = await tempFolder();
  const [script = ''] = blocksOf('docs/guide/scripts.md', 'jsonl');
  await writeFile(join(folder, 's.jsonl'), script);
  await writeFile(join(folder, 'm.json'), '{ "model": { "provider": "scripted" }, "script": "s.jsonl" }');
  const repository = join(folder, 'project');
  await git('.', 'init', '--quiet', '--initial-branch=main', repository);
  await writeFile(join(repository, 'a.txt'), '1\n');
  await git(repository, 'add', '.');
  await git(repository, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=first');
  const env = { XDG_STATE_HOME: join(folder, 'state'), WEFT_MODELS: join(folder, 'm.json') };
  const store = join(folder, 'data');
  const studio = new WeftRun(['studio', '--listen', '127.0.0.1:0', '--store', store], { env });
  await studio.line(/^http:\S+$/);
  // Nobody names the studio: it is the only one of this user that runs.
  const weft = async (args: string[], answers?: readonly string[]) => {
    const surroundings: RunSurroundings = { env, ...(answers ? { answers } : {}) };
    const command = new WeftRun(args, surroundings);
    return { code: await command.ended, out: command.out.join('\n'), err: command.err.join('\n') };
  };
  return { weft, repository, store };
}

it('a goal goes from nothing to landed after its changes were read', async () => {
  const { weft, repository } = await begun();
  expect((await weft(['status'])).out).toContain('weft run "<goal>" sets one');
  const unasked = await weft(['run', 'Build doors and roofs', '--repo', repository]);
  expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('give --yes to register it')]);
  expect(await weft(['run', 'Build doors', '--repo', repository], ['n'])).toMatchObject({ code: 2 });

  const run = await weft(['run', 'Build doors and roofs', '--shape', 'planned', '--repo', repository], ['y']);
  expect(run).toMatchObject({ code: 0 });
  expect(run.err).toContain('it is a git repository, and stays as it is. Register it?');
  expect(run.out).toMatch(/goal wu-[0-9a-f]{8} has begun in .*project\n/);
  expect(run.out).toMatch(/for you +wants your review: .*\n +weft review MP-[0-9a-f]{8}/);

  const status = await weft(['status']);
  expect(status.out).toMatch(/^goal +state +tokens +what\nwu-[0-9a-f]{8} +\w+ +\d+ +Build doors and roofs\n/);
  expect(status.out).toMatch(/wants your review: .*\n {6}weft review (MP-\w+)\n {6}weft approve \1\n/);
  expect(status.out).toContain('There are two approvals');

  // Each part, and then the whole: rejected once with a reason, and looked at again.
  for (let round = 0; round < 3; round++) {
    await expect.poll(async () => (await weft(['status'])).out).toContain('weft review MP-');
    const review = await weft(['review'], ['c', 'Keep it short.', 'y']);
    expect(review.out).toContain('+export const');
    expect(review.out).toContain('nothing was built or tested');
    expect(review.out).toMatch(/the work on this goal is told\nMP-\w+ has landed on \S+: [12] files?$/);
  }
  await expect.poll(async () => (await weft(['status'])).out).toContain('1 over: weft status --all');
  expect((await readFile(join(repository, 'doors.js'), 'utf8')).trim()).toBe('export const doors = 2;');
  expect(await git(repository, 'status', '--porcelain')).toBe('');
  expect((await weft(['goal', 'graph'])).out).toMatch(/unit +state +what +after\nwu-/);
  expect((await weft(['goal', 'graph', '--svg'])).out).toMatch(/^<svg [^]*<\/svg>\n?$/);
  expect((await weft(['cost'])).out).toMatch(/goal +tokens +dollars +questions +minutes +what\nwu-/);
  expect((await weft(['review'])).err).toContain('no proposal waits for you');
  const [goal = ''] = /wu-[0-9a-f]{8}/.exec(run.out) ?? [];
  expect((await weft(['follow', goal])).out).toMatch(/Merged +Build doors and roofs\n(.*\n)*goal wu-\w+ is Converged$/);
});

it('what was refused, stopped or asked for is gone on with by the words that status shows', async () => {
  const { weft, repository } = await begun();
  const goal = ['Build doors and roofs', '--shape', 'planned', '--repo', repository];
  const began = await weft(['run', ...goal, '--yes', '--detach', '--json']);
  const { goalId } = JSON.parse(began.out) as { goalId: string };
  await expect.poll(async () => (await weft(['status'])).out).toContain('weft review MP-');
  const json = JSON.parse((await weft(['status', '--json'])).out) as { waiting: { id: string; kind: string }[] };
  const [first] = json.waiting;
  expect(first).toMatchObject({ kind: 'review' });
  const rejected = await weft(['review', first!.id.slice(0, 12), '--reject', 'not so']);
  expect(rejected.out).toContain('is rejected, and the work is done again with your reason');
  const stopped = await weft(['stop', goalId.slice(0, 11)]);
  expect(stopped.out).toMatch(/goal wu-\w+ is stopped, with \d pieces? of work; weft retry wu-/);
  expect((await weft(['status'])).out).toContain('no goal is under way');
  expect((await weft(['retry', goalId])).out).toContain('goes on; weft follow');
  expect((await weft(['status'])).out).toContain('Build doors and roofs');
  expect(await weft(['stop', goalId])).toMatchObject({ code: 0 });
});

it('a key comes over standard input, and never back', async () => {
  const { weft, store } = await begun();
  const set = await weft(['key', 'set', 'openai'], ['sk-secret']);
  expect([set.out, set.err]).toEqual([
    'the studio has the key openai until it stops',
    expect.not.stringContaining('sk-'),
  ]);
  expect((await weft(['key', 'list'])).out).toBe('key\nopenai');
  expect((await weft(['key', 'forget', 'openai'])).out).toContain('has forgotten');
  expect(await weft(['key', 'set', 'openai'])).toMatchObject({ code: 2 });
  expect(await weft(['key', 'set', 'openai', 'sk-secret'])).toMatchObject({ code: 2 });
  const shown = await weft(['token', 'show', '--scope', 'read']);
  const tokens = JSON.parse(await readFile(join(store, 'studio.tokens.json'), 'utf8')) as { read: string };
  expect(shown.out).toBe(tokens.read);
});
