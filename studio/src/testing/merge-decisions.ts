import { chmod, lstat, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { ObjectStore } from '../workspace/object-store.js';
import { git, gitRepository, writeFiles } from './git-repository.js';
import { tempFolder } from './temp-folder.js';

/** Merges generated branches in the store and in a folder, and expects the same of both: the tree, or the files in conflict. */
export async function decideAsGit(store: ObjectStore, runs: number): Promise<void> {
  const folder = await tempFolder();
  await gitRepository(folder, {});
  const lines = (seed: number): string =>
    Array.from({ length: 12 }, (_, n) => `line ${(n * 7 + seed) % 5} of ${n}`).join('\n');
  const names = ['a.txt', 'dir/b.txt', 'dir/ü 🙂.txt', 'c.bin', 'crlf.txt', 'run.sh'];
  const action = fc.record({
    name: fc.constantFrom(...names),
    kind: fc.constantFrom('edit', 'edit', 'edit', 'delete', 'rename', 'mode', 'binary', 'crlf', 'link', 'folder'),
    at: fc.nat({ max: 11 }),
    text: fc.constantFrom('X', 'Y'),
  });
  const sides = fc.tuple(fc.array(action, { maxLength: 4 }), fc.array(action, { maxLength: 4 }));
  const base = await commitWith(folder, Object.fromEntries(names.map((name, n) => [name, lines(n)])));
  const tally = { clean: 0, conflicted: 0 };
  await fc.assert(
    fc.asyncProperty(sides, async ([one, other]) => {
      const [ours, theirs] = [await acted(folder, base, one), await acted(folder, base, other)];
      await git(folder, 'checkout', '--quiet', '--force', '--detach', ours);
      await git(folder, 'clean', '-qfdx');
      const real = await git(folder, 'merge', '--quiet', '--no-edit', '--no-ff', '-m', 'm', theirs).then(
        () => git(folder, 'rev-parse', 'HEAD^{tree}'),
        () => undefined,
      );
      const paths = (await git(folder, 'ls-files', '-uz'))
        .split('\0')
        .flatMap((line) => line.split('\t')[1]?.replace(/~(HEAD|[0-9a-f]{40})$/, '') ?? []);
      if (real === undefined) await git(folder, 'reset', '--quiet', '--hard');
      await store.receive(folder, [`+${base}:refs/weft/t/b`, `+${ours}:refs/weft/t/o`, `+${theirs}:refs/weft/t/t`]);
      const merged = await store.merge(base, ours, theirs);
      expect(merged.clean).toBe(real !== undefined);
      if (real === undefined) expect(merged.conflicts.map(({ path }) => path)).toEqual([...new Set(paths)].sort());
      else expect(merged.tree).toBe(real);
      tally[merged.clean ? 'clean' : 'conflicted'] += 1;
    }),
    { numRuns: runs, seed: 7, endOnFailure: true },
  );
  expect(Math.min(tally.clean, tally.conflicted)).toBeGreaterThan(runs / 10);
}

interface Action {
  readonly name: string;
  readonly kind: string;
  readonly at: number;
  readonly text: string;
}

async function commitWith(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  await writeFiles(folder, files);
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'x');
  return git(folder, 'rev-parse', 'HEAD');
}

async function acted(folder: string, base: string, actions: readonly Action[]): Promise<string> {
  await git(folder, 'checkout', '--quiet', '--force', '--detach', base);
  await git(folder, 'clean', '-qfdx');
  for (const { name, kind, at, text } of actions) {
    const path = join(folder, name);
    const found = await readText(path);
    if (found === undefined) continue;
    if (kind === 'delete')
      await git(folder, 'rm', '-qf', '--cached', name).then(() => rm(path, { force: true, recursive: true }));
    else if (kind === 'rename') await rename(path, `${path}-${text}`);
    else if (kind === 'mode') await chmod(path, 0o755);
    else if (kind === 'binary') await writeFile(path, Buffer.from([0, 1, 2, text.charCodeAt(0), at]));
    else if (kind === 'crlf') await writeFile(path, found.replaceAll('\n', '\r\n'));
    else if (kind === 'link') await rm(path).then(() => symlink(`to-${text}`, path));
    else if (kind === 'folder') await rm(path).then(() => writeFiles(folder, { [`${name}/in-${text}`]: found }));
    else
      await writeFile(
        path,
        found
          .split('\n')
          .with(Math.min(at, found.split('\n').length - 1), text)
          .join('\n'),
      );
  }
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'x');
  return git(folder, 'rev-parse', 'HEAD');
}

async function readText(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true ? readFile(path, 'utf8') : undefined;
}
