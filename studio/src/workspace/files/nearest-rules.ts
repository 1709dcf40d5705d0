/** Guidance file lookup: which files say how agents work on given paths; of several on the way up, the nearest. */
import { RULE_FILES } from '../programs/profile.js';

/** Guidance files for a scope, one for each folder that it names; the repository's own where it names none. */
export function nearestRules(files: readonly string[], scope: readonly string[]): string[] {
  const there = new Set(files);
  const found = (scope.length === 0 ? [''] : scope).flatMap((one) => nearest(there, namedIn(one)) ?? []);
  return [...new Set(found)];
}

/** Leading folder names of a pattern; one without a slash matches files in any folder. */
function namedIn(pattern: string): string[] {
  const names = pattern.replace(/^\.?\//, '').split('/');
  const mark = names.findIndex((name) => /[*?]/.test(name));
  return mark < 0 ? names : names.slice(0, mark);
}

function nearest(files: ReadonlySet<string>, [...folder]: string[]): string | undefined {
  for (;;) {
    const all = RULE_FILES.map((name) => [...folder, name].filter((part) => part !== '').join('/'));
    const here = all.find((path) => files.has(path));
    if (here !== undefined || folder.length === 0) return here;
    folder.pop();
  }
}
