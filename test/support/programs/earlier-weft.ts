/**
 * An earlier version of Weft as its users have it: a commit of this repository, built, packed by npm as it is published, and
 * unpacked beside the packages of others that this checkout has.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
/** What `weft serve` is made of, in the order in which it is built: name and folder. */
const PACKAGES = [
  ['core', 'core'],
  ['studio-client', 'client/studio'],
  ['server', 'server'],
  ['cli', 'cli'],
] as const;

export class EarlierWeft {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async at(wanted: string): Promise<EarlierWeft> {
    const commit = await present(wanted);
    const folder = await mkdtemp(join(tmpdir(), 'weft-earlier-'));
    const [source, modules] = [join(folder, 'source'), join(folder, 'node_modules')];
    await mkdir(source);
    await run('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, source], { cwd: root });
    await linkOthers(modules);
    for (const [name, at] of PACKAGES) {
      const home = join(source, at);
      // Built like a workspace: what is built finds the packages of others above it, and ours as they are unpacked there.
      await run(join(root, 'node_modules/.bin/tsup'), ['--silent', '--no-clean', '--out-dir', 'dist'], { cwd: home });
      const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: home });
      const place = join(modules, '@weft', name);
      await mkdir(place, { recursive: true });
      await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', place, '--strip-components=1']);
    }
    return new EarlierWeft(folder);
  }

  /** Command that runs it. */
  get command(): readonly [string, string] {
    return [process.execPath, join(this.#folder, 'node_modules/@weft/cli/bin/weft.js')];
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The commit; in a clone without it, the newest that is there, so that replacing is tried, if not with an earlier version. */
async function present(commit: string): Promise<string> {
  return run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).then(
    () => commit,
    () => {
      process.stderr.write(`commit ${commit} is not in this clone (git fetch --unshallow): HEAD stands in for it\n`);
      return 'HEAD';
    },
  );
}

async function linkOthers(modules: string): Promise<void> {
  await mkdir(join(modules, '@weft'), { recursive: true });
  const ours = join(root, 'node_modules');
  for (const name of await readdir(ours)) if (name !== '@weft') await symlink(join(ours, name), join(modules, name));
}
