/**
 * Places of failures, as paths of the repository. Tools name files from the folder in which they ran, and Go from that of a package: who is
 * told such a path does not find it. Pure.
 */
import { posix } from 'node:path';
import type { Failure } from './failures.js';

/** `root` is the folder of the project, below that of the repository, whose files are given. */
export function inRepository(failures: readonly Failure[], files: ReadonlySet<string>, root: string): Failure[] {
  return failures.map((failure) => {
    const path = pathsOf(failure, root).find((one) => files.has(one));
    return path === undefined ? failure : { ...failure, file: path };
  });
}

/** Where a file may be, likeliest first. */
function pathsOf({ file, within = '' }: Failure, root: string): string[] {
  if (file === undefined) return [];
  // The path of a module stands before that of its package, and nobody says where it ends.
  const steps = within.split('/');
  const packages = steps.map((_, at) => posix.join(root, ...steps.slice(at), file));
  return [...packages, posix.join(root, file), file];
}
