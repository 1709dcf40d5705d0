/** Scope of a work unit: the files that it may change. */
import { compileGlob } from '../../workspace/files/glob.js';

/** Whether a file is in a scope: that is a list of globs, or of folders with all that is in them. An empty one has every file. */
export function isInScope(fileScope: readonly string[], path: string): boolean {
  const allows = (scope: string): boolean =>
    compileGlob(scope)(path) || path.startsWith(`${scope.replace(/^\.\//, '').replace(/\/+$/, '')}/`);
  return fileScope.length === 0 || fileScope.some(allows);
}
