/** Words for people: a goal from nothing to landed, as somebody does it at a terminal, with the script of docs/guide/scripts.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, scriptedStudio } from '../support/servers/scripted-studio.js';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun } from '../support/programs/weft-run.js';

it('a goal goes from nothing to landed after its changes were read', async () => {
  const { weft, repository } = await scriptedStudio();
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

  // Agents have looked at each part; a person is asked once, about the whole.
  const review = await weft(['review'], ['c', 'Keep it short.', 'y']);
  expect(review.out).toContain('+export const doors');
  expect(review.out).toContain('+export const roofs');
  expect(review.out).toContain('nothing was built or tested');
  expect(review.out).toMatch(/the work on this goal is told\nMP-\w+ has landed on main: 2 files$/);
  await expect.poll(async () => (await weft(['status'])).out).toContain('1 over: weft status --all');
  expect((await readFile(join(repository, 'doors.js'), 'utf8')).trim()).toBe('export const doors = 2;');
  expect(await git(repository, 'status', '--porcelain')).toBe('');
  expect((await weft(['goal', 'graph'])).out).toMatch(/unit +state +what +after\nwu-/);
  expect((await weft(['goal', 'graph', '--svg'])).out).toMatch(/^<svg [^]*<\/svg>\n?$/);
  expect((await weft(['cost'])).out).toMatch(
    /goal +tokens +dollars +questions +minutes +what\nwu-\S+ +[1-9]\d* +unknown /, // the script has no price
  );
  expect((await weft(['review'])).err).toContain('no proposal waits for you');
  const [goal = ''] = /wu-[0-9a-f]{8}/.exec(run.out) ?? [];
  const kept = await weft(['transcript', goal, '--parts']);
  expect(kept.out).toMatch(/^# wu-\w+: Merged\n/);
  expect(kept.out).toContain('export const doors = 2;');
  const programs = await weft(['transcript', goal, '--json']);
  expect(JSON.parse(programs.out)).toMatchObject({ leftOut: 0, work: [{ status: 'Merged' }] });
  expect((await weft(['follow', goal])).out).toMatch(/Merged +Build doors and roofs\n(.*\n)*goal wu-\w+ is Converged$/);
});

it('a person who wants to be asked about each part is, and then about the whole', async () => {
  const { weft, repository } = await scriptedStudio();
  const goal = ['Build doors and roofs', '--shape', 'planned', '--repo', repository, '--policy', 'HumanRequired'];
  expect(await weft(['run', ...goal, '--yes', '--detach'])).toMatchObject({ code: 0 });
  const landed: string[] = [];
  for (let round = 0; round < 3; round++) {
    await expect.poll(async () => (await weft(['status'])).out).toContain('weft review MP-');
    const { out } = await weft(['review'], ['y']);
    landed.push(/has landed on (\S+: \d files?)$/.exec(out)?.[1] ?? out);
  }
  expect(landed).toEqual([
    expect.stringMatching(/^merge\/\S+: 1 file$/),
    expect.stringMatching(/^merge\/\S+: 1 file$/),
    'main: 2 files',
  ]);
});

it('what was refused, stopped or asked for is gone on with by the words that status shows', async () => {
  const { weft, repository } = await scriptedStudio();
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

it('a goal begins with limits of its own, which status shows', async () => {
  const { weft, repository } = await scriptedStudio();
  const limits = ['--max-tokens', '2000000', '--max-time', '8h'];
  for (const [flag, value, says] of [
    ['--max-cost', '0', '--max-cost takes dollars'],
    ['--max-cost', '5e3', '--max-cost takes dollars'],
    ['--max-tokens', '1.5', '--max-tokens takes a whole number'],
    ['--max-time', '90', '--max-time takes a number with s, m, h or d'],
    ['--max-time', '90s', '--max-time takes whole minutes'],
  ] as const)
    expect(await weft(['run', 'Build doors', '--repo', repository, flag, value])).toMatchObject({
      code: 2,
      err: expect.stringContaining(says) as string,
    });
  const goal = ['Build doors and roofs', '--repo', repository, '--yes', '--detach'];
  const dear = await weft(['run', ...goal, '--max-cost', '2.50']);
  expect(dear).toMatchObject({ code: 1, err: expect.stringContaining('nobody knows what its model') as string });
  expect(await weft(['run', ...goal, ...limits])).toMatchObject({ code: 0 });
  const status = await weft(['status']);
  expect(status.out).toMatch(
    /^goal +state +tokens +at most +what\nwu-\w+ +\w+ +\d+ +2000000 tokens, 480 min +Build doors/,
  );
  expect(JSON.parse((await weft(['status', '--json'])).out)).toMatchObject({
    goals: [{ maxGoalTokens: 2_000_000, maxGoalDurationMinutes: 480 }],
  });
});

it('status says which folders could not be set up, and what to do about it', async () => {
  const setUp = [{ repository: 'project', lockfiles: ['a.txt'], script: 'echo no such registry >&2; exit 3' }];
  const { weft, repository } = await scriptedStudio([], { setUp });
  const begun = await weft(['run', 'Build doors', '--shape', 'single', '--repo', repository, '--yes', '--detach']);
  expect(begun.code).toBe(0);
  await expect.poll(async () => (await weft(['status'])).out).toContain('not set up');
  const { out } = await weft(['status']);
  expect(out).toMatch(
    /not set up\n {2}wu-[0-9a-f]{8} echo no such registry.*; exit 3 It .+\n {6}weft follow (wu-[0-9a-f]{8})\n/,
  );
  expect(out).toContain('"setUp" in the file of models');
  const { setUpFailures } = JSON.parse((await weft(['status', '--json'])).out) as { setUpFailures: object[] };
  expect(setUpFailures).toMatchObject([{ text: expect.stringContaining('no such registry') as string }]);
});

it('a screen is for a terminal alone', async () => {
  const { weft } = await scriptedStudio();
  expect(await weft(['top'])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('weft status') as string,
  });
});

it('what needs somebody is shown on the desktop once, as text and not as markup', async () => {
  const { weft, repository, env } = await scriptedStudio();
  const folder = await tempFolder();
  const shown = join(folder, 'shown');
  await writeFile(join(folder, 'notify-send'), `#!/bin/sh\nprintf '%s|' "$@" >> '${shown}'; echo >> '${shown}'\n`, {
    mode: 0o755,
  });
  await weft([
    'run',
    'Build doors and roofs',
    '--shape',
    'planned',
    '--repo',
    repository,
    '--yes',
    '--detach',
    '--json',
  ]);
  await expect.poll(async () => (await weft(['status'])).out).toContain('weft review MP-');
  const follow = new WeftRun(['follow', '--notify'], {
    env: { ...env, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
  });
  await expect
    .poll(() => readFile(shown, 'utf8').catch(() => ''))
    .toMatch(/^--app-name=Weft\|--\|Weft\|wants your review: .*\|\n/);
  await follow.line(/weft review/);
  await follow.stop();
  const lines = (await readFile(shown, 'utf8')).trim().split('\n');
  expect(new Set(lines).size).toBe(lines.length);
  const without = await weft(['follow', '--notify', '--json']);
  expect(without).toMatchObject({ code: 2, err: expect.stringContaining('give one of them') as string });
});

it('a key comes over standard input, and never back', async () => {
  const { weft, store } = await scriptedStudio();
  const set = await weft(['key', 'set', 'openai'], ['sk-secret']);
  expect([set.out, set.err]).toEqual([
    'the studio has the key openai until it stops',
    expect.not.stringContaining('sk-'),
  ]);
  expect((await weft(['key', 'list'])).out).toBe('key\nopenai');
  expect((await weft(['key', 'forget', 'openai'])).out).toContain('has forgotten');
  const misspelt = await weft(['key', 'set', 'opnai'], ['sk-secret']);
  expect(misspelt).toMatchObject({
    code: 0,
    out: 'the studio has the key opnai until it stops',
    err: expect.stringContaining(
      'opnai is no vendor; did you mean openai? weft key set openai, then weft key forget opnai',
    ) as string,
  });
  const own = await weft(['key', 'set', 'work-account', '--json'], ['sk-secret']);
  expect([JSON.parse(own.out), own.err]).toEqual([
    { credentialRef: 'work-account' },
    expect.not.stringContaining('did you mean'),
  ]);
  expect(set.err).not.toContain('did you mean');
  expect(await weft(['key', 'set', 'openai'])).toMatchObject({ code: 2 });
  expect(await weft(['key', 'set', 'openai', 'sk-secret'])).toMatchObject({ code: 2 });
  const shown = await weft(['token', 'show', '--scope', 'read']);
  const tokens = JSON.parse(await readFile(join(store, 'studio.tokens.json'), 'utf8')) as { read: string };
  expect(shown.out).toBe(tokens.read);
});
