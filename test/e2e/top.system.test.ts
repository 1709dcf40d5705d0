/** `weft top` in a real terminal, before a studio at work. What makes the terminal is `script` of util-linux. */
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PseudoTerminal } from '../support/programs/pseudo-terminal.js';
import { git, scriptedStudio } from '../support/servers/scripted-studio.js';

/** A person is asked about each part, and then about the whole. */
const GOAL = ['--shape', 'planned', '--policy', 'HumanRequired', '--yes', '--detach', '--json'];
const seen = (terminal: PseudoTerminal) => expect.poll(() => terminal.text, { timeout: 60_000 });

it('a goal is brought to its end by keys, with a bell for each thing that is wanted', async () => {
  const { weft, repository, env } = await scriptedStudio();
  const terminal = new PseudoTerminal(['top'], env);
  await seen(terminal).toContain('Nothing is under way');
  await weft(['run', 'Build doors and roofs', '--repo', repository, ...GOAL]);
  await seen(terminal).toMatch(/\n..\w+ +Build doors and roofs/);
  for (let round = 0; round < 3; round++) {
    await seen(terminal).toMatch(/NEEDS YOU \(\d\)\n..review/);
    terminal.type('\u001b[H');
    await seen(terminal).toMatch(/\n> review/);
    terminal.type('a');
    await seen(terminal).toMatch(/Land MP-\w+, ".*"\? \[y\/N\]/);
    terminal.type('y');
    await seen(terminal).toMatch(/MP-\w+ has landed/);
    await seen(terminal).not.toContain('Land MP-');
  }
  await seen(terminal).toContain('Nothing is under way');
  expect((await readFile(join(repository, 'doors.js'), 'utf8')).trim()).toBe('export const doors = 2;');
  expect(await git(repository, 'status', '--porcelain')).toBe('');
  expect(terminal.written).toContain('\u0007');
  terminal.type('q');
  expect(await terminal.ended).toBe(0);
  expect(terminal.screen).toBeUndefined();
});

it('a unit is attached to: its transcript, and a shell in its folder that leads back', async () => {
  const { weft, repository, env } = await scriptedStudio();
  await weft(['run', 'Build doors and roofs', '--repo', repository, ...GOAL]);
  const terminal = new PseudoTerminal(['top', '--silent'], env);
  // What is chosen stays chosen when something comes to stand above it.
  await seen(terminal).toMatch(/NEEDS YOU \(\d\)\n..review/);
  terminal.type('\u001b[H');
  await seen(terminal).toMatch(/> review/);
  terminal.type('\r');
  await seen(terminal).toMatch(/Execute {2}\d\d:\d\d:\d\d/);
  await seen(terminal).toContain('-> workspace_write');
  terminal.type('s');
  await expect.poll(() => terminal.written, { timeout: 60_000 }).toMatch(/a shell of yours in (\S+);/);
  expect(terminal.screen).toBeUndefined();
  const [, folder = ''] = /a shell of yours in (\S+);/.exec(terminal.written) ?? [];
  // The repository in it is the agent's, whose configuration could start programs: git of the person does not find it.
  terminal.type('echo "in:$(pwd -P)"; git -C / config core.fsmonitor; git status; exit\n');
  const said = `in:${await realpath(folder)}\r\nfalse\r\nfatal: not a git repository: /weft-git`;
  await expect.poll(() => terminal.written).toContain(said);
  await seen(terminal).toContain('-> workspace_write');
  terminal.type('\u001b');
  await seen(terminal).toContain('NEEDS YOU');
  expect(terminal.written).not.toContain('\u0007');
  terminal.type('\u0003');
  expect(await terminal.ended).toBe(0);
});

it('a terminal is as it was after a SIGTERM, in its modes too', async () => {
  const { env } = await scriptedStudio();
  const terminal = new PseudoTerminal(['top'], env);
  await seen(terminal).toContain('Nothing is under way');
  process.kill(terminal.pid, 'SIGTERM');
  await terminal.ended;
  expect(terminal.screen).toBeUndefined();
  const [, modes = ''] = terminal.written.split('\u001b[?1049l');
  expect(modes).toMatch(/(?<!-)icanon/);
  expect(modes).toMatch(/ echo /);
  expect(terminal.written.endsWith('\u001b[?1049l') || modes.includes('speed')).toBe(true);
});

it('it ends when its terminal goes', async () => {
  const { env } = await scriptedStudio();
  const terminal = new PseudoTerminal(['top'], env);
  await seen(terminal).toContain('Nothing is under way');
  const { pid } = terminal;
  terminal.hangUp();
  await expect.poll(() => isThere(pid), { timeout: 60_000 }).toBe(false);
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('what others have written is no escape code, and there is no colour for who wants none', async () => {
  const { weft, repository, env } = await scriptedStudio();
  const terminal = new PseudoTerminal(['top'], { ...env, NO_COLOR: '1' });
  await seen(terminal).toContain('live');
  await weft(['run', 'Build \u001b]0;mine\u0007\u001b[2J\u202edoors', '--repo', repository, ...GOAL]);
  await seen(terminal).toContain('Build \ufffd]0;mine\ufffd\ufffd[2J\ufffddoors');
  expect(terminal.written).not.toMatch(/\u001b\[[1-9]\d*m/);
  terminal.type('q');
  expect(await terminal.ended).toBe(0);
});

it('a studio that goes away and comes back is taken up where it was', async () => {
  const { weft, repository, env, studio, start } = await scriptedStudio();
  const terminal = new PseudoTerminal(['top'], env);
  await seen(terminal).toMatch(/· live/);
  await studio.stop();
  await seen(terminal).toContain('not connected');
  await start(studio.origin);
  await seen(terminal).toMatch(/· live/);
  await weft(['run', 'Build doors and roofs', '--repo', repository, ...GOAL]);
  await seen(terminal).toContain('Build doors and roofs');
  terminal.type('q');
  expect(await terminal.ended).toBe(0);
});
