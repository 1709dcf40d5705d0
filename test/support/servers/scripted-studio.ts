/** A running studio with the script of docs/guide/scripts.md for a model, a repository, and the commands of its only user. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf } from '../../docs/page-code.js';
import { tempFolder } from '../temp-folder.js';
import { type RunSurroundings, WeftRun } from '../programs/weft-run.js';

export const git = async (folder: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)('git', ['-C', folder, ...args])).stdout;

/** `more` are further flags of the studio, `settings` what its file of models has beside the model. */
export async function scriptedStudio(more: readonly string[] = [], settings: object = {}) {
  const folder = await tempFolder();
  const [script = ''] = blocksOf('docs/guide/scripts.md', 'jsonl');
  await writeFile(join(folder, 's.jsonl'), script);
  await writeFile(
    join(folder, 'm.json'),
    JSON.stringify({ model: { provider: 'scripted' }, script: 's.jsonl', ...settings }),
  );
  const repository = join(folder, 'project');
  await git('.', 'init', '--quiet', '--initial-branch=main', repository);
  await writeFile(join(repository, 'a.txt'), '1\n');
  await git(repository, 'add', '.');
  await git(repository, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=first');
  const env = { XDG_STATE_HOME: join(folder, 'state'), WEFT_MODELS: join(folder, 'm.json') };
  const store = join(folder, 'data');
  const start = async (listen = '127.0.0.1:0') => {
    const studio = new WeftRun(['studio', '--listen', listen, '--store', store, ...more], { env });
    const [origin] = await studio.line(/^http:\S+$/);
    return { origin: new URL(origin).host, stop: () => studio.stop() };
  };
  // Nobody names the studio: it is the only one of this user that runs.
  const weft = async (args: string[], answers?: readonly string[]) => {
    const surroundings: RunSurroundings = { env, ...(answers ? { answers } : {}) };
    const command = new WeftRun(args, surroundings);
    return { code: await command.ended, out: command.out.join('\n'), err: command.err.join('\n') };
  };
  return { weft, repository, store, env, start, studio: await start() };
}
