/** What docs/guide/operating.md says to do is done, and the files of deploy/ are looked at by those who know them. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DockerfileParser } from 'dockerfile-ast';
import { expect, it } from 'vitest';
import { guide } from '../support/guide.js';
import { tempFolder } from '../support/temp-folder.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

/** Sections that are done on machines of their own: `systemd.system.test.ts`, `image.system.test.ts`. */
const ELSEWHERE = ['As a service', 'In a container'];

/** Output of a program, whether it fails or not. */
function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, timeout: 180_000 }, (error, out, err) => {
      if (error) reject(new Error(`${error.message}\n${out}${err}`));
      else resolve(out + err);
    });
  });
}

/** A folder in which `weft` is a program. */
async function programs(folder: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const weft = join(bin, 'weft');
  await writeFile(weft, `#!/bin/sh\nexec ${process.execPath} ${join(root, 'cli/bin/weft.js')} "$@"\n`);
  await chmod(weft, 0o755);
  return bin;
}

it('docs/guide/operating.md goes from nothing to a server with TLS, metrics, tokens, backup and restore', async () => {
  const home = await tempFolder();
  const sections = await guide();
  const all = sections.flatMap(({ blocks }) => blocks);
  expect(all).toHaveLength((await read('docs/guide/operating.md')).split('```sh').length - 1);
  // What the text names is done by one of the blocks.
  for (const [, named = ''] of (await read('docs/guide/operating.md')).matchAll(/`(weft [^`]+)`/g))
    expect(all.join('\n')).toContain(named.split(' --')[0]);
  const blocks = sections.filter(({ title }) => !ELSEWHERE.includes(title)).flatMap((section) => section.blocks);
  const ending = 'trap \'kill "${SERVER:-0}" 2> /dev/null || true\' EXIT';
  const script = ['set -eu', ending, `export HOME=${home} TMPDIR=${home}`, ...blocks, 'echo "ended in $PWD"'].join(
    '\n',
  );
  const said = await run('bash', ['-c', script], root);
  const [, folder = ''] = /^ended in (.*)$/m.exec(said) ?? [];
  expect(JSON.parse(await readFile(join(folder, 'token.json'), 'utf8'))).toMatchObject({
    caps: ['policy.admin', 'room.admin'],
  });
}, 200_000);

it('systemd accepts the unit, and finds little that it lets the server do', async () => {
  const folder = await tempFolder();
  const unit = join(folder, 'weft.service');
  const program = join(await programs(folder), 'weft');
  await writeFile(unit, (await read('deploy/weft.service')).replaceAll('/usr/local/bin/weft', program));
  expect(await run('systemd-analyze', ['verify', unit], folder)).toBe('');
  const exposure = await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit], folder);
  expect(exposure).toContain('Overall exposure level');
});

it('the image is of pinned bases, for a user without rights, and says whether it is well', async () => {
  const file = DockerfileParser.parse(await read('deploy/Dockerfile'));
  const words = file.getInstructions().map((one) => [one.getKeyword(), one.getArgumentsContent() ?? ''] as const);
  const of = (keyword: string): string[] => words.filter(([name]) => name === keyword).map(([, rest]) => rest);
  for (const base of of('FROM')) expect(base).toMatch(/^node:\d+\.\d+\.\d+-/);
  expect(of('FROM')).toHaveLength(2);
  expect(of('USER')).toEqual(['node']);
  expect(of('HEALTHCHECK')).toHaveLength(1);
  for (const exec of [...of('CMD'), ...of('ENTRYPOINT')]) expect(JSON.parse(exec)).toBeInstanceOf(Array);
  for (const copied of of('COPY').filter((rest) => rest.startsWith('--from'))) {
    const [, path = ''] = /^--from=build \/weft\/(\S+)/.exec(copied) ?? [];
    expect(
      ['node_modules', ...(await run('git', ['ls-files'], root)).split('\n'), ...DISTS].some((known) =>
        known.startsWith(path),
      ),
      path,
    ).toBe(true);
  }
});

const DISTS = ['core/dist', 'server/dist', 'studio/dist', 'cli/dist'];
