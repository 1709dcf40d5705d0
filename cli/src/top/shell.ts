/** A shell in the folder of a work unit, in place of the screen until it ends. It is the person's own, and nothing confines it. */
import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { StudioClient } from '../studio/studio-client.js';
import type { Terminal } from '../syntax/define.js';
import type { UnitShown } from './board.js';
import type { Screen } from './screen.js';

export interface ShellParts {
  readonly client: StudioClient;
  readonly terminal: Terminal;
  readonly origin: string;
  readonly unit: UnitShown;
  readonly screen: Screen;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** What an agent has written into its folder starts no program when a prompt asks git how things stand. */
const HARMLESS_GIT = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'core.fsmonitor',
  GIT_CONFIG_VALUE_0: 'false',
  GIT_CONFIG_KEY_1: 'core.hooksPath',
  GIT_CONFIG_VALUE_1: '/dev/null',
};

/** Answers what there is to say about it afterwards. */
export async function openShell({ client, terminal, origin, unit, screen }: ShellParts): Promise<string> {
  if (!LOOPBACK.test(new URL(origin).hostname)) return 'the folder is on the machine of the studio: open a shell there';
  const { branchId } = unit;
  const { workingDirectory: folder } = await client.call<{ workingDirectory: string | null }>('workspace.path', {
    branchId,
  });
  if (folder === null) return 'it has no folder yet: it gets one with its first step';
  const isHere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isHere) return `there is no ${folder} on this machine`;
  screen.giveBack();
  try {
    return await run(folder, terminal);
  } finally {
    if (!terminal.stop.aborted) screen.take();
  }
}

function run(folder: string, { environment, out, stop }: Terminal): Promise<string> {
  const program = environment['SHELL'] || '/bin/sh';
  out(`weft: a shell of yours in ${folder}; exit leads back`);
  return new Promise((resolve) => {
    const env = { ...environment, ...HARMLESS_GIT };
    const child = spawn(program, [], { cwd: folder, env, stdio: 'inherit' });
    const end = (): void => void child.kill('SIGHUP');
    const settle = (said: string): void => {
      stop.removeEventListener('abort', end);
      resolve(said);
    };
    stop.addEventListener('abort', end, { once: true });
    child.once('error', ({ message }) => settle(`${program} cannot be started: ${message}`));
    child.once('close', () => settle(''));
  });
}
