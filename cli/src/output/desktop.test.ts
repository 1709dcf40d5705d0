import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { desktopNotices } from './desktop.js';

const PROGRAM = process.platform === 'darwin' ? 'osascript' : 'notify-send';

async function desktop(script: string) {
  const folder = await mkdtemp(join(tmpdir(), 'desktop-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const shown = join(folder, 'shown');
  await writeFile(join(folder, PROGRAM), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, PROGRAM), 0o755);
  const said: string[] = [];
  const environment = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, SHOWN: shown };
  return { said, shown, notify: desktopNotices({ environment, err: (line) => said.push(line) }) };
}

it('a text of somebody else is one argument, without controls, and bounded', async () => {
  const { notify, shown } = await desktop('for last; do :; done; printf %s "$last" > "$SHOWN"');
  await notify(`--urgency=critical\u001b[2J\n"$(touch x)" ${'y'.repeat(1000)}`);
  const text = await readFile(shown, 'utf8');
  expect(text.startsWith('--urgency=critical\ufffd[2J "$(touch x)" yyy')).toBe(true);
  expect(text.length).toBeLessThanOrEqual(400);
});

it('a program that fails is told of, and one that is missing is refused', async () => {
  const { notify, said } = await desktop('exit 3');
  await notify('x');
  expect(said).toEqual([`weft: ${PROGRAM} could not show a notice: it ended with 3`]);
  const nowhere = desktopNotices({ environment: { PATH: '/nowhere' }, err: () => undefined });
  await expect(nowhere('x')).rejects.toThrow('leave --notify out');
});
