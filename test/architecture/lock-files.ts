import * as z from 'zod';
import type { Files } from './source-tree.js';

const Names = z.record(z.string(), z.string()).default({});
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ resolved: z.string().optional(), dependencies: Names, optionalDependencies: Names }),
  ),
});

function locksOf(files: Files): { path: string; packages: z.infer<typeof Lock>['packages'] }[] {
  return [...files]
    .filter(([path]) => path.endsWith('package-lock.json'))
    .map(([path, text]) => ({ path, packages: Lock.parse(JSON.parse(text)).packages }));
}

/** Entries that tie an install to one registry. */
export function pinnedDownloads(files: Files): string[] {
  return locksOf(files).flatMap(({ path, packages }) =>
    Object.values(packages)
      .filter(({ resolved }) => resolved?.startsWith('http') === true)
      .map(({ resolved }) => `${path} ${resolved ?? ''}`),
  );
}

/** Dependencies without an entry, those of other platforms included: `npm ci` refuses such a lock on every machine. */
export function lockGaps(files: Files): string[] {
  return locksOf(files).flatMap(({ path, packages }) =>
    Object.entries(packages).flatMap(([at, entry]) =>
      Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
        .filter((name) => !candidates(at, name).some((candidate) => candidate in packages))
        .map((name) => `${path} ${at} -> ${name}`),
    ),
  );
}

/** Places where Node looks for `name` from the package at `at`, nearest first. */
function candidates(at: string, name: string): string[] {
  const parents = at.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  return ['', ...parents].reverse().map((parent) => `${parent === '' ? '' : `${parent}/`}node_modules/${name}`);
}
