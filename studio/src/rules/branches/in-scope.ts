/** Scope of a work unit: the files that it may change. */
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Records } from '../../record/views/records.js';
import { compileGlob } from '../../workspace/files/glob.js';
import { lineageOf } from '../goals/tree.js';

/** Whether a file is in a scope: that is a list of globs, or of folders with all that is in them. An empty one has every file. */
export function isInScope(fileScope: readonly string[], path: string): boolean {
  const allows = (scope: string): boolean =>
    compileGlob(scope)(path) || path.startsWith(`${scope.replace(/^\.\//, '').replace(/\/+$/, '')}/`);
  return fileScope.length === 0 || fileScope.some(allows);
}

/** Unit whose scope keeps a file from another unit: the unit itself, or one that it is a part of. Undefined where it may change it. */
export function scopeThatForbids(records: Records, workUnitId: string, path: string): WorkUnit | undefined {
  return lineageOf(records, workUnitId).find(({ fileScope }) => !isInScope(fileScope, path));
}

/** Unit whose scope a part of another unit would go beyond, and with what; undefined where all that it names is within. */
export function scopeThatIsLeft(
  records: Records,
  wholeId: string,
  fileScope: readonly string[],
): { readonly unit: WorkUnit; readonly beyond: readonly string[] } | undefined {
  for (const unit of lineageOf(records, wholeId)) {
    const beyond = fileScope.filter((pattern) => !isWithin(unit.fileScope, pattern));
    if (beyond.length > 0) return { unit, beyond };
  }
  return undefined;
}

/** Whether a pattern names files of a scope alone, as sample paths tell: the guard of each write is what is exact. */
function isWithin(fileScope: readonly string[], pattern: string): boolean {
  if (fileScope.includes(pattern)) return true;
  const path = pattern.replaceAll('**', 'any/depth').replaceAll('*', 'any').replaceAll('?', 'x');
  // A name without wildcards may be that of a folder.
  return isInScope(fileScope, path) || (path === pattern && isInScope(fileScope, `${path.replace(/\/+$/, '')}/any`));
}

/** Whether there is a file, or a folder, that both scopes have. An empty one has every file. */
export function scopesMeet(a: readonly string[], b: readonly string[]): boolean {
  if (a.length === 0 || b.length === 0) return true;
  return a.some((left) => b.some((right) => hasSampleOf(left, right) || hasSampleOf(right, left)));
}

function hasSampleOf(scope: string, other: string): boolean {
  // A sample path stands for a pattern: `src/x` for `src/**`.
  const sample = other.replaceAll('**', 'x').replaceAll('*', 'x').replaceAll('?', 'x');
  return scope === other || isInScope([scope], sample);
}
