import { expect, it } from 'vitest';
import { BIN, WeftProcess } from '../support/programs/weft-process.js';
import { tempFolder } from '../support/temp-folder.js';

it('a studio whose data folder is named from where it was started confines programs all the same', async () => {
  const cwd = await tempFolder();
  const args = ['studio', '--store', './data', '--listen', '127.0.0.1:0'];
  const studio = new WeftProcess(args, { cwd, env: { WEFT_UNCONFINED: undefined } });
  await studio.line(/programs of agents are confined by bubblewrap/, studio.err);
  expect(studio.err.join('\n')).not.toMatch(/unconfined/);
  await studio.kill('SIGTERM');
});

it('a studio that may have few files open confines programs all the same', async () => {
  const cwd = await tempFolder();
  const args = ['studio', '--store', './data', '--listen', '127.0.0.1:0'];
  const command = ['/bin/sh', '-c', 'ulimit -n 1024; exec "$0" "$@"', process.execPath, BIN] as const;
  const studio = new WeftProcess(args, { cwd, command, env: { WEFT_UNCONFINED: undefined } });
  await studio.line(/programs of agents are/, studio.err);
  expect(studio.err.join('\n')).toMatch(/are confined by bubblewrap/);
  await studio.kill('SIGTERM');
});
